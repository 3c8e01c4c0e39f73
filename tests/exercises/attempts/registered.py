"""Attempts at the exercises of "Registered memory"."""
from . import change, right, wrong

DRIVER = "from cuda.bindings import driver as cu\n"
ANSWER = DRIVER + "def answer_of(address, nbytes):\n"
DRIVER = "from cuda.bindings import driver as cu\nA = cu.CUpointer_attribute\n"
REGISTER = DRIVER + "START = A.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR\ndef register_anyway(address, nbytes):\n"

ATTEMPTS = {
    "leave-no-trace": (
        right("the error first", ANSWER + """
    error = cu.cuMemHostRegister(address, nbytes, 0)[0]
    if not error:
        cu.cuMemHostUnregister(address)
    return error.name"""),
        right("by the name", ANSWER + """
    (error,) = cu.cuMemHostRegister(address, nbytes, 0)
    name = error.name
    if name == "CUDA_SUCCESS":
        cu.cuMemHostUnregister(address)
    return name"""),
        right("an early return", ANSWER + """
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    if error != cu.CUresult.CUDA_SUCCESS:
        return error.name
    cu.cuMemHostUnregister(address)
    return "CUDA_SUCCESS\""""),
        right("the driver's own text", ANSWER + """
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    if error == 0:
        cu.cuMemHostUnregister(address)
    return cu.cuGetErrorName(error)[1].decode()"""),
        right("the notebook's function", DRIVER + """
def try_register(address, nbytes, flags=0):
    return cu.cuMemHostRegister(address, nbytes, flags)[0].name

def answer_of(address, nbytes):
    answer = try_register(address, nbytes)
    if answer == "CUDA_SUCCESS":
        cu.cuMemHostUnregister(address)
    return answer"""),
        right("the course's exception", "from course_lib.core.errors import CudaError, ask\n" + ANSWER + """
    try:
        ask(cu.cuMemHostRegister, address, nbytes, 0)
    except CudaError as error:
        return error.name
    ask(cu.cuMemHostUnregister, address)
    return "CUDA_SUCCESS\""""),
        wrong("left registered", "stays registered", ANSWER + "    return cu.cuMemHostRegister(address, nbytes, 0)[0].name"),
        wrong("undone behind the return", "stays registered", ANSWER + """
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    return error.name
    cu.cuMemHostUnregister(address)"""),
        wrong("undone by another call", "stays registered", change("cu.cuMemHostUnregister", "cu.cuMemFreeHost")),
        wrong("undone first, to be on the safe side", "", ANSWER + """
    cu.cuMemHostUnregister(address)
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(address)
    return error.name"""),
        wrong("the error the wrong way round",
              "the other way round", change("== cu.CUresult.CUDA_SUCCESS", "!= cu.CUresult.CUDA_SUCCESS")),
        wrong("its text", "", change("error.name", "str(error)")),
        wrong("the answer of undoing", "*unregistering*", ANSWER + """
    cu.cuMemHostRegister(address, nbytes, 0)
    error, = cu.cuMemHostUnregister(address)
    return error.name"""),
        wrong("flags for a question", "guess what registering would answer", ANSWER + """
    error, _ = cu.cuMemHostGetFlags(address)
    return "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" if not error else "CUDA_SUCCESS\""""),
        wrong("forward for a question", "guess what registering would answer", ANSWER + """
    error, _ = cu.cuMemHostGetDevicePointer(address, 0)
    return "CUDA_SUCCESS" if error else "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED\""""),
        wrong("every byte asked", "", ANSWER + """
    known = any(not cu.cuMemHostGetFlags(byte)[0] for byte in range(address, address + nbytes))
    return "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" if known else "CUDA_SUCCESS\""""),
        wrong("without CUDA_",
              "begins with `CUDA_`", change("error.name", "error.name.replace('CUDA_', '').replace('ERROR_', '')")),
        wrong("one byte", "", change("nbytes, 0)", "1, 0)")),
        wrong("SUCCESS always", "the same every time", ANSWER + "    return 'CUDA_SUCCESS'"),
        wrong("True or False", "", change("error.name", "error == cu.CUresult.CUDA_SUCCESS")),
        wrong("no return", "no `return` with a value", change("    return error.name\n", "")),
        wrong("device memory's call", "", change("cu.cuMemHostRegister(address, nbytes, 0)", "cu.cuMemFreeHost(address)")),
        wrong("read only", "", change("nbytes, 0)", "nbytes, 4)")),
        right("unregister in a conditional with the enum's value", ANSWER + """
    (result,) = cu.cuMemHostRegister(address, nbytes, 0)
    if not int(result):
        cu.cuMemHostUnregister(address)
    return result.name"""),
        right("the answer of unregistering, where both succeed", ANSWER + """
    error = cu.cuMemHostRegister(address, nbytes, 0)[0]
    if error == cu.CUresult.CUDA_SUCCESS:
        error = cu.cuMemHostUnregister(address)[0]
    return error.name"""),
    ),
    "stale-registration": (
        right("a set of starts", REGISTER + """
    asked = [cu.cuPointerGetAttribute(START, page) for page in range(address, address + nbytes, 4096)]
    for start in {int(start) for error, start in asked if not error}:
        cu.cuMemHostUnregister(start)
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        right("cuMemGetAddressRange", REGISTER + """
    for page in range(address, address + nbytes, 4096):
        error, start, size = cu.cuMemGetAddressRange(page)
        if error == 0:
            cu.cuMemHostUnregister(int(start))
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        right("by the number of the page", REGISTER + """
    for n in range(nbytes // 4096):
        error, start = cu.cuPointerGetAttribute(START, address + n * 4096)
        if error.value == 0:
            cu.cuMemHostUnregister(int(start))
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        right("a while over the pages", REGISTER + """
    page = address
    while page < address + nbytes:
        error, start = cu.cuPointerGetAttribute(START, page)
        if not error:
            cu.cuMemHostUnregister(int(start))
        page += 4096
    return cu.cuMemHostRegister(address, nbytes, 0)[0].name"""),
        right("as long as the error comes", REGISTER + """
    while cu.cuMemHostRegister(address, nbytes, 0)[0] == cu.CUresult.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
        for page in range(address, address + nbytes, 4096):
            error, start = cu.cuPointerGetAttribute(START, page)
            if error == cu.CUresult.CUDA_SUCCESS:
                cu.cuMemHostUnregister(int(start))
                break"""),
        right("only where the error comes", REGISTER + """
    if cu.cuMemHostRegister(address, nbytes, 0)[0] == 0:
        return
    for page in range(address, address + nbytes, 4096):
        error, start = cu.cuPointerGetAttribute(START, page)
        if error == cu.CUresult.CUDA_SUCCESS:
            cu.cuMemHostUnregister(int(start))
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        right("the exception passed over", REGISTER + """
    for page in range(address, address + nbytes, 4096):
        try:
            cu.cuMemHostUnregister(int(cu.cuPointerGetAttribute(START, page)[1]))
        except TypeError:
            pass
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        right("backwards", REGISTER + """
    for page in reversed(range(address, address + nbytes, 4096)):
        error, start = cu.cuPointerGetAttribute(START, page)
        if error == cu.CUresult.CUDA_SUCCESS:
            cu.cuMemHostUnregister(int(start))
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        right("each byte's", REGISTER + """
    for byte in range(address, address + nbytes, 512):
        error, start = cu.cuPointerGetAttribute(START, byte)
        if error == cu.CUresult.CUDA_SUCCESS:
            cu.cuMemHostUnregister(int(start))
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        right("down from each page", REGISTER + """
    for page in range(address, address + nbytes, 4096):
        while cu.cuMemHostGetFlags(page)[0] == 0:
            if cu.cuMemHostUnregister(page)[0] == 0:
                break
            page -= 4096
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        right("portable", change("nbytes, 0)", "nbytes, cu.CU_MEMHOSTREGISTER_PORTABLE)")),
        wrong("registered only", "nothing but say so", REGISTER + "    cu.cuMemHostRegister(address, nbytes, 0)"),
        wrong("the error looked at, and told", "nothing but say so", REGISTER + """
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    if error:
        print(error.name)"""),
        wrong("this address unregistered", "may begin elsewhere", REGISTER + """
    cu.cuMemHostUnregister(address)
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        wrong("unregistered on error", "may begin elsewhere", REGISTER + """
    if cu.cuMemHostRegister(address, nbytes, 0)[0] != 0:
        cu.cuMemHostUnregister(address)
        cu.cuMemHostRegister(address, nbytes, 0)"""),
        wrong("each page unregistered", "not a page within", REGISTER + """
    for page in range(address, address + nbytes, 4096):
        cu.cuMemHostUnregister(page)
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        wrong("the first page only", "further on", REGISTER + """
    error, start = cu.cuPointerGetAttribute(START, address)
    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(int(start))
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        wrong("a while on the first page", "further on", REGISTER + """
    while cu.cuPointerGetAttribute(START, address)[0] == 0:
        cu.cuMemHostUnregister(int(cu.cuPointerGetAttribute(START, address)[1]))
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        wrong("the first and the last page", "", REGISTER + """
    for page in (address, address + nbytes - 4096):
        error, start = cu.cuPointerGetAttribute(START, page)
        if error == cu.CUresult.CUDA_SUCCESS:
            cu.cuMemHostUnregister(int(start))
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        wrong("a break after the first", "", change("(int(start))", "(int(start))\n            break")),
        wrong("the last page left out", "", change("address + nbytes, 4096)", "address + nbytes - 4096, 4096)")),
        wrong("pages far around", "beside", REGISTER + """
    for page in range(address - 2 * 4096, address + nbytes + 3 * 4096, 4096):
        cu.cuMemHostUnregister(page)
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        wrong("a range that ends at nbytes", "nothing but say so", change("address + nbytes, 4096)", "nbytes, 4096)")),
        wrong("offsets for addresses",
              "nothing but say so", change("range(address, address + nbytes, 4096)", "range(0, nbytes, 4096)")),
        wrong("not registered", "not registered at the end", REGISTER + """
    for page in range(address, address + nbytes, 4096):
        error, start = cu.cuPointerGetAttribute(START, page)
        if error == cu.CUresult.CUDA_SUCCESS:
            cu.cuMemHostUnregister(int(start))"""),
        wrong("each page registered", "each page by itself", REGISTER + """
    for page in range(address, address + nbytes, 4096):
        error, start = cu.cuPointerGetAttribute(START, page)
        if error == cu.CUresult.CUDA_SUCCESS:
            cu.cuMemHostUnregister(int(start))
    for page in range(address, address + nbytes, 4096):
        cu.cuMemHostRegister(page, 4096, 0)"""),
        wrong("registered in the loop", "as one range", REGISTER + """
    for page in range(address, address + nbytes, 4096):
        error, start = cu.cuPointerGetAttribute(START, page)
        if error == cu.CUresult.CUDA_SUCCESS:
            cu.cuMemHostUnregister(int(start))
        cu.cuMemHostRegister(page, 4096, 0)"""),
        wrong("what lacks is added", "", REGISTER + """
    for page in range(address, address + nbytes, 4096):
        if cu.cuMemHostGetFlags(page)[0] != 0:
            cu.cuMemHostRegister(page, 4096, 0)"""),
        wrong("the error is not looked at", "no answer", REGISTER + """
    for page in range(address, address + nbytes, 4096):
        cu.cuMemHostUnregister(int(cu.cuPointerGetAttribute(START, page)[1]))
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        wrong("nbytes in pages", "", change("Register(address, nbytes, 0)", "Register(address, nbytes // 4096, 0)")),
        wrong("turned round", "nothing but say so", change("error == cu.", "error != cu.", "int(start)", "page")),
        right("collect starts in a set, then unregister", """
from cuda.bindings import driver as cu
START = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR

def register_anyway(address, nbytes):
    starts = set()
    for page in range(address, address + nbytes, 4096):
        error, start = cu.cuPointerGetAttribute(START, page)
        if error == 0:
            starts.add(int(start))
    for start in starts:
        cu.cuMemHostUnregister(start)
    cu.cuMemHostRegister(address, nbytes, 0)"""),
        right("again until nothing stands in the way", """
from cuda.bindings import driver as cu
START = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR

def register_anyway(address, nbytes):
    page = address
    while cu.cuMemHostRegister(address, nbytes, 0)[0] != cu.CUresult.CUDA_SUCCESS:
        error, start = cu.cuPointerGetAttribute(START, page)
        if not error:
            cu.cuMemHostUnregister(int(start))
        page += 4096"""),
    ),
    "register-order": (
        *(right("an order that works", order) for order in (
            "register translate allocate copy free unregister", "allocate register translate copy free unregister",
            "register allocate translate copy free unregister", "register translate allocate copy unregister free",
            "register, allocate, translate, copy, unregister, free",
            ["allocate", "register", "translate", "copy", "unregister", "free"])),
        wrong("translated first", "Before it is registered", "allocate translate register copy free unregister"),
        wrong("translated at once", "Before it is registered", "translate allocate register copy unregister free"),
        wrong("copied first", "nothing to copy to yet", "copy register translate allocate free unregister"),
        wrong("unregistered early", "good for nothing", "allocate register translate unregister copy free"),
        wrong("freed early", "good for nothing", "register allocate translate free copy unregister"),
        wrong("unregistered before it is registered", "cannot be unregistered",
              "allocate unregister register translate copy free"),
        wrong("nothing to copy to", "nothing to copy to yet", "register translate copy free allocate unregister"),
        wrong("freed before it is allocated", "nothing to free yet", "register free translate allocate copy unregister"),
        wrong("unregistered, then translated", "Ask while it is registered", "allocate register unregister translate copy free"),
        wrong("backwards", "", "unregister free copy allocate translate register"),
        wrong("a line missing", "is missing", "register translate allocate copy free"),
        wrong("a line twice", "more than once", "register translate allocate copy copy free unregister"),
        wrong("another name", "There is no line", "register translate alloc copy free unregister"),
    ),
}
