"""The release. Not here: which CUDA is simulated (libcuda/state.py)."""
__version__ = "0.1.0"
