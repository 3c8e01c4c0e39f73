"""Exercises of "Your own inverse, and an exam": the inverse as far as it goes, and the book for the rest."""
from ...exercises.exercise import Exercise
from . import harness

host_pointer = Exercise(
    id="host-pointer-for", name="host_pointer_for", sandboxed=True, also_on="registered-differs",
    run=harness.host_pointer, cases=harness.cases)


book = Exercise(
    id="address-book", name="Book", kind="class", run=harness.run_script, random_case=harness.random_script,
    cases=(
        harness.case("an address inside a view", 'book.add(5000, 70000, 64, "a")\nbook.to_host(70010)', 5010, False),
        harness.case("an address with another view of its memory",
              'book.add(5000, 70000, 64, "a")\nbook.add(None, 90000, 64, "a")\nbook.to_host(90010)',
              5010, False),
        harness.case("a host address", 'book.add(300, 8000, 16, "m")\nbook.add(100, 4000, 32, "n")\nbook.to_device(131)',
              4031),
        harness.case("the start of a view", 'book.add(300, 8000, 16, "m")\nbook.to_device(300)', 8000),
        harness.case("a freed view", 'view = book.add(5000, 70000, 64, "a")\nbook.free(view)\nbook.to_host(70000)', None),
        harness.case("an address given out again", 'old = book.add(5000, 70000, 64, "a")\nbook.free(old)\n'
              'book.add(6400, 70000, 32, "b")\nbook.to_host(70004)', 6404),
        harness.case("a freed view whose alias lives on",
              'one = book.add(5000, 70000, 64, "a")\nbook.add(2000, 80000, 64, "a")\nbook.free(one)\n'
              'book.to_device(2063)', 80063),
        harness.case("a view that lives on after another one was freed",
              'one = book.add(5000, 70000, 64, "a")\nbook.add(2000, 80000, 64, "b")\nbook.free(one)\n'
              'book.to_device(2063)', 80063),
        harness.case("the first of two views, freed", 'one = book.add(5000, 70000, 64, "a")\n'
              'book.add(2000, 80000, 64, "b")\nbook.free(one)\nbook.to_host(70000)', None),
        harness.case("a view that lives on after another one was freed, and neither has a host address",
              'book.add(None, 70000, 64, "a")\nbook.add(5000, None, 64, "a")\nother = book.add(None, 90000, 64, "b")\n'
              'book.free(other)\nbook.to_host(70010)', 5010),
        harness.case("a view that lives on after another one was freed, and neither has a device address",
              'book.add(5000, None, 64, "a")\nbook.add(None, 70000, 64, "a")\nother = book.add(9000, None, 64, "b")\n'
              'book.free(other)\nbook.to_device(5010)', 70010),
        harness.case("two host views of one page", 'book.add(5000, 70000, 64, "p")\nbook.add(9000, 30000, 64, "p")\n'
              'book.to_host(30001)', 9001),
        harness.case("device memory with no host address at all",
              'book.add(None, 70000, 64, "d")\nbook.to_host(70001)', None),
        harness.case("device memory beside a view that has a host address",
              'book.add(40, 90, 8, "e")\nbook.add(None, 70000, 64, "d")\nbook.to_host(70001)', None),
        harness.case("a host address among views that have none", 'book.add(None, 70000, 64, "d")\nbook.add(40, 90, 8, "e")\n'
              'book.to_device(47)', 97),
        harness.case("a host address with no device address", 'book.add(40, None, 8, "e")\nbook.to_device(41)', None),
        harness.case("a view that begins at address 0", 'book.add(0, 6400, 32, "s")\nbook.to_host(6404)', 4),
        harness.case("an address inside a view that begins at address 0", 'book.add(0, 6400, 32, "s")\nbook.to_device(4)', 6404),
        harness.case("a host address that is no device address", 'book.add(5000, 70000, 64, "a")\nbook.to_host(5010)', None),
        harness.case("an address just before a view", 'book.add(40, 90, 8, "e")\nbook.to_host(89)', None),
        harness.case("a freed view, whose memory has another one",
              'one = book.add(5000, None, 64, "a")\nbook.add(None, 90000, 64, "a")\nbook.free(one)\nbook.to_host(90010)', None),
        harness.case("a host address whose memory has its device address in another view",
              'book.add(None, 70000, 64, "a")\nbook.add(300, None, 64, "a")\nbook.to_device(310)', 70010),
        harness.case("the first of two host views of one page", 'book.add(5000, 70000, 64, "p")\nbook.add(9000, 30000, 64, "p")\n'
              'book.to_host(70001)', 5001),
        harness.case("one past the end of a view, by the host's address", 'book.add(40, 90, 8, "e")\nbook.to_device(48)', None),
        harness.case("one past the end of a view", 'book.add(40, 90, 8, "e")\nbook.to_host(98)', None)))

EXERCISES = (host_pointer, book)
