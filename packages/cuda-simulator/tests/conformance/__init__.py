"""The same questions put to a GPU's driver and to the simulated one.

A question is a statement about CUDA and a function that makes driver calls to find out; its answers are error codes
by name, flags, sizes, contents and relations between addresses. The answers of a GPU are recorded beside the
questions; README.md says how to ask, record and read them.
"""
from . import cuda12

cuda12.adapt()
