"""Any scene, for Hypothesis: allocations, aliases of one another, reservations in pieces, and what was freed."""
import dataclasses

from course_lib.pointers.address_facts import Kind
from courseware.memory_map.scene import Block, ReservedRange, Scene

from hypothesis import strategies as st

from .made_up import HOST_KINDS, block

SIZES = st.one_of(st.integers(1, 200), st.integers(1, 1 << 40), st.sampled_from([4, 4096, 2 << 20, 100 << 30]))
NAMES = st.text(min_size=1, max_size=30)


@st.composite
def scenes(draw, most=30):
    """A Scene of up to `most` allocations, and a few blocks more. The forward call answers for any of them, or refuses."""
    blocks = []
    for number in range(draw(st.integers(1, most))):
        what = draw(st.sampled_from([*HOST_KINDS, Kind.DEVICE, Kind.MANAGED, Kind.KERNEL_HEAP, "alias", "reserved",
                                     "freed"]))
        nbytes, names = draw(SIZES), (draw(NAMES),)
        earlier = [block for block in blocks if block.memory and block.device]
        if what == "alias" and earlier:
            like = draw(st.sampled_from(earlier))
            blocks.append(block(number, like.kind, like.nbytes, like.memory, names=names))
        elif what == "reserved":
            space = ReservedRange(0x10000000 * (number + 1), 3 * nbytes, names)
            mapped = block(number, Kind.MAPPED, nbytes, names=(), reservation=space, access=draw(st.booleans()))
            blocks += [mapped, Block((), Kind.RESERVED, 2 * nbytes, None, mapped.device + nbytes, reservation=space)]
        elif what == "freed":
            blocks.append(Block(names, Kind.FREED, None, None, 0x1000))
        else:
            blocks.append(block(number, Kind.DEVICE if what == "alias" else what, nbytes, names=names))
    asked = [block.device if block.host is None else block.host for block in blocks]
    answers = [draw(st.sampled_from([None, address])) for address in asked]
    return Scene(tuple(dataclasses.replace(block, forward=answer) for block, answer in zip(blocks, answers)))
