from cuda.bindings import driver as cu

def memory_at(address):
    '''A number for the memory that is mapped at an address.'''
    ...         # three lines

def other_addresses(mappings, address):
    '''The other addresses of the byte at an address, sorted.'''
    ...         # about five lines
