from course_lib import reservation

def map_twice(memory):
    '''Two mappings of the same memory, both accessible.'''
    ...         # about five lines
