def translate(table, address):
    '''The byte of memory behind an address, or None.'''
    ...         # about four lines
