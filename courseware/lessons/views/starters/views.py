def views(table, byte):
    '''All addresses of a byte of memory, sorted.'''
    ...         # about two lines
