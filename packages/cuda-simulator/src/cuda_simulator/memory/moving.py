"""Moving the bytes of device memory to a file while nobody uses them.

Work on a stream uses device memory by its addresses in this process. `use` is held while work runs; a kernel lets go of it
now and then (`step_aside`), between two instructions, because it may run until another process or the host tells it to end.

Not here: what is moved (windows.py).
"""
import contextlib
import threading
from collections import deque


class _Use:
    """Many may use the memory at once; or one moves it and nobody uses it.

    To use it costs next to nothing: the users are counted by a deque, which takes and gives an item in one step.
    """

    def __init__(self):
        self._users, self._moving = deque(), False
        self._changed, self._movers = threading.Condition(), threading.Lock()

    def __enter__(self):
        self._users.append(None)
        while self._moving:    # asked after it was counted: the one who moves it then has either seen it or is seen
            self.__exit__()
            with self._changed:
                self._changed.wait_for(lambda: not self._moving)
            self._users.append(None)

    def __exit__(self, *failure):
        self._users.pop()
        if self._moving:
            with self._changed:
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
        with self._movers:
            self._moving = True
            try:
                with self._changed:
                    self._changed.wait_for(lambda: not self._users)
                yield
            finally:
                self._moving = False
                with self._changed:
                    self._changed.notify_all()


use = _Use()
