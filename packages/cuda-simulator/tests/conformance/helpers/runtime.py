"""Calls of cuda.bindings.runtime: what they answer, and pageable memory for them."""
import ctypes

SIZE = 8192


def error_of(answer):
    """The name of the error that a call of the runtime answered with."""
    return answer[0].name


def value(answer):
    """What a call gives out; RuntimeError where it failed."""
    if int(answer[0]):
        raise RuntimeError(answer[0].name)
    return answer[1] if len(answer) == 2 else answer[1:]


def page():
    """The address of 8192 bytes of pageable memory, page-aligned, which stay."""
    block = (ctypes.c_char * (SIZE + 4096))()
    page.blocks = [*getattr(page, "blocks", ()), block]
    return -(-ctypes.addressof(block) // 4096) * 4096
