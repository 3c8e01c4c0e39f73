"""Managed memory of the simulated driver: what is said of pages, as an H200's driver reads it, and where they are."""
import dataclasses

from cuda_simulator.memory.advice import (
    SET_ACCESSED_BY,
    SET_PREFERRED,
    SET_READ_MOSTLY,
    UNSET_ACCESSED_BY,
    UNSET_PREFERRED,
    UNSET_READ_MOSTLY,
    AdvisedAttributes,
    Pages,
    together,
)
from cuda_simulator.memory.places import NOWHERE, WHOLE_HOST
from cuda_simulator.memory.residency import Where
from cuda_simulator.memory.runs import Runs, StridingRuns

import pytest
from hypothesis import given, strategies as st

from .programs import output

FIRST, LAST = 10, 40    # the pages of the models
spans = st.tuples(st.integers(FIRST, LAST), st.integers(FIRST, LAST)).map(sorted)
DEVICE = 1, 0


def alike_around(values, number, low=FIRST, high=LAST):
    """The longest stretch of equal values that holds `number`, within [low, high)."""
    first = last = number
    while first > low and values[first - 1 - FIRST] == values[number - FIRST]:
        first -= 1
    while last < high and values[last - FIRST] == values[number - FIRST]:
        last += 1
    return first, last


class PlainRuns:
    """What Runs has to do: a list with a value for each page."""

    def __init__(self, value):
        self.values = [value] * (LAST - FIRST)

    def change(self, first, last, change):
        self.values[first - FIRST:last - FIRST] = map(change, self.values[first - FIRST:last - FIRST])

    def page_values(self, first, last):
        return self.values[first - FIRST:last - FIRST]


class PlainStridingRuns(PlainRuns):
    """What StridingRuns has to do, said of pages: strides as long as the stretch of equal pages that they start in."""

    def change(self, first, last, change):
        at = first
        while at < last:
            low, high = alike_around(self.values, at, low=first if at == first else FIRST, high=last)
            super().change(low, high, change)
            low, high = alike_around(self.values, at)
            at += high - low

    def page_values(self, first, last):
        values = []
        while first < last:
            values.append(self.values[first - FIRST])
            low, high = alike_around(self.values, first)
            first += high - low
        return values


def page_values(runs, first, last):
    return [value for start, end, value in runs.between(first, last) for _ in range(start, end)]


@given(st.lists(st.tuples(spans, st.integers(0, 3)), max_size=12), spans)
def test_runs_have_a_value_for_every_page_and_keep_those_alike_as_one(changes, span):
    runs, model = Runs(0, FIRST), PlainRuns(0)
    for (first, last), value in changes:
        runs.change(first, last, lambda old, value=value: old ^ value)
        model.change(first, last, lambda old, value=value: old ^ value)
    assert page_values(runs, *span) == model.page_values(*span)
    whole = runs.between(FIRST, LAST)
    assert all(run[2] != following[2] for run, following in zip(whole, whole[1:])) and len(whole) <= len(runs)


ADVICE = st.tuples(st.sampled_from([SET_READ_MOSTLY, UNSET_READ_MOSTLY, SET_PREFERRED, UNSET_PREFERRED, SET_ACCESSED_BY,
                                    UNSET_ACCESSED_BY, "prefetch"]), st.sampled_from([DEVICE, WHOLE_HOST]))


def advised_attributes(attributes, advice, place):
    if advice == "prefetch":
        return AdvisedAttributes(attributes.read_mostly, attributes.preferred, place, attributes.accessed_by)
    return attributes.advised(advice, place)


@given(st.lists(st.tuples(spans, ADVICE), max_size=12), spans)
def test_advice_is_kept_and_told_as_a_walk_over_single_pages_would(steps, span):
    pages, model = Pages(FIRST), PlainStridingRuns(AdvisedAttributes())
    for (first, last), (advice, place) in steps:
        if advice == "prefetch":
            pages.prefetch(first, last, place)
        else:
            pages.advise(first, last, advice, place)
        # Beyond the last page of the model there is only more of what is not advised.
        model.change(first, last, lambda attributes, advice=advice, place=place: advised_attributes(attributes, advice, place))
    assert [pages.attributes(page, page + 1) for page in range(FIRST, LAST)] == model.values
    assert pages.attributes(*span) == together(model.page_values(*span))


