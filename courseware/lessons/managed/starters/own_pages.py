from course_lib import managed

def advise_table(address, nbytes):
    '''Advise the pages that the table has for itself.'''
    ...         # about four lines
