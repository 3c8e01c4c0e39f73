import pycuda.driver as cuda

def recording(Cache):
    class Recording(Cache):
        def __init__(self):
            super().__init__()
            self.streams, self.waiting = {}, []

        def record_stream(self, address, stream):
            self.streams.setdefault(address, []).append(stream)

        def free(self, address):
            streams = self.streams.pop(address, [])
            if streams:
                self.waiting.append((address, [cuda.Event().record(stream) for stream in streams]))
            else:
                super().free(address)

        def allocate(self, nbytes, stream):
            waiting, self.waiting = self.waiting, []
            for address, events in waiting:
                if all(event.query() for event in events):
                    super().free(address)
                else:
                    self.waiting.append((address, events))
            return super().allocate(nbytes, stream)
    return Recording