@given(spans, ADVICE)
def test_advice_given_once_is_that_of_each_page_alone(span, advice):
    pages, model = Pages(FIRST), PlainRuns(AdvisedAttributes())
    pages.prefetch(*span, DEVICE)
    model.change(*span, lambda attributes: advised_attributes(attributes, "prefetch", DEVICE))
    assert [pages.attributes(page, page + 1) for page in range(FIRST, LAST)] == model.values
    assert pages.attributes(FIRST, LAST) == together(model.values)


def test_what_many_pages_say_is_what_all_of_them_say():
    first = AdvisedAttributes(True, DEVICE, DEVICE, frozenset({DEVICE}))
    second = AdvisedAttributes(False, DEVICE, WHOLE_HOST, frozenset({DEVICE, WHOLE_HOST}))
    assert together([first, second]) == AdvisedAttributes(False, DEVICE, NOWHERE, frozenset({DEVICE}))
    assert dataclasses.replace(together([]), accessed_by=frozenset()) == AdvisedAttributes(read_mostly=True)
    assert second.accessors() == [0, -1]


def test_a_stride_that_starts_inside_a_run_passes_over_what_follows():
    """As recorded: sequence 2016, call 47, and sequence 2004, call 75."""
    runs = StridingRuns("never")
    runs.change(0, 3, lambda _: "host")
    assert [value for _, _, value in runs.between(2, 5)] == ["host"]
    assert [value for _, _, value in runs.between(0, 5)] == ["host", "never"]
    runs = StridingRuns("never")
    runs.change(256, 384, lambda _: "host")
    runs.change(0, 512, lambda _: "device")
    assert runs.between(0, 512) == [(0, 384, "device"), (384, 512, "never")]


def test_freed_pages_are_forgotten_every_one():
    pages = Pages(FIRST, preferred=DEVICE)
    for page in range(FIRST, LAST, 2):
        pages.prefetch(page, page + 1, WHOLE_HOST)
    pages.forget(FIRST, LAST)
    assert {pages.attributes(page, page + 1) for page in range(FIRST, LAST)} == {AdvisedAttributes(preferred=DEVICE)}


# -- where pages are -------------------------------------------------------------------------------------------------

NOBODY, HOST, GPU, BOTH, UNKNOWN = frozenset(), {"host"}, {"device 0"}, {"host", "device 0"}, None
PLAIN, MOSTLY = AdvisedAttributes(), AdvisedAttributes(read_mostly=True)
ON_HOST, ACCESSED = AdvisedAttributes(preferred=WHOLE_HOST), AdvisedAttributes(accessed_by=frozenset({DEVICE}))


def test_a_prefetch_moves_pages_and_copies_read_mostly_ones():
    for before in (NOBODY, HOST, GPU, UNKNOWN):
        for attributes in (PLAIN, ON_HOST, ACCESSED):
            assert Where(before).prefetched(attributes, DEVICE).places == GPU
    assert Where(frozenset(HOST)).prefetched(MOSTLY, DEVICE).places == BOTH
    assert Where(NOBODY).prefetched(MOSTLY, WHOLE_HOST).places == HOST


def test_of_copies_one_stays_when_read_mostly_advice_is_taken_back():
    assert Where(frozenset(BOTH)).collapsed(ON_HOST).places == HOST
    assert Where(frozenset(BOTH)).collapsed(AdvisedAttributes(preferred=DEVICE)).places == GPU
    assert Where(frozenset(BOTH)).collapsed(PLAIN).places == UNKNOWN
    assert all(Where(before).collapsed(PLAIN).places == before for before in (UNKNOWN, NOBODY, frozenset(GPU)))


@pytest.mark.parametrize("attributes, before, toucher, write, after", [
    (PLAIN, NOBODY, "host", True, HOST), (PLAIN, NOBODY, "device 0", False, GPU),
    (PLAIN, HOST, "device 0", False, GPU), (PLAIN, GPU, "host", False, HOST), (PLAIN, UNKNOWN, "device 0", False, GPU),
    (MOSTLY, HOST, "device 0", False, BOTH), (MOSTLY, BOTH, "device 0", True, GPU), (MOSTLY, BOTH, "host", True, HOST),
    (MOSTLY, UNKNOWN, "host", False, UNKNOWN),
    (ON_HOST, HOST, "device 0", True, HOST), (ACCESSED, HOST, "device 0", True, HOST), (ACCESSED, GPU, "device 0", True, GPU),
    (ON_HOST, GPU, "device 0", True, GPU), (ON_HOST, NOBODY, "device 0", True, UNKNOWN), (ACCESSED, UNKNOWN, "device 0", True, UNKNOWN),
    (ACCESSED, HOST, "device 1", True, {"device 1"}), (ON_HOST, GPU, "host", True, HOST)])
