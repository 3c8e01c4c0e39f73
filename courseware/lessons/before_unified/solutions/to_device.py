def to_device(book, host_address):
    for host_start, device_start, nbytes in book:
        if host_start <= host_address < host_start + nbytes:
            return device_start + (host_address - host_start)
