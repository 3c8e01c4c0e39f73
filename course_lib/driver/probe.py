"""Find the machine's libcuda.so.1 and ask it for its first device.

A library that was loaded once stays in its process, and PyCUDA takes whichever libcuda.so.1 is
there. So `course_lib.driver` asks in a process of its own: it runs this file as a script, with the
libraries as arguments, and reads one line of JSON. So does the set-up, without arguments, to find
them too (tools/which_cuda.py). The file imports ctypes and little else, to start in a few
milliseconds.

Not here: which driver the course takes (__init__.py).
"""
import ctypes
import os
import re
import sys
from collections.abc import Callable

# Where a loader looks beside its cache (ld.so(8)), and where WSL 2 keeps Windows' driver.
USUAL_FOLDERS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/lib/wsl/lib")
LOADER_CACHE = "/etc/ld.so.cache"

# CUdevice_attribute: what tells whether the device is one like those that were recorded.
ATTRIBUTES = {"UNIFIED_ADDRESSING": 41, "PAGEABLE_MEMORY_ACCESS": 88, "CONCURRENT_MANAGED_ACCESS": 89,
              "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM": 91}


class NoDevice(Exception):
    """The library has no device that answers; the text says what it said instead."""


def libraries(left_out: Callable[[str], bool] = lambda path: False) -> list[str]:
    """Paths of every libcuda.so.1 that a program on this machine could load, the loader's first
    choice first.

    left_out: left_out(path) is true for what is none of them: the stand-in of the simulated driver,
              which has the same name.
    """
    folders = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    paths = [os.path.join(folder, "libcuda.so.1") for folder in folders]
    try:
        with open(LOADER_CACHE, "rb") as cache:    # the cache holds each library's path, ended by a zero byte
            paths += [os.fsdecode(path) for path in re.findall(rb"/[^\0]*/libcuda\.so\.1(?=\0)", cache.read())]
    except OSError:
        pass
    paths += [os.path.join(folder, "libcuda.so.1") for folder in USUAL_FOLDERS]
    path_of: dict[str, str] = {}
    for path in paths:
        target = os.path.realpath(path)
        if os.path.exists(target) and not left_out(target):
            path_of.setdefault(target, path)
    return list(path_of.values())


def first_device(library: ctypes.CDLL) -> dict:
    """What the ctypes `library` says of its device 0: name, compute capability, ATTRIBUTES, and the
    driver's CUDA version.

    Raises NoDevice, with the CUDA error's name where the library knows one.
    """
    def call(function: str, *arguments: object) -> None:
        try:
            result = getattr(library, function)(*arguments)
        except AttributeError:
            raise NoDevice(f"it has no {function}") from None
        if result != 0:
            name = ctypes.c_char_p()
            try:
                library.cuGetErrorName(result, ctypes.byref(name))
            except AttributeError:
                pass
            raise NoDevice(f"{function} answers {name.value.decode() if name.value else 'error'} ({result})")

    version, count, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(256)
    call("cuInit", 0)
    call("cuDeviceGetCount", ctypes.byref(count))
    if count.value == 0:
        raise NoDevice("it finds no device")
    device, value = ctypes.c_int(), ctypes.c_int()

    def attribute(number: int) -> int:
        call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
        return value.value

    call("cuDriverGetVersion", ctypes.byref(version))
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDeviceGetName", name, len(name), device)
    # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
    return {"device": name.value.decode(), "compute_capability": (attribute(75), attribute(76)),
            "attributes": {name: attribute(number) for name, number in ATTRIBUTES.items()},
            "cuda_version": (version.value // 1000, version.value % 1000 // 10)}


def first_answer(paths: list[str]) -> tuple[dict | None, list[tuple[str, str]]]:
    """Load the libraries at `paths` in turn, up to one with a device.

    Returns ``({"library": path, "device": ...}, refusals)``, or ``(None, refusals)`` where none has
    one; refusals is a list of ``(path, what it said)``.
    """
    refusals: list[tuple[str, str]] = []
    for path in paths:
        try:
            return {"library": path, **first_device(ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL))}, refusals
        except (OSError, NoDevice) as error:
            refusals.append((path, str(error)))
    return None, refusals


if __name__ == "__main__":
    import json
    print(json.dumps(first_answer(sys.argv[1:] or libraries())))
