"""Moving the bytes of device memory to a file while nobody uses them.

Work on a stream uses device memory by its addresses in this process. `use` is held while work runs; a kernel lets go of it
now and then (`step_aside`), between two instructions, because it may run until another process or the host tells it to end.

Not here: what is moved (windows.py).
"""
import contextlib
import threading


class _Use:
    """Many may use the memory at once; or one moves it and nobody uses it."""

    def __init__(self):
        self._changed = threading.Condition()
        self._users, self._moving = 0, False
        self._movers = threading.Lock()

    def __enter__(self):
        with self._changed:
            while self._moving:
                self._changed.wait()
            self._users += 1

    def __exit__(self, *failure):
        with self._changed:
            self._users -= 1
            if self._moving:
                self._changed.notify_all()

    def step_aside(self):
        """A user may be held up here."""
        if self._moving:
            self.__exit__()
            self.__enter__()

    @contextlib.contextmanager
    def let_go(self):
        """A user does something else meanwhile, which may take long."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()

    @contextlib.contextmanager
    def by_nobody(self):
        """Wait until nobody uses the memory, and hold up who wants to. Not for a user, and not while tables are locked."""
        with self._movers, self._changed:
            self._moving = True
            try:
                while self._users:
                    self._changed.wait()
                yield
            finally:
                self._moving = False
                self._changed.notify_all()


use = _Use()
