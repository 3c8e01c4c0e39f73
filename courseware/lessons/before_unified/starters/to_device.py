def to_device(book, host_address):
    '''The device address for host_address, or None where no block of the book holds it.'''
    for host_start, device_start, nbytes in book:
        ...             # about two lines
