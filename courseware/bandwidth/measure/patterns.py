"""What is written before a measurement and looked for after it, so that no figure stands for data that did not arrive.

The word (4 bytes) at place i of sample s is ``i * STEP + s * SEED``, modulo 2**32: each place has another, and no
sample finds the words that the last one left. The device has the same rule (device_code.py). Here is the host's side.
"""
import numpy as np

STEP, SEED = 0x9E3779B1, 0x85EBCA6B      # odd numbers of no meaning
CHUNK = 1 << 18                          # words made at a time: 1 MiB stays in the CPU's cache

_steps = np.arange(CHUNK, dtype=np.uint32) * np.uint32(STEP)


class WrongData(RuntimeError):
    """What arrived is not what was sent. The figure of that sample is worth nothing, and the measurement stops."""


def seed_of(sample):
    """What is added to every word of a sample: an int below 2**32."""
    return sample * SEED % 2**32


def fill(words, sample):
    """Write a sample's pattern to an array of uint32."""
    for start in range(0, words.size, CHUNK):
        chunk = words[start:start + CHUNK]
        np.add(_steps[:chunk.size], _first(start, sample), out=chunk)


def check(words, sample):
    """Raise WrongData unless an array of uint32 holds a sample's pattern."""
    for start in range(0, words.size, CHUNK):
        chunk = words[start:start + CHUNK]
        wrong = chunk - _steps[:chunk.size] != _first(start, sample)
        if wrong.any():
            raise wrong_data(start + int(wrong.argmax()), int(wrong.sum()))


def wrong_data(place, count):
    """The WrongData to raise for `count` wrong words, of which the first is at `place`."""
    return WrongData(f"the {count} words of 4 bytes from byte {4 * place} on are not what was written" if count > 1 else
                     f"the word of 4 bytes at byte {4 * place} is not what was written")


def _first(start, sample):
    return np.uint32((start * STEP + seed_of(sample)) % 2**32)
