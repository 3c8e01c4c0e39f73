from cuda.bindings import driver as cu

def is_pinned(address):
    ...         # two or three lines
