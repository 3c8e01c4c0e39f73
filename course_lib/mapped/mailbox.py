"""A mailbox in pinned memory: the host and a running kernel talk, one letter and one answer at a
time.

    >>> from course_lib import kernels
    >>> from course_lib.mapped import mailbox
    >>> code = kernels.compile(mailbox.SOURCE + '''
    ...     __global__ void squares(Mailbox *box) {
    ...         unsigned long long letter;
    ...         while (mailbox_wait(box, &letter)) mailbox_answer(box, letter * letter);
    ...     }''')
    >>> with mailbox.Mailbox() as box:
    ...     code.squares(1, 1, box)             # runs until the mailbox is closed, at the end of the block
    ...     box.ask(5), box.ask(12)
    (25, 144)

What visibility needs, so that one side sees what the other wrote while both run:

- the kernel reads ``volatile``, or the compiler reads once and keeps the value in a register for
  ever;
- the kernel puts ``__threadfence_system()`` between the content and the count that announces it:
  without it, the host may see them in the other order;
- the host writes the content before the count. The processor (x86-64) keeps that order;
- each word has one writer, and is 8 bytes, aligned: it is seen whole or not at all.

Without any of these, only the end of the kernel makes its writes visible: synchronise, then look.
Not here: the memory itself (`course_lib.pinned`).
"""
import time

import numpy as np
from cuda.bindings import driver as cu

from .. import pinned
from ..core.errors import WrongArgument, WrongOrder, do
from ..core.ownership import ContextOf, Resource, current_context, in_context

# The device's side. One thread of the kernel uses it; letters and answers are whole numbers of 64
# bits.
SOURCE = """
struct Mailbox { volatile unsigned long long posted, letter, answered, answer, closed; };

// Waits for the next letter. False once the host has closed the mailbox: the kernel should end then.
__device__ inline bool mailbox_wait(Mailbox *box, unsigned long long *letter) {
    while (box->posted == box->answered)
        if (box->closed) return false;
    __threadfence_system();             // the letter is read after the count that announces it
    *letter = box->letter;
    return true;
}

// Answers the letter that mailbox_wait gave.
__device__ inline void mailbox_answer(Mailbox *box, unsigned long long answer) {
    box->answer = answer;
    __threadfence_system();             // the answer is written before the count that announces it
    box->answered = box->answered + 1;
}
"""
POSTED, LETTER, ANSWERED, ANSWER, CLOSED = range(5)


class Mailbox(Resource):
    """The host's side. Pass it to a kernel for a parameter of type ``Mailbox *`` (see SOURCE)."""

    def __init__(self) -> None:
        self._memory = pinned.allocate(5, np.uint64, flags="devicemap")
        self._words = self._memory.array
        self._words[:] = 0
        self._hold(_end, self._words, self._memory, current_context())

    @property
    def device_address(self) -> int:
        """Where the kernel finds the mailbox: an int. (cuMemHostGetDevicePointer)"""
        self._require()
        return self._memory.device_address

    def post(self, letter: int) -> None:
        """Write a letter, a whole number from 0 to 2**64 - 1, without waiting for the answer.

        Raises WrongOrder while the last letter has no answer, WrongArgument for what is no letter.
        """
        self._require()
        if self._words[POSTED] != self._words[ANSWERED]:
            raise WrongOrder("the last letter has no answer yet, and this one would overwrite it: call wait() first")
        if not isinstance(letter, (int, np.integer)) or not 0 <= letter < 1 << 64:
            raise WrongArgument(f"{letter!r} is not a letter: post a whole number from 0 to 2**64 - 1")
        self._words[LETTER] = letter
        self._words[POSTED] += np.uint64(1)

    def wait(self, timeout: float = 10) -> int:
        """Wait for the answer to the last letter, up to `timeout` seconds, and return it as an int.

        Raises TimeoutError where no answer comes, WrongOrder where no letter was posted.
        """
        self._require()
        if not self._words[POSTED]:
            raise WrongOrder("nothing was posted, so there is no answer to wait for: post() first")
        end = time.monotonic() + timeout
        while self._words[ANSWERED] != self._words[POSTED]:
            if time.monotonic() > end:
                raise TimeoutError(f"no answer in {timeout} s: was a kernel launched that answers this mailbox?")
            time.sleep(0)    # let the threads of a simulated device run
        return int(self._words[ANSWER])

    def ask(self, letter: int, timeout: float = 10) -> int:
        """`post` a letter and `wait` for the answer."""
        self.post(letter)
        return self.wait(timeout)

    def close(self) -> None:
        """Tell the kernel that no letter will come: mailbox_wait gives false from now on."""
        self._require()
        self._words[CLOSED] = 1

    def release(self) -> None:
        """Close the mailbox, wait for the kernels of its context to end, and free the memory.
        (cuCtxSynchronize)"""
        self._require()
        try:
            super().release()
        finally:
            del self._words

    def _name(self) -> str:
        return "mailbox"

    def __repr__(self) -> str:
        return "<mailbox, released>" if self.released else f"<mailbox, {int(self._words[ANSWERED])} letters answered>"


def _end(words: np.ndarray, memory: pinned.PinnedMemory, context: ContextOf) -> None:
    """The kernel must have ended before its mailbox goes, and it does not end before the mailbox is
    closed."""
    words[CLOSED] = 1
    try:
        in_context(context, do, cu.cuCtxSynchronize)
    finally:
        memory.release()
