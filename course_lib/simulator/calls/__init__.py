"""The driver API: one module for each section of cuda.h, one function for each function that is simulated.

The functions translate between C and the objects of the simulator; they check arguments in the order in which
an H200's driver was seen to check them. A function of cuda.h that none of these modules has answers
CUDA_ERROR_NOT_SUPPORTED.
"""
from . import (
               context,
               copies,
               device,
               general,
               host_memory,
               launch,
               legacy_launch,
               libraries,
               managed,
               memory,
               modules,
               pointers,
               pools,
               streams,
               virtual_memory,
)

__all__ = ["context", "copies", "device", "general", "host_memory", "launch", "legacy_launch", "libraries", "managed",
           "memory", "modules", "pointers", "pools", "streams", "virtual_memory"]
