from course_lib.pointers import attribute

def host_pointer_for(address):
    '''A host pointer, or the reason why there is none.'''
    ...         # about six lines
