"""Devices: how many, what they are called, every attribute."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers.calls import ask, must, name, outcome, raw

VARIES = ("PCI", "CLOCK_RATE", "NUMA", "MULTICAST", "HOST_NUMA_ID", "GPU_PCI")


@question("there is at least one device, and ordinals beyond the last are refused", needs=DRIVER)
def ordinals():
    count = must(cu.cuDeviceGetCount())
    yield "at least one", count >= 1
    yield "the first", outcome(cu.cuDeviceGet(0))
    yield "the last", outcome(cu.cuDeviceGet(count - 1)) == count - 1
    for label, ordinal in (("one beyond", count), ("-1", -1), ("1000", 1000)):
        yield label, ask(cu.cuDeviceGet(ordinal))
    yield "null output", lambda: raw("cuDeviceGet", None, ctypes.c_int(0))
    yield "count, null output", lambda: raw("cuDeviceGetCount", None)


def _value(number):
    out = ctypes.c_int(-12345)
    code = ctypes.CDLL("libcuda.so.1").cuDeviceGetAttribute(ctypes.byref(out), ctypes.c_int(number), ctypes.c_int(0))
    return name(code) if code else out.value


ATTRIBUTE_NAMES = {int(a): a.name.replace("CU_DEVICE_ATTRIBUTE_", "") for a in cu.CUdevice_attribute}


@question("every attribute of the device has a value; those that other GPUs differ in are many", needs=DRIVER,
          varies={str(number): "differs between machines" for number, text in ATTRIBUTE_NAMES.items()
                  if any(part in text for part in VARIES)})
def attributes():
    for number in range(0, 156):
        yield str(number), _value(number)


@question("attribute numbers and devices that do not exist are refused", needs=DRIVER)
def wrong_attributes():
    for number in (-1, 0, 200, 1000, 1 << 30):
        yield f"attribute {number}", _value(number)
    for ordinal in (-1, 99):
        for label, call in {"attribute": lambda d: cu.cuDeviceGetAttribute(cu.CUdevice_attribute(1), d),
                            "name": lambda d: cu.cuDeviceGetName(64, d), "memory": cu.cuDeviceTotalMem, "uuid": cu.cuDeviceGetUuid,
                            "capability": cu.cuDeviceComputeCapability, "bus": lambda d: cu.cuDeviceGetPCIBusId(64, d),
                            "pool": cu.cuDeviceGetDefaultMemPool}.items():
            yield f"{label} of device {ordinal}", ask(call(ordinal))
    yield "attribute, null output", lambda: raw("cuDeviceGetAttribute", None, ctypes.c_int(1), ctypes.c_int(0))


@question("names are cut to the room there is, with a terminating zero", needs=DRIVER,
          varies={"0": "no room for the zero: not defined", "-1": "taken for a very large number, or refused"})
def names():
    library = ctypes.CDLL("libcuda.so.1")
    full = must(cu.cuDeviceGetName(100, 0)).split(b"\0")[0]
    for room in (1, 2, 5, 64, 0, -1):
        yield f"{room}", lambda: _cut_name(room, full)
    for room in (-1, 0, 1, 5, 12, 13, 14, 64):
        buffer = ctypes.create_string_buffer(b"\xee" * 100, 100)
        yield f"bus, {room}", lambda: name(library.cuDeviceGetPCIBusId(buffer, ctypes.c_int(room), ctypes.c_int(0)))
    yield "null name", lambda: raw("cuDeviceGetName", None, ctypes.c_int(10), ctypes.c_int(0))


def _cut_name(room, full):
    buffer = ctypes.create_string_buffer(b"\xee" * 100, 100)
    code = ctypes.CDLL("libcuda.so.1").cuDeviceGetName(buffer, ctypes.c_int(room), ctypes.c_int(0))
    return [name(code), buffer.raw.split(b"\0")[0] == full[:max(room - 1, 0)], b"\0" in buffer.raw]


@question("a device is found again by its bus", needs=DRIVER)
def bus():
    bus_id = must(cu.cuDeviceGetPCIBusId(64, 0)).split(b"\0")[0]
    yield "length", len(bus_id)
    yield "found", outcome(cu.cuDeviceGetByPCIBusId(bus_id))
    yield "without the domain", outcome(cu.cuDeviceGetByPCIBusId(bus_id.partition(b":")[2]))
    yield "without the function", outcome(cu.cuDeviceGetByPCIBusId(bus_id.partition(b".")[0]))
    yield "lower case", outcome(cu.cuDeviceGetByPCIBusId(bus_id.lower()))
    yield "another", ask(cu.cuDeviceGetByPCIBusId(b"ffff:ff:1f.0"))
    yield "words", ask(cu.cuDeviceGetByPCIBusId(b"hello"))
    yield "empty", ask(cu.cuDeviceGetByPCIBusId(b""))


@question("what the device is", needs=DRIVER, varies="other GPUs differ")
def what():
    yield "name", must(cu.cuDeviceGetName(100, 0)).split(b"\0")[0].decode()
    yield "total memory", outcome(cu.cuDeviceTotalMem(0))
    yield "capability", outcome(cu.cuDeviceComputeCapability(0))
    context = must(cu.cuCtxCreate(None, 0, 0))
    yield "memory in a fresh context", outcome(cu.cuMemGetInfo())
    must(cu.cuCtxDestroy(context))


@question("a device tells the width of textures, and no number that Windows alone has", needs=DRIVER)
def affinity():
    yield "texture width", ask(cu.cuDeviceGetTexture1DLinearMaxWidth(cu.CUarray_format(1), 1, 0))
    yield "luid", ask(cu.cuDeviceGetLuid(0))


@question("a device is not its own peer", needs=DRIVER)
def peers():
    yield "can access itself", outcome(cu.cuDeviceCanAccessPeer(0, 0))
    yield "can access device 99", ask(cu.cuDeviceCanAccessPeer(0, 99))
    for number in range(1, 5):
        yield f"attribute {number}", outcome(cu.cuDeviceGetP2PAttribute(cu.CUdevice_P2PAttribute(number), 0, 0))
    yield "attribute to device 99", ask(cu.cuDeviceGetP2PAttribute(cu.CUdevice_P2PAttribute(1), 0, 99))
    first = must(cu.cuCtxCreate(None, 0, 0))
    second = must(cu.cuCtxCreate(None, 0, 0))
    yield "enable to a context of the same device", ask(cu.cuCtxEnablePeerAccess(first, 0))
    yield "enable to itself", ask(cu.cuCtxEnablePeerAccess(second, 0))
    yield "enable to null", ask(cu.cuCtxEnablePeerAccess(0, 0))
    yield "enable with flags", ask(cu.cuCtxEnablePeerAccess(first, 1))
    yield "disable to a context of the same device", ask(cu.cuCtxDisablePeerAccess(first))
    yield "disable to itself", ask(cu.cuCtxDisablePeerAccess(second))
    yield "disable to null", ask(cu.cuCtxDisablePeerAccess(0))


@question("devices: names, numbers and what peers could do")
def names_and_peers():
    yield "uuid is not nothing", any(must(cu.cuDeviceGetUuid(0)).bytes)
    for number in range(1, 6):
        try:
            kind = cu.CUdevice_P2PAttribute(number)
        except ValueError:
            continue
        yield f"peer attribute {number} of a device and itself", outcome(cu.cuDeviceGetP2PAttribute(kind, 0, 0))
        yield f"peer attribute {number} of a device that is not there", outcome(cu.cuDeviceGetP2PAttribute(kind, 0, 9))
    yield "loading mode", outcome(cu.cuModuleGetLoadingMode())
    yield "texture width", lambda: outcome(cu.cuDeviceGetTexture1DLinearMaxWidth(cu.CUarray_format(0x20), 1, 0))
    yield "texture width, four channels", lambda: outcome(cu.cuDeviceGetTexture1DLinearMaxWidth(cu.CUarray_format(0x20), 4, 0))
    yield "texture width, bytes", lambda: outcome(cu.cuDeviceGetTexture1DLinearMaxWidth(cu.CUarray_format(1), 1, 0))
    yield "texture width, three channels", lambda: outcome(cu.cuDeviceGetTexture1DLinearMaxWidth(cu.CUarray_format(0x20), 3, 0))
    for target in (0, 1):
        for scope in (100, 200, 5):
            yield f"flush writes to {target}, scope {scope}", lambda: raw("cuFlushGPUDirectRDMAWrites", ctypes.c_int(target), ctypes.c_int(scope))
