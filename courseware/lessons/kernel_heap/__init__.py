"""The lesson "Memory that kernels allocate": what it asks and checks."""
