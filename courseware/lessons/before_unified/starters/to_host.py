def to_host(book, device_address):
    for host_start, device_start, nbytes in book:
        ...             # about two lines
