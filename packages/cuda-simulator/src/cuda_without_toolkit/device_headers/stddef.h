// NVRTC has the device functions of <stddef.h> built in.
