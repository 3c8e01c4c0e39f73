/* libcuda.so: nothing but the need of libcuda.so.1 (setup.py). */
typedef int nothing;
