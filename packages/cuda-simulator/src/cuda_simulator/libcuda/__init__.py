"""The stand-in libcuda.so.1 (stand_in.c), how Python functions get behind its names (library.py), and what every call
needs: results, state, handles, and writing where the caller says (output.py)."""
