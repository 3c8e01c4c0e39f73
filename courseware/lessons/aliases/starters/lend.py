from course_lib import reservation

def lend(memory):
    '''Two mappings of the same memory: one to keep, and one that can only be read.'''
    ...         # about five lines
