// NVRTC has the device functions of <time.h> built in.
