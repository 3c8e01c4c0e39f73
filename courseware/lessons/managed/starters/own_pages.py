from course_lib import managed

def advise_table(address, nbytes):
    '''Give advice for the pages that belong to the table alone.'''
    ...         # about four lines
