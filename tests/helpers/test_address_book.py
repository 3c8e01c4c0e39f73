"""The address book: pairs of host and device addresses, both ways."""
import random

from course_lib.core.errors import Released, WrongPointer, WrongSize
from course_lib.pointers.address_book import AddressBook, NotInBook, Ranges

import pytest


def test_interior_addresses_both_ways():
    book = AddressBook()
    book.add(host=0x1000, device=0x9000, nbytes=256)
    assert book.to_host(0x9000) == 0x1000 and book.to_host(0x90FF) == 0x10FF
    assert book.to_device(0x1000) == 0x9000 and book.to_device(0x10FF) == 0x90FF


@pytest.mark.parametrize("address", [0x8FFF, 0x9100])
def test_one_byte_outside_is_not_in_the_book(address):
    book = AddressBook()
    book.add(host=0x1000, device=0x9000, nbytes=256)
    with pytest.raises(NotInBook):
        book.to_host(address)


def test_device_memory_has_no_host_address():
    book = AddressBook()
    book.add(device=0x9000, nbytes=256)
    with pytest.raises(NotInBook, match="has no host address"):
        book.to_host(0x9010)


def test_a_freed_view_is_told_from_an_unknown_one():
    book = AddressBook()
    view = book.add(host=0x1000, device=0x9000, nbytes=256)
    book.free(view)
    with pytest.raises(Released):
        book.to_host(0x9010)
    with pytest.raises(Released):
        book.free(view)
    with pytest.raises(NotInBook, match="not in this book"):
        book.free(AddressBook().add(host=0x1000, device=0x9000, nbytes=256))


def test_addresses_of_a_freed_view_can_be_given_out_again():
    book = AddressBook()
    book.free(book.add(host=0x1000, device=0x9000, nbytes=256))
    book.add(host=0x5000, device=0x9040, nbytes=64)
    assert book.to_host(0x9041) == 0x5001
    with pytest.raises(Released):    # what is left of the old one before and after it
        book.to_host(0x903F)
    with pytest.raises(Released):
        book.to_host(0x9080)


def test_two_host_views_of_one_page():
    book = AddressBook()
    first = book.add(host=0x1000, device=0x9000, nbytes=4096)
    book.add(host=0x4000, device=0xC000, nbytes=4096, memory=first.memory)
    assert book.to_host(0x9005) == 0x1005 and book.to_host(0xC005) == 0x4005
    assert book.to_device(0x1005) == 0x9005 and book.to_device(0x4005) == 0xC005
    book.free(first)
    assert book.to_host(0xC005) == 0x4005


def test_a_view_of_a_part():
    book = AddressBook()
    whole = book.add(host=0x1000, device=0x9000, nbytes=4096)
    book.add(device=0x20000, nbytes=100, memory=whole.memory, offset=50)
    assert book.to_host(0x20000) == 0x1032    # through the other view of the same byte
    assert book.to_host(0x20000 + 99) == 0x1000 + 149 and book.to_device(0x1000 + 149) == 0x9000 + 149
    book.add(host=0x5000, device=0x30000, nbytes=100, memory=whole.memory, offset=200)
    assert book.to_host(0x30000 + 99) == 0x5000 + 99 and book.to_device(0x5000) == 0x30000
    book.add(device=0x40000, nbytes=200, memory=(part := book.add(host=0x7000, nbytes=100, memory="m")).memory)
    assert book.to_host(0x40000 + 99) == part.host + 99
    with pytest.raises(NotInBook, match="has no host address"):
        book.to_host(0x40000 + 100)


def test_living_views_do_not_overlap():
    book = AddressBook()
    book.add(host=0x1000, device=0x9000, nbytes=256)
    for start in (0x8F01, 0x9080, 0x90FF):
        with pytest.raises(WrongPointer):
            book.add(device=start, nbytes=256)
    before, after = book.add(device=0x8F00, nbytes=256), book.add(device=0x9100, nbytes=256)
    assert book.find(0x8FFF) is before and book.find(0x9100) is after and book.to_host(0x90FF) == 0x10FF


def test_a_refused_view_leaves_no_trace():
    book = AddressBook()
    book.add(host=0x1000, nbytes=256)
    with pytest.raises(WrongPointer):
        book.add(device=0x9000, host=0x1000, nbytes=16)
    assert book.find(0x9000) is None and book.find(0x1000, "host").nbytes == 256


def test_what_is_no_view_is_refused():
    with pytest.raises(WrongPointer):
        AddressBook().add(nbytes=5)
    with pytest.raises(WrongSize):
        AddressBook().add(host=5)


def test_a_lookup_looks_at_few_of_many_views():
    class Counted(int):
        comparisons = 0

        def __lt__(self, other):
            Counted.comparisons += 1
            return int(self) < other

        def __gt__(self, other):
            Counted.comparisons += 1
            return int(self) > other

    ranges = Ranges()
    for number in range(4096):
        ranges.set(number * 16, number * 16 + 16, number)
    assert ranges.at(Counted(1000 * 16 + 3)) == 1000
    assert Counted.comparisons < 32


def test_ranges_agree_with_a_dictionary_of_addresses():
    choose, ranges, model = random.Random(5), Ranges(), {}
    for item in range(300):
        start = choose.randrange(500)
        end = start + choose.randrange(1, 40)
        ranges.set(start, end, item)
        model.update(dict.fromkeys(range(start, end), item))
        assert set(ranges.within(start, end)) == {item}
    assert [ranges.at(address) for address in range(600)] == [model.get(address) for address in range(600)]
    assert set(ranges.within(100, 200)) == {model[address] for address in range(100, 200) if address in model}
