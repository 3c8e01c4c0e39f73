// NVRTC has the device functions of <string.h> built in.
