def to_host(book, device_address):
    '''The host address for device_address, or None where no block of the book holds it.'''
    for host_start, device_start, nbytes in book:
        ...             # about two lines
