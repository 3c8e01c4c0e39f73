"""Exercises of "Before unified addressing": pairs of host and device addresses, and the address book that keeps them."""
from ...exercises.exercise import Case, Exercise

BOOK = [(5000, 70000, 64), (1000, 20000, 16)]
OTHER = [(300, 4096, 100), (400, 9000, 8), (9000, 300, 50)]
TOUCHING = [(400, 500, 8), (408, 600, 8), (9000, 608, 30)]


def _blocks(source):
    """Up to four blocks in no order, some of which touch, and whose numbers of one side are also those of the other."""
    sizes = [source.choice([8, 30, 50]) for _ in range(source.randint(1, 4))]
    places = source.sample(range(1, 9), 2 * len(sizes))
    book = [(places[2 * place] * 50, places[2 * place + 1] * 50, nbytes) for place, nbytes in enumerate(sizes)]
    start, device, nbytes = source.choice(book)
    into = source.choice([0, nbytes - 1, nbytes, -1, source.randrange(nbytes), source.randrange(nbytes)])
    return book, start, device, into


to_device = Exercise(
    id="to-device", name="to_device", keeps=True,
    cases=(Case("the start of a block", (BOOK, 1000), 20000), Case("an address inside a block", (BOOK, 5013), 70013),
           Case("one past the end of a block", (BOOK, 1016), None),
           Case("the last byte of a block", (BOOK, 1015), 20015, True),
           Case("an address just before a block", (BOOK, 4999), None, True),
           Case("the end of one block where another begins", (TOUCHING, 408), 600, True),
           Case("a number that is also a device address", (OTHER, 9004), 304, True),
           Case("an address beyond every block", (OTHER, 12000), None, True),
           Case("an address before every block", (OTHER, 12), None, True),
           Case("an empty book", ([], 1000), None, True)),
    random_case=lambda source: (lambda book, host, device, into: (book, host + into))(*_blocks(source)))

to_host = Exercise(
    id="to-host", name="to_host", keeps=True,
    cases=(Case("the last byte of a block", (BOOK, 20015), 1015), Case("a host address", (BOOK, 1000), None),
           Case("the start of a block", (BOOK, 70000), 5000, True),
           Case("an address inside a block", (BOOK, 70044), 5044, True),
           Case("one past the end of a block", (BOOK, 70064), None, True),
           Case("an address just before a block", (BOOK, 19999), None, True),
           Case("the end of one block where another begins", (TOUCHING, 609), 9001, True),
           Case("a number that is also a host address", (OTHER, 320), 9020, True),
           Case("an address beyond every block", (OTHER, 99000), None, True),
           Case("an empty book", ([], 1000), None, True)),
    random_case=lambda source: (lambda book, host, device, into: (book, device + into))(*_blocks(source)))


EXERCISES = (to_device, to_host)
