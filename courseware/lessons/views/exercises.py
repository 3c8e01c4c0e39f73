"""Exercises of "Two views of one memory": an address is a number, and a table says which byte it stands for."""
from ...exercises.exercise import Case, Exercise


def _table(source):
    """A table of random pages, most of 12 with an entry; some pages of memory are seen twice."""
    pages = source.sample(range(12), source.randint(4, 10))
    return {page: source.randrange(8) for page in pages}


HOST = {3: 8, 4: 2, 7: 5, 10: 0}           # the CPU's table
translate = Exercise(
    id="translate", name="translate",
    cases=(Case("an address inside a page", ({3: 8, 4: 2}, 53), 133),
           Case("a page without an entry", ({3: 8, 4: 2}, 80), None),
           Case("the start of a page", (HOST, 64), 32, True), Case("the last byte of a page", (HOST, 127), 95, True),
           Case("an address before all pages", (HOST, 7), None, True),
           Case("an address that leads to page 0 of memory", ({6: 0}, 100), 4, True),
           Case("a page behind all entries", (HOST, 400), None, True),
           Case("page 0 of the addresses", ({0: 3, 5: 1}, 9), 57, True),
           Case("a page far away", ({5: 1, 1000: 3}, 16007), 55, True),
           Case("an empty table", ({}, 40), None, True)),
    random_case=lambda source: (_table(source), source.randrange(12 * 16)))


def _two_addresses(source):
    """Half of them lead to one page of memory, and half of those to one byte."""
    host, device = source.choice([(3, 3), (4, 9), (10, 5), (7, source.randrange(13)), (source.randrange(13), 9),
                                  (5, 1)])
    offset = source.randrange(16)
    return host * 16 + offset, device * 16 + source.choice([offset, source.randrange(16)])


same_byte = Exercise(
    id="same-byte", name="same_byte", random_case=_two_addresses,
    cases=(Case("equal numbers that lead to one page", (49, 49), True),
           Case("different numbers that lead to one page", (65, 145), True),
           Case("two bytes of one page", (66, 145), False, True),
           Case("equal numbers of which only the host's leads anywhere", (66, 66), False, True),
           Case("two addresses that no table has", (5, 21), False, True),
           Case("equal numbers that no table has", (200, 200), False, True),
           Case("a host address that leads nowhere", (5, 49), False, True),
           Case("two different pages", (113, 177), False, True),
           Case("a byte that only the host sees", (117, 117), False, True),
           Case("byte 0 of memory", (160, 80), True, True)))

DEVICE = {3: 8, 9: 2, 11: 6, 5: 0}         # the GPU's table
views = Exercise(
    id="views", name="views",
    cases=(Case("a byte with two views", ({3: 8, 4: 2, 6: 8}, 133), [53, 101]),
           Case("a byte with one view", ({3: 8, 4: 2, 6: 8}, 32), [64]),
           Case("a byte with no view", (HOST, 50), [], True),
           Case("three views that are in no order in the table", ({12: 5, 2: 5, 7: 5, 9: 4}, 91), [43, 123, 203], True),
           Case("five views", ({1: 6, 3: 6, 2: 6, 9: 6, 4: 6, 5: 1}, 97), [17, 33, 49, 65, 145], True),
           Case("a table of the device", (DEVICE, 47), [159], True),
           Case("a page of memory whose number is also that of a page of addresses", ({5: 9, 9: 5}, 146), [82], True),
           Case("page 0 of both", ({0: 0, 2: 0}, 3), [3, 35], True),
           Case("a view far away", ({2: 4, 1000: 4}, 70), [38, 16006], True), Case("an empty table", ({}, 20), [], True)),
    random_case=lambda source: (_table(source), source.randrange(8 * 16)))

EXERCISES = (translate, same_byte, views)
