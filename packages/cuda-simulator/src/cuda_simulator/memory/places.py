"""Places that memory may be at, as cuda.h names them: a CUmemLocation is (CUmemLocationType, id).

Not here: which places a call takes (calls/).
"""
NONE, DEVICE, HOST, HOST_NUMA, HOST_NUMA_CURRENT = range(5)    # CUmemLocationType
NO_DEVICE, CPU = -2, -1                                        # CU_DEVICE_INVALID, CU_DEVICE_CPU
NOWHERE = NONE, NO_DEVICE                                      # what a range says that no place was named for
WHOLE_HOST = HOST, CPU
ON_HOST = {HOST, HOST_NUMA, HOST_NUMA_CURRENT}


def as_device(place):
    """A place as one number, as older calls have it: a device's, -1 for the host, -2 for nowhere."""
    return CPU if place[0] in ON_HOST else place[1]
