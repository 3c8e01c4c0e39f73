"""Libraries named libcuda.so.1 that behave as a test wants, compiled from a few lines of C."""
import subprocess

from course_lib.driver.probe import ATTRIBUTES


def device(cuda_version=(13, 1), compute_capability=(8, 6), **attributes):
    """A library that answers no more than the questions of course_lib/driver/probe.py: a driver of this CUDA, with this GPU, which is as
    an H200 but for these attributes, by their names there."""
    (version, release), (major, minor) = cuda_version, compute_capability
    values = {number: attributes.get(name, int(name != "PAGEABLE_MEMORY_ACCESS")) for name, number in ATTRIBUTES.items()}
    cases = " ".join(f"case {number}: *value = {value}; break;" for number, value in {75: major, 76: minor, **values}.items())
    return f"""
#include <string.h>
int cuInit(unsigned flags) {{ return 0; }}
int cuDriverGetVersion(int *version) {{ *version = {1000 * version + 10 * release}; return 0; }}
int cuDeviceGetCount(int *count) {{ *count = 1; return 0; }}
int cuDeviceGet(int *device, int ordinal) {{ *device = ordinal; return 0; }}
int cuDeviceGetName(char *name, int length, int device) {{ strcpy(name, "Fake GPU"); return 0; }}
int cuDeviceGetAttribute(int *value, int attribute, int device) {{
    switch (attribute) {{ {cases} default: return 1; }}
    return 0;
}}
"""


DEVICE = device()
NO_DEVICE = """
int cuInit(unsigned flags) { return 100; }
int cuGetErrorName(int error, const char **name) { *name = "CUDA_ERROR_NO_DEVICE"; return 0; }
"""
CRASHES = "int cuInit(unsigned flags) { return *(volatile int *)0; }"
HANGS = """
#include <unistd.h>
int cuInit(unsigned flags) { sleep(60); return 0; }
"""


def build(folder, source):
    """Compile `source` into folder/libcuda.so.1; returns the folder's name, for LD_LIBRARY_PATH."""
    folder.mkdir()
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-",
                    "-o", folder / "libcuda.so.1"], input=source, text=True, check=True)
    return str(folder)
