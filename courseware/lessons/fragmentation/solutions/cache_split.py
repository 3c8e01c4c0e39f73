class Segment:
    def __init__(self, vector):
        self.vector, self.unused, self.used = vector, {}, {}    # offset -> bytes

    def allocate(self, nbytes):
        nbytes = -(-nbytes // 512) * 512
        fitting = [(size, offset) for offset, size in self.unused.items() if size >= nbytes]
        if not fitting:
            fitting = [self._grown(nbytes)]
        size, offset = min(fitting)
        del self.unused[offset]
        if size > nbytes:
            self.unused[offset + nbytes] = size - nbytes
        self.used[offset] = nbytes
        return self.vector.address + offset

    def _grown(self, nbytes):
        end = self.vector.nbytes
        start = next((offset for offset, size in self.unused.items() if offset + size == end), end)
        self.vector.grow_to(start + nbytes)
        self.unused[start] = self.vector.nbytes - start
        return self.unused[start], start

    def free(self, address):
        offset = address - self.vector.address
        size = self.used.pop(offset)
        for before, length in list(self.unused.items()):
            if before + length == offset:
                offset, size = before, size + self.unused.pop(before)
        size += self.unused.pop(offset + size, 0)
        self.unused[offset] = size