def test_who_touches_a_page_gets_it_unless_advice_says_otherwise(attributes, before, toucher, write, after):
    before = before if before is None else frozenset(before)
    assert Where(before).touched(attributes, toucher, write, "test").places == after


BINDINGS = """
        from cuda.bindings import driver as cu
        from cuda_simulator.memory import managed
        PAGE = 4096
        def must(result):
            assert not int(result[0]), result
            return result[1] if len(result) == 2 else None
        def place(kind, number=0):
            location = cu.CUmemLocation()
            location.type, location.id = cu.CUmemLocationType(kind), number
            return location
        def prefetch(address, size, kind, stream=0):
            function = getattr(cu, "cuMemPrefetchAsync_v2", cu.cuMemPrefetchAsync)
            must(function(address, size, place(kind), 0, stream))
        def show(address, size):
            print(*[f"{(start - a) // PAGE}+{length // PAGE} {sorted(where.places) if where.places is not None else '?'} {where.since}"
                    + f"{', perhaps ' + ', '.join(where.perhaps) if where.perhaps else ''}"
                    for start, length, where in managed.residency(address, size)], sep="; ")
        def read(address):
            return ctypes.string_at(address, 1)
        def write(address):
            ctypes.memset(address, 7, 1)
        a = int(must(cu.cuMemAllocManaged(8 << 20, 1)))
"""


def test_where_pages_are_follows_what_moves_them():
    assert output(BINDINGS + """
        code = SourceModule("__global__ void put(int *p, int stride) { p[threadIdx.x * stride] = 1; }"
                            "__global__ void get(int *p) { if (p[0] == 7) p[0] = 8; }")
        show(a, 8 << 20)
        prefetch(a, 3 * PAGE, 1)
        show(a + 100, 4 * PAGE)
        write(a + PAGE)
        show(a, 3 * PAGE)
        code.get_function("put")(np.uintp(a), np.int32(4 * PAGE // 4), block=(3, 1, 1))
        cuda.Context.synchronize()
        show(a, 10 * PAGE)
        cuda.memset_d8(a + 8 * PAGE, 1, PAGE + 1)
        cuda.memcpy_dtoh(np.zeros(8, np.uint8), a)
        show(a, 10 * PAGE)
        code.get_function("get")(np.uintp(a), block=(1, 1, 1))
        cuda.Context.synchronize()
        show(a, PAGE)
        try:
            managed.residency(a, (8 << 20) + 1)
        except Exception as error:
            print(error)
    """) == ("0+2048 [] allocated\n"
             "0+3 ['device 0'] prefetch; 3+2 [] allocated\n"
             "0+1 ['device 0'] prefetch; 1+1 ['host'] the host; 2+1 ['device 0'] prefetch\n"
             "0+1 ['device 0'] kernel put; 1+1 ['host'] the host; 2+1 ['device 0'] prefetch; 3+1 [] allocated; "
             "4+1 ['device 0'] kernel put; 5+3 [] allocated; 8+1 ['device 0'] kernel put; 9+1 [] allocated\n"
             "0+1 ? copy; 1+1 ['host'] the host; 2+1 ['device 0'] prefetch; 3+1 [] allocated; "
             "4+1 ['device 0'] kernel put; 5+3 [] allocated; 8+2 ['device 0'] memset\n"
             "0+1 ['device 0'] kernel get\n"
             "CUDA_ERROR_INVALID_VALUE: not bytes of one managed allocation\n")


