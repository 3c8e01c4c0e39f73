class Segment:
    """Blocks cut from one vector. A freed block joins its neighbours."""

    def __init__(self, vector):
        ...         # one line

    def allocate(self, nbytes):
        ...         # about fifteen lines

    def free(self, address):
        ...         # about seven lines
