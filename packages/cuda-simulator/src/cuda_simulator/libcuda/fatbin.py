"""The PTX in a fatbin, which nvcc puts there beside machine code.

A fatbin begins with a header of 16 bytes (magic number, version, size of the header, size of the rest); then come entries, each with a
header of its own: kind (1 is PTX, 2 machine code), size of that header, size of what follows, at 16 the size without padding, at 28
the architecture, at 40 flags (0x8000: compressed by zstd, as nvcc 13 does), at 56 the size before compression. Read from what nvcc
13.0 writes; NVIDIA documents no layout.
"""
import io
import struct

from .lacking import not_simulated

MAGIC, WRAPPER = 0xBA55ED50, 0x466243B1
PTX, ZSTD, LZ4 = 1, 0x8000, 0x2000
MOST_TEXT = 1 << 25     # bytes: a few of them may be a thousand times as many, unpacked. More than the simulation reads of PTX
HEADER, ENTRY = struct.Struct("<IHHQ"), struct.Struct("<HHIQI")


def size_of(head):
    """The bytes of a fatbin by its first 16; 0 for what is none."""
    if len(head) < HEADER.size:
        return 0
    magic, version, header, payload = HEADER.unpack_from(head)
    return header + payload if (magic, version, header) == (MAGIC, 1, HEADER.size) else 0


def ptx(image, newest):
    """The PTX of a fatbin for the newest architecture up to `newest` (90 is sm_90), as bytes; None where it has none.

    Raises CallError, NOT_SUPPORTED, where it is compressed and nothing here can read that.
    """
    entries, place = {}, HEADER.size
    while place + 64 <= len(image):
        kind, _, header, padded, size = ENTRY.unpack_from(image, place)
        architecture, = struct.unpack_from("<I", image, place + 28)
        flags, = struct.unpack_from("<Q", image, place + 40)
        if kind == PTX and architecture <= newest:
            entries[architecture] = flags, image[place + header:place + header + (size or padded)]
        if header + padded == 0:
            break
        place += header + padded
    if not entries:
        return None
    flags, text = entries[max(entries)]
    if flags & ZSTD:
        text = _unpacked(text)
    elif flags & LZ4:
        raise not_simulated("a fatbin that is compressed by LZ4: nvcc -no-compress leaves it plain")
    return text.rstrip(b"\0")


def _unpacked(packed):
    """The text, or the beginning of one that is longer than anything that is read; what is damaged, up to there."""
    try:
        from compression import zstd  # Python 3.14
        opened, damaged = zstd.ZstdFile(io.BytesIO(packed)), (zstd.ZstdError, EOFError)
    except ImportError:
        try:
            import zstandard
        except ImportError:
            raise not_simulated("a fatbin that is compressed: `pip install zstandard`, or nvcc -no-compress") from None
        opened, damaged = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)), zstandard.ZstdError
    try:
        return opened.read(MOST_TEXT)
    except damaged:
        return b""