def test_a_prefetch_arrives_in_its_streams_order_and_not_in_what_was_freed():
    assert output(BINDINGS + """
        code = SourceModule("__global__ void wait(volatile int *flag) { while (!*flag); }")
        flag = cuda.pagelocked_zeros(1, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
        stream, b = cuda.Stream(), int(must(cu.cuMemAllocManaged(8 << 20, 1)))
        code.get_function("wait")(np.uintp(flag.ctypes.data), block=(1, 1, 1), stream=stream)
        prefetch(a, PAGE, 2, stream.handle)
        prefetch(b, PAGE, 2, stream.handle)
        show(a, PAGE)
        flag[0] = 1
        stream.synchronize()
        show(a, PAGE)
        must(cu.cuMemFree(b))
        c = int(must(cu.cuMemAllocManaged(8 << 20, 1)))
        print(c == b, managed.residency(c, 8 << 20)[0][2].places)
    """) == "0+1 [] allocated\n0+1 ['host'] prefetch\nTrue frozenset()\n"


def test_of_what_was_freed_nothing_is_told_and_of_its_neighbours_all():
    assert output("""
from cuda.bindings import driver
def managed():
    return int(driver.cuMemAllocManaged(1 << 17, 1)[1])
def last_prefetch(address):
    return driver.cuMemRangeGetAttribute(4, driver.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, address, 1 << 17)[1]
device = driver.CUmemLocation()
device.type, device.id = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, 0
before, freed, behind = managed(), managed(), managed()
for memory in (before, freed, behind):
    driver.cuMemPrefetchAsync(memory, 1 << 17, device, 0, 0)
driver.cuMemFree(freed)
again = managed()
print(again == freed, [last_prefetch(memory) for memory in (before, again, behind)])
""") == "True [0, -2, 0]\n"


def test_read_mostly_pages_are_on_both_sides_until_somebody_writes_or_the_advice_is_taken_back():
    assert output(BINDINGS + """
        advise = getattr(cu, "cuMemAdvise_v2", cu.cuMemAdvise)
        code = SourceModule("__global__ void get(int *p, int *q) { *q = p[threadIdx.x * 1024]; }")
        ctypes.memset(a, 7, 2 * PAGE)
        must(advise(a, 2 * PAGE, cu.CUmem_advise(1), place(1)))
        code.get_function("get")(np.uintp(a), np.uintp(a + 4 * PAGE), block=(2, 1, 1))
        cuda.Context.synchronize()
        show(a, 2 * PAGE)
        must(advise(a, PAGE, cu.CUmem_advise(2), place(1)))
        read(a + PAGE)
        show(a, 2 * PAGE)
        code.get_function("get")(np.uintp(a + PAGE), np.uintp(a + 4 * PAGE), block=(1, 1, 1))
        cuda.Context.synchronize()
        show(a, 2 * PAGE)
        cuda.memset_d8(a + PAGE, 1, 1)
        show(a, 2 * PAGE)
    """) == ("0+2 ['device 0', 'host'] kernel get\n0+1 ? advice; 1+1 ['host'] the host, perhaps device 0\n"
             "0+1 ? advice; 1+1 ['device 0', 'host'] kernel get\n0+1 ? advice; 1+1 ['device 0'] memset\n")


def test_what_the_host_touches_is_seen_page_by_page():
    assert output(BINDINGS + """
        small = int(must(cu.cuMemAllocManaged(100, 1)))
        prefetch(a, 40 * PAGE, 1)
        cuda.Context.synchronize()
        read(a + 20 * PAGE)
        write(a + 100 * PAGE)
        read(a + 102 * PAGE)
        show(a, 104 * PAGE)
        prefetch(a, 40 * PAGE, 1)
        show(a, 40 * PAGE)
        code = SourceModule("__global__ void put(char *p) { *p = 5; }")
        code.get_function("put")(np.uintp(a + 100 * PAGE), block=(1, 1, 1))
        cuda.Context.synchronize()
        show(a + 100 * PAGE, PAGE)
        print(read(a + 100 * PAGE))
        show(a + 100 * PAGE, PAGE)
        cuda.memcpy_htod(a + 200 * PAGE, np.zeros(PAGE, np.uint8))
        cuda.memcpy_dtoh(np.zeros(8, np.uint8), a + 201 * PAGE)
        show(a + 200 * PAGE, 2 * PAGE)
        write(small)
        print(managed.residency(small, 100)[0][2].since)
    """) == ("0+20 ['device 0'] prefetch; 20+1 ['host'] the host; 21+19 ['device 0'] prefetch; 40+60 [] allocated; "
             "100+1 ['host'] the host; 101+1 [] allocated; 102+1 ['host'] the host; 103+1 [] allocated\n"
             "0+40 ['device 0'] prefetch\n100+1 ['device 0'] kernel put\nb'\\x05'\n100+1 ['host'] the host\n"
             "200+2 ? copy\nthe host\n")


