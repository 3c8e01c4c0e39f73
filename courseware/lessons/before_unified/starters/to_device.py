def to_device(book, host_address):
    for host_start, device_start, nbytes in book:
        ...             # about two lines
