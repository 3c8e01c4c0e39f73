"""Libraries named libcuda.so.1 that behave as a test wants, compiled from a few lines of C."""
import subprocess


def device(cuda_version=(13, 1), compute_capability=(8, 6)):
    """A library that answers no more than the questions of course_lib/driver/probe.py: a driver of this CUDA, with this GPU."""
    (version, release), (major, minor) = cuda_version, compute_capability
    return f"""
#include <string.h>
int cuInit(unsigned flags) {{ return 0; }}
int cuDriverGetVersion(int *version) {{ *version = {1000 * version + 10 * release}; return 0; }}
int cuDeviceGetCount(int *count) {{ *count = 1; return 0; }}
int cuDeviceGet(int *device, int ordinal) {{ *device = ordinal; return 0; }}
int cuDeviceGetName(char *name, int length, int device) {{ strcpy(name, "Fake GPU"); return 0; }}
int cuDeviceGetAttribute(int *value, int attribute, int device) {{ *value = attribute == 75 ? {major} : {minor}; return 0; }}
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