def test_where_the_system_allows_no_second_view_managed_memory_works_and_what_the_host_does_is_not_seen():
    assert output(BINDINGS + """
        from cuda_simulator.libcuda import process_memory
        process_memory.open_shared_pages = lambda address, size: None
        code = SourceModule("__global__ void put(char *p) { p[threadIdx.x] += 5; }")
        b = int(must(cu.cuMemAllocManaged(8 << 20, 1)))
        write(b)
        print(managed.residency(b, PAGE)[0][2].since)
        code.get_function("put")(np.uintp(b), block=(1, 1, 1))
        cuda.Context.synchronize()
        print(read(b), managed.residency(b, PAGE)[0][2].since)
        must(cu.cuMemFree(b))
    """) == "allocated\nb'\\x0c' kernel put\n"


def test_small_neighbours_in_one_page_are_each_found_by_a_kernel():
    assert output(BINDINGS + """
        code = SourceModule("__global__ void put(int *p) { p[threadIdx.x] = 1; }")
        small = [int(must(cu.cuMemAllocManaged(100, 1))) for _ in range(3)]
        code.get_function("put")(np.uintp(small[2]), block=(25, 1, 1))
        cuda.Context.synchronize()
        print({address // PAGE for address in small} == {small[0] // PAGE}, managed.residency(small[0], 100)[0][2].since)
    """) == "True kernel put\n"


def test_managed_memory_beyond_the_machine_is_taken_by_the_page_and_filling_all_of_it_is_out_of_memory():
    assert output(BINDINGS + """
        large = int(must(cu.cuMemAllocManaged(1 << 42, 1)))
        ctypes.memset(large + (1 << 41), 7, 10)
        print(ctypes.string_at(large + (1 << 41), 11).hex(), cu.cuMemsetD8(large, 1, 1 << 42)[0].name)
        print(cu.cuMemFree(large)[0].name, cu.cuMemAllocManaged(1 << 47, 1)[0].name, cu.cuMemAllocManaged((1 << 64) - 1, 1)[0].name)
    """) == "0707070707070707070700 CUDA_ERROR_OUT_OF_MEMORY\nCUDA_SUCCESS CUDA_ERROR_OUT_OF_MEMORY CUDA_ERROR_OUT_OF_MEMORY\n"


def test_a_range_that_ends_where_all_addresses_end_is_overlooked_as_one_that_goes_round_is():
    """So did an H200 with driver 580."""
    assert output(BINDINGS + """
        b = int(must(cu.cuMemAllocManaged(4 << 20, 1)))
        for size in (1 << 64) - b - 1, (1 << 64) - b:
            print(cu.cuMemRangeGetAttribute(4, cu.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, b, size)[0].name)
    """) == "CUDA_ERROR_INVALID_VALUE\nCUDA_SUCCESS\n"


def test_the_first_index_of_a_batch_is_that_of_its_first_entry():
    """cuda.h, cuMemcpyBatchAsync and cuMemPrefetchBatchAsync: the first is 0, and they rise."""
    assert output("""
        from cuda.bindings import driver
        stream, there = driver.cuStreamCreate(0)[1], driver.CUmemLocation()
        there.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        order = driver.CUmemcpyAttributes()
        order.srcAccessOrder = driver.CUmemcpySrcAccessOrder.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM
        memory = [driver.CUdeviceptr(int(driver.cuMemAllocManaged(1 << 16, 1)[1])) for _ in range(3)]
        def copied(*indices):
            return driver.cuMemcpyBatchAsync(memory[1:], memory[:2], [64, 64], 2, len(indices) * [order], list(indices), len(indices), stream)[0]
        def prefetched(*indices):
            return driver.cuMemPrefetchBatchAsync(memory, 3 * [1 << 16], 3, len(indices) * [there], list(indices), len(indices), 0, stream)[0]
        print(*(answer.name.removeprefix("CUDA_") for answer in (
            copied(0), copied(0, 1), copied(1), prefetched(0), prefetched(0, 1, 2), prefetched(1), prefetched(0, 2, 1))))
    """) == "SUCCESS SUCCESS ERROR_INVALID_VALUE SUCCESS SUCCESS ERROR_INVALID_VALUE ERROR_INVALID_VALUE\n"
