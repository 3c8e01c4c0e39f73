from course_lib import managed

def advise_table(address, nbytes):
    first = -(-address // managed.PAGE) * managed.PAGE
    end = (address + nbytes) // managed.PAGE * managed.PAGE
    if first < end:
        managed.advise((first, end - first), "read_mostly")
