class Book:
    def __init__(self):
        self.views = []
    def add(self, host, device, nbytes, memory):
        view = (host, device, nbytes, memory)
        self.views.append(view)
        return view
    def free(self, view):
        ...         # one line
    def to_device(self, host_address):
        ...         # about six lines
    def to_host(self, device_address):
        ...         # about six lines
