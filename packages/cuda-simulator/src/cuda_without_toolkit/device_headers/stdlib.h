// NVRTC has the device functions of <stdlib.h> built in.
