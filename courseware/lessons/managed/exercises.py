"""Exercises of "Memory that moves": places page by page, advice, and what the host may touch."""
from ...exercises.exercise import Case, Exercise
from . import harness

last_places = Exercise(
    id="last-places", name="last_places", sandboxed=True, run=harness.last_places,
    cases=(Case("three pages that differ", ("D.H", 0), ["device", None, "host"], False, "last_places(address, 3)"),
           Case("a single page", ("H", 0), ["host"], False, "last_places(address, 1)"),
           Case("pages within an allocation", ("HHD.", 5), ["host", "host", "device", None], True, "last_places(address, 4)"),
           Case("pages that nobody prefetched", ("..", 0), [None, None], True, "last_places(address, 2)"),
           Case("the last pages of an allocation", ("DH.D", 508), ["device", "host", None, "device"], True,
                "last_places(address, 4)"),
           Case("pages with one place for all", ("DDD", 2), ["device"] * 3, True, "last_places(address, 3)"),
           Case("pages that change places often", (".DH.HD", 1), [None, "device", "host", None, "host", "device"], True,
                "last_places(address, 6)")))

own_pages = Exercise(
    id="own-pages", name="advise_table", sandboxed=True, run=harness.advise_table,
    cases=(Case("two whole pages", (0, 8192), [0, 1], False, "advise_table(start of page 0, 8192)"),
           Case("12288 bytes from byte 100 on", (100, 12288), [1, 2], False, "advise_table(byte 100 of page 0, 12288)"),
           Case("one whole page", (4096, 4096), [1], True, "advise_table(start of page 1, 4096)"),
           Case("a page's length that is shared between two pages", (1, 4096), [], True, "advise_table(byte 1 of page 0, 4096)"),
           Case("a table that ends with a page", (4000, 8288), [1, 2], True, "advise_table(byte 4000 of page 0, 8288)"),
           Case("100 bytes at the start of a page", (8192, 100), [], True, "advise_table(start of page 2, 100)"),
           Case("50 bytes within a page", (100, 50), [], True, "advise_table(byte 100 of page 0, 50)"),
           Case("a page, and 904 bytes of the next", (0, 5000), [0], True, "advise_table(start of page 0, 5000)"),
           Case("a byte of one page and all of the next", (4095, 4097), [1], True, "advise_table(byte 4095 of page 0, 4097)"),
           Case("two pages' length over three pages", (2048, 8192), [1], True, "advise_table(byte 2048 of page 0, 8192)"),
           Case("five pages further on", (12288, 20480), [3, 4, 5, 6, 7], True, "advise_table(start of page 3, 20480)")))

host_may_touch = Exercise(id="host-may-touch", name="host_may_touch", sandboxed=True, cases=harness.kinds_of_memory)

EXERCISES = (last_places, own_pages, host_may_touch)
