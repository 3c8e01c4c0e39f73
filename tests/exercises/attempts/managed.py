"""Attempts at the exercises of "Memory that moves"."""
from . import change, right, wrong

ATTRIBUTE = "from cuda.bindings import driver as cu\nLAST = cu.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION\n"
PLACES = ATTRIBUTE + "def last_places(address, pages):\n"
NAMED = '{-1: "host", -2: None}.get(place, "device")'
ADVISE = "from course_lib import managed\nPAGE = managed.PAGE\ndef advise_table(address, nbytes):\n"
TOUCH = "from cuda.bindings import driver as cu\nA = cu.CUpointer_attribute\ndef host_may_touch(address, kernel_runs, concurrent):\n"

ATTEMPTS = {
    "last-places": (
        wrong("a generator, which is read when the memory is gone", "make a list of it", change(
            "        found.append({-1: \"host\", -2: None}.get(place, \"device\"))", "        yield {-1: \"host\", -2: None}.get(place, \"device\")",
            "    return found", "")),
        wrong("0 counts as never", "'host'", PLACES + """
    numbers = [cu.cuMemRangeGetAttribute(4, LAST, address + 4096 * page, 4096)[1] for page in range(pages)]
    return ["device" if number else "host" if number == -1 else None for number in numbers]"""),
        right("a comprehension", PLACES + """
    numbers = [cu.cuMemRangeGetAttribute(4, LAST, address + 4096 * page, 4096)[1] for page in range(pages)]
    return ["device" if number >= 0 else "host" if number == -1 else None for number in numbers]"""),
        right("if, elif, else", PLACES + """
    result = []
    for start in range(address, address + pages * 4096, 4096):
        error, number = cu.cuMemRangeGetAttribute(4, LAST, start, 4096)
        if number == -1:
            result.append("host")
        elif number == -2:
            result.append(None)
        else:
            result.append("device")
    return result"""),
        right("a byte of each page", change("address + page * 4096, 4096)", "address + page * 4096, 1)")),
        right("the last byte of each page", change("address + page * 4096, 4096)", "address + page * 4096 + 4095, 1)")),
        right("a tuple", change("return found", "return tuple(found)")),
        right("the helper of the course", "from course_lib import managed\n" + """
def last_places(address, pages):
    names = {"device 0": "device", "host": "host", None: None}
    return [names[said.last_prefetch] for said in managed.facts((address, pages * managed.PAGE))]"""),
        right("while", PLACES + """
    places = []
    while len(places) < pages:
        _, number = cu.cuMemRangeGetAttribute(4, LAST, address, 4096)
        places += [None if number == -2 else "host" if number == -1 else "device"]
        address += 4096
    return places"""),
        right("the plural call", PLACES + """
    found = []
    for page in range(pages):
        error, (number,) = cu.cuMemRangeGetAttributes([4], [LAST], 1, address + 4096 * page, 4096)
        found.append("device" if number == 0 else None if number == -2 else "host")
    return found"""),
        right("an index into a list", change(NAMED, '["device", None, "host"][place]')),
        right("a generator that is listed", PLACES + """
    def each():
        for page in range(pages):
            yield cu.cuMemRangeGetAttribute(4, LAST, address + (page << 12), 4096)[1]
    return [None if n < -1 else "host" if n < 0 else "device" for n in each()]"""),
        wrong("one call for all", "You ask about all pages at once", PLACES + """
    error, place = cu.cuMemRangeGetAttribute(4, LAST, address, 4096 * pages)
    return [{0: "device", -1: "host", -2: None}[place]] * pages"""),
        wrong("never is the host, with a loop", "two negative numbers", PLACES + """
    result = []
    for page in range(pages):
        place = cu.cuMemRangeGetAttribute(4, LAST, address + page * 4096, 4096)[1]
        if place == 0:
            result.append("device")
        else:
            result.append("host")
    return result"""),
        wrong("device 1", "counts as false", change(NAMED, '{-1: "host", 1: "device"}.get(place)')),
        wrong("host and device exchanged",
              "exchanged host and device", change(NAMED, '{-1: "device", 0: "host", -2: None}[place]')),
        wrong("ranges that grow",
              "all begin at the first page", change("address + page * 4096, 4096)", "address, 4096 * (page + 1))")),
        wrong("one page too far", "a page too far", change("address + page * 4096", "address + 4096 + page * 4096")),
        wrong("numbers", "", change(NAMED, "place")),
        wrong("texts for never", "", change("-2: None", '-2: "never"')),
        wrong("GPU and CPU", "", change('"host"', '"CPU"', '"device"', '"GPU"')),
        wrong("the error is taken along", "", PLACES + """
    return [cu.cuMemRangeGetAttribute(4, LAST, address + 4096 * page, 4096) for page in range(pages)]"""),
        wrong("no return", "no `return` with a value", change("    return found", "    found")),
        wrong("all from the device", "", PLACES + '    return ["device"] * pages'),
        wrong("hard-coded", "", PLACES + '    return ["device", None, "host"][:pages]'),
    ),
    "own-pages": (
        wrong("every exception swallowed", "passes over whatever is raised", """
from course_lib import managed
def advise_table(address, nbytes):
    try:
        managed.advise((address - address % 4096 + 4096, nbytes - 8192), "read_mostly")
    except Exception:
        pass"""),
        right("math.ceil", "import math\n" + ADVISE + """
    first, end = math.ceil(address / PAGE), (address + nbytes) // PAGE
    if end > first:
        managed.advise((first * PAGE, (end - first) * PAGE), "read_mostly")"""),
        right("page by page", ADVISE + """
    for start in range(-(-address // PAGE) * PAGE, address + nbytes, PAGE):
        if start + PAGE <= address + nbytes:
            managed.advise((start, PAGE), "read_mostly")"""),
        right("every page is asked", ADVISE + """
    for page in range(address // PAGE, (address + nbytes) // PAGE + 1):
        if page * PAGE >= address and (page + 1) * PAGE <= address + nbytes:
            managed.advise((page * PAGE, PAGE), "read_mostly")"""),
        right("bits", ADVISE + """
    start, stop = address + 4095 & ~4095, address + nbytes & ~4095
    if stop > start:
        managed.advise((start, stop - start), "read_mostly")"""),
        right("the remainder is cut", ADVISE + """
    before = -address % PAGE
    size = (nbytes - before) // PAGE * PAGE
    if size > 0:
        managed.advise((address + before, size), "read_mostly")"""),
        right("cu.cuMemAdvise by itself", "from cuda.bindings import driver as cu\n" + ADVISE + """
    first, end = -(-address // PAGE) * PAGE, (address + nbytes) // PAGE * PAGE
    if first < end:
        advise, place = getattr(cu, "cuMemAdvise_v2", cu.cuMemAdvise), cu.CUmemLocation()
        place.type, place.id = cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, 0
        advise(first, end - first, cu.CUmem_advise.CU_MEM_ADVISE_SET_READ_MOSTLY, place)"""),
        right("one byte of each page", ADVISE + """
    for page in range(-(-address // PAGE), (address + nbytes) // PAGE):
        managed.advise((page * PAGE + 5, 1), "read_mostly")"""),
        right("all, and the borders taken back", ADVISE + """
    managed.advise((address, nbytes), "read_mostly")
    end = address + nbytes
    if address % PAGE:
        managed.withdraw((address, 1), "read_mostly")
    if end % PAGE:
        managed.withdraw((end - 1, 1), "read_mostly")"""),
        right("the exception is the answer", ADVISE + """
    first, end = -(-address // PAGE) * PAGE, (address + nbytes) // PAGE * PAGE
    try:
        managed.advise((first, end - first), "read_mostly")
    except ValueError:
        pass"""),
        right("it returns something", change('"read_mostly")', '"read_mostly")\n    return first, end')),
        wrong("as it is", "every page that the table touches", ADVISE + '    managed.advise((address, nbytes), "read_mostly")'),
        wrong("rounded outwards", "every page that the table touches", ADVISE + """
    first = address // PAGE
    last = (address + nbytes - 1) // PAGE
    managed.advise((first * PAGE, (last - first + 1) * PAGE), "read_mostly")"""),
        wrong("end up", "round the end up", change("(address + nbytes) // managed.PAGE * managed.PAGE",
                                                   "(address + nbytes + 4095) // managed.PAGE * managed.PAGE")),
        wrong("without the last page", "You leave out the last page", change(
            "(address + nbytes) // managed.PAGE * managed.PAGE", "(address + nbytes - 4096) // managed.PAGE * managed.PAGE")),
        wrong("the last byte is forgotten",
              "You leave out the last page", change("(address + nbytes) //", "(address + nbytes - 1) //")),
        wrong("no advice of that name", "", change('"read_mostly"', '"readmostly"')),
        wrong("nothing is called",
              "In the end no page is advised", ADVISE + "    first, end = -(-address // PAGE) * PAGE, (address + nbytes) // PAGE * PAGE"),
        wrong("numbers of pages, not addresses", "", ADVISE + """
    first, end = -(-address // PAGE), (address + nbytes) // PAGE
    if first < end:
        managed.advise((first, end - first), "read_mostly")"""),
    ),
    "host-may-touch": (
        right("one expression", TOUCH + """
    found = [cu.cuPointerGetAttribute(a, address) for a in (A.CU_POINTER_ATTRIBUTE_HOST_POINTER, A.CU_POINTER_ATTRIBUTE_IS_MANAGED)]
    return found[0][0] == 0 and (not found[1][1] or not kernel_runs or concurrent)"""),
        right("early returns", TOUCH + """
    if int(cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)[0]) != 0:
        return False
    if not kernel_runs or concurrent:
        return True
    return not cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)[1]"""),
        wrong("the memory type, for what is not managed", "Memory type 1 means", TOUCH + """
    error, is_managed = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
    if is_managed:
        return concurrent or not kernel_runs
    return cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)[1] == cu.CUmemorytype.CU_MEMORYTYPE_HOST"""),
        right("the pointers of the course", "from course_lib import pointers\n" + TOUCH + """
    if not pointers.host_pointer_for(address):
        return False
    return pointers.facts(address).kind is not pointers.Kind.MANAGED or not kernel_runs or concurrent"""),
        right("the name of the error", change("error != cu.CUresult.CUDA_SUCCESS", 'error.name != "CUDA_SUCCESS"')),
        wrong("managed by another question", "Memory type 1 means", TOUCH + """
    pinned = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)[1] == 1
    host = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)[0] == 0
    return bool(pinned or host and (concurrent or not kernel_runs))"""),
        right("sorted by state", TOUCH + """
    host = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)[0] == 0
    managed = bool(cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)[1])
    if kernel_runs and not concurrent:
        return host and not managed
    return host"""),
        right("bool in a match", TOUCH + """
    error, _ = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)
    _, managed = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
    alone = kernel_runs and not concurrent
    return error == cu.CUresult.CUDA_SUCCESS and not (alone and managed)"""),
        wrong("HOST_POINTER alone", "always has a host pointer", TOUCH + """
    error, _ = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)
    return error == cu.CUresult.CUDA_SUCCESS"""),
        wrong("the memory type", "Managed memory has memory type 2", TOUCH + """
    error, kind = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return kind == cu.CUmemorytype.CU_MEMORYTYPE_HOST"""),
        wrong("the memory type, with a guard", "Managed memory has memory type 2", TOUCH + """
    error, kind = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    if error != cu.CUresult.CUDA_SUCCESS:
        return False
    return int(kind) == 1"""),
        wrong("no HOST_POINTER", "Device memory has no host pointer", TOUCH + """
    _, managed = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
    return not managed or not kernel_runs or concurrent"""),
        wrong("the forward call, by its name", "The forward call refuses managed", TOUCH + """
    error, device = cu.cuMemHostGetDevicePointer(address, 0)
    return error.name == "CUDA_SUCCESS\""""),
        wrong("not forgotten", "the other way round", change("return not (is_managed", "return bool(is_managed", )),
        wrong("only managed memory", "forget pinned and registered memory", TOUCH + """
    _, managed = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
    return bool(managed) and (concurrent or not kernel_runs)"""),
        wrong("or for and", "", change("is_managed and kernel_runs", "is_managed or kernel_runs")),
        wrong("the tuple is compared", "", TOUCH + """
    host = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_HOST_POINTER, address) == 0
    return host and (not kernel_runs or concurrent)"""),
        wrong("True", "", TOUCH + "    return True"),
        wrong("False", "", TOUCH + "    return False"),
        wrong("no return",
              "no `return` with a value", change("    return not (", "    not (", "        return False", "        pass")),
        wrong("1 and 0", "", change("return not (is_managed and kernel_runs and not concurrent)",
                                    "return int(not (is_managed and kernel_runs and not concurrent))")),
        wrong("yes and no", "", change("return not (is_managed and kernel_runs and not concurrent)",
                                       'return "no" if is_managed and kernel_runs and not concurrent else "yes"', "return False", 'return "no"')),
    ),
}
