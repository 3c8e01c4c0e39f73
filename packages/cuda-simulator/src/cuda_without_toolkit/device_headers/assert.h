// NVRTC has the device functions of <assert.h> built in.
