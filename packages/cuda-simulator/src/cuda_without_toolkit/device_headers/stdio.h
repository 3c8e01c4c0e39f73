// NVRTC has the device functions of <stdio.h> built in.
