"""Exercises of "Two views of one memory": what forward and back answer, and tables that say which byte an address stands for."""
from ...exercises.exercise import Case, Exercise
from . import harness

two_answers = Exercise(
    id="two-answers", name="two_answers", sandboxed=True, also_on="registered-differs",
    run=harness.two_answers, cases=harness.kinds_of_memory)


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
           Case("a page that leads to a page of memory with an entry's number", ({3: 4, 4: 2}, 53), 69, True),
           Case("page 0 of the addresses", ({0: 3, 5: 1}, 9), 57, True),
           Case("a page far away", ({5: 1, 1000: 3}, 16007), 55, True),
           Case("an empty table", ({}, 40), None, True)),
    random_case=lambda source: (_table(source), source.randrange(12 * 16)))


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

EXERCISES = (two_answers, translate, views)
