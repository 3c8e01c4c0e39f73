from course_lib import reservation

def map_twice(memory):
    first = reservation.reserve(memory.nbytes).map(memory)
    second = reservation.reserve(memory.nbytes).map(memory)
    for mapping in (first, second):
        mapping.set_access("readwrite")
    return first, second
