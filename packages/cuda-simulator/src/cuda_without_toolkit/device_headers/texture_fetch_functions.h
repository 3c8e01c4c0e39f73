// CUDA 13 has no <texture_fetch_functions.h> any more; pycuda-helpers.hpp still asks for one of the two.
