"""How many addresses a process on Linux may have. Not here: what lies there (libcuda/process_memory.py, ptx/spaces.py)."""
import os

ADDRESSES = 1 << (48 if os.uname().machine == "aarch64" else 47)
