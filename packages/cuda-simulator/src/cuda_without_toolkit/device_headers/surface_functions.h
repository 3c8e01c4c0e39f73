// CUDA 13 has no <surface_functions.h> any more; pycuda-helpers.hpp still asks for one of the two.
