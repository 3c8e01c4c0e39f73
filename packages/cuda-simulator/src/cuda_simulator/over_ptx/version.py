"""PTX that stands for machine code, of whatever CUDA 13 it comes from.

A driver refuses PTX of a newer CUDA than its own, with CUDA_ERROR_UNSUPPORTED_PTX_VERSION, and runs machine code of it (CUDA
Compatibility guide, "Minor Version Compatibility"). Where PTX stands for machine code, its ``.version`` is therefore what this driver
knows. An instruction that this driver does not know is still refused when the module is loaded.
"""
import re

NEWEST = 9, 0       # the driver's: device/modules.py refuses what is newer
_NEWER = re.compile(rb"^(\s*\.version\s+)(\d+)\.(\d+)", re.MULTILINE)


def lowered(ptx):
    """PTX, as bytes, of the same length: a newer version of the driver's own major one is the driver's."""
    def lower(directive):
        major, minor = NEWEST
        newer = int(directive[2]) == major and int(directive[3]) > minor
        return b"%s%d.%s" % (directive[1], major, str(minor).encode().ljust(len(directive[3]))) if newer else directive[0]
    return _NEWER.sub(lower, bytes(ptx), count=1)
