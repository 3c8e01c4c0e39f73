def to_host(book, device_address):
    for host_start, device_start, nbytes in book:
        if device_start <= device_address < device_start + nbytes:
            return host_start + (device_address - device_start)
