"""The driver API: one module for each section of cuda.h, one function for each function that is simulated.

The functions translate between C and the objects of the simulator; they check arguments in the order in which
an H200's driver was seen to check them. A function of cuda.h that none of these modules has answers
CUDA_ERROR_NOT_SUPPORTED.
"""
from . import (
    batches,
    context,
    copies,
    device,
    device_memory,
    events,
    fills,
    functions,
    general,
    host_memory,
    launch,
    legacy_launch,
    libraries,
    limits,
    linking,
    managed,
    managed_batches,
    modules,
    occupancy,
    pointers,
    pools,
    primary_context,
    sharing,
    stream_attributes,
    stream_memory,
    stream_ordered,
    streams,
    virtual_memory,
)

__all__ = ["batches", "context", "copies", "device", "device_memory", "events", "fills", "functions", "general", "host_memory",
           "launch", "legacy_launch", "libraries", "limits", "linking", "managed", "managed_batches", "modules", "occupancy",
           "pointers", "pools", "primary_context", "sharing", "stream_attributes", "stream_memory", "stream_ordered",
           "streams", "virtual_memory"]
