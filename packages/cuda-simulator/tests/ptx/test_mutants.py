"""PTX that is wrong in one place: what ptxas refuses, the simulated driver refuses, and what it takes loads.

A mutant is the PTX of a kernel of the corpus with one word, number or line lost, doubled, or exchanged for another that stands in it.
ptxas comes from PyPI (pip install nvidia-cuda-nvcc==13.0.88): without it nothing is asked. What an H200's driver answered to
texts that were chosen is in tests/simulator/refusals.jsonl, without any need of ptxas.

    python -m tests.ptx.test_mutants 1000       ask of as many, and show those that are answered otherwise
"""
import random
import re
import shutil
import subprocess
import sys
import sysconfig
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cuda_simulator import ptx
from cuda_simulator.device import modules
from cuda_simulator.libcuda.results import CallError

import pytest

from . import test_corpus  # noqa: F401  which fills CASES
from .corpus import CASES
from .cuda import compile

IN_WHEEL = Path(sysconfig.get_path("purelib"), "nvidia", "cu13", "bin", "ptxas")
PTXAS = str(IN_WHEEL) if IN_WHEEL.is_file() else shutil.which("ptxas")
WORD = re.compile(r"[%.$\w]+|[^\s\w]")


def kernels():
    """The PTX of some kernels of the corpus, without the lines' numbers."""
    for name in sorted(CASES)[::9]:
        yield re.sub(r"//.*", "", compile(CASES[name].source, "compute_90", CASES[name].options).rstrip("\0 "))


def mutant(text, chance):
    """The text with one change."""
    words = [match for match in WORD.finditer(text) if match.start() > text.index(".visible")]
    word, replacement = chance.choice(words), chance.choice(words)
    lines = text.splitlines()
    number = chance.randrange(next(n for n, line in enumerate(lines) if ".visible" in line), len(lines))
    return chance.choice([
        lambda: text[:word.start()] + text[word.end():],
        lambda: text[:word.start()] + word.group() + " " + text[word.start():],
        lambda: text[:word.start()] + replacement.group() + text[word.end():],
        lambda: text[:word.start()] + re.sub(r"\d+", lambda digits: str(int(digits[0]) + chance.choice([1, 7, 2**32])), word.group())
        + text[word.end():],
        lambda: "\n".join(lines[:number] + lines[number + 1:]),
        lambda: "\n".join(lines[:number + 1] + lines[number:]),
        lambda: text[:word.start()],
    ])()


def ptxas_takes(text):
    result = subprocess.run([PTXAS, "-arch=sm_90", "-o", "/dev/null", "-"], input=text.encode(), capture_output=True)
    return result.returncode == 0, result.stdout.decode() + result.stderr.decode()


def simulator_takes(text):
    try:
        ptx.PtxModule(modules.checked_ptx(text.encode()))
    except (ptx.PtxError, CallError) as error:
        return False, str(error)
    return True, ""


def answers(count, seed=20261128):
    """(mutant, whether ptxas takes it and why not, whether the simulated driver does and why not) of as many mutants."""
    chance, texts = random.Random(seed), list(kernels())
    mutants = [mutant(chance.choice(texts), chance) for _ in range(count)]
    with ThreadPoolExecutor() as threads:
        for text, theirs in zip(mutants, threads.map(ptxas_takes, mutants)):
            yield text, theirs, simulator_takes(text)


# What ptxas refuses for its meaning, and the simulated driver takes: operands of video instructions, a parameter's name for a number.
TAKEN_HERE = re.compile(r"Incorrect video selector|Arguments mismatch")
# What ptxas takes and the simulated driver does not: a register by a number that is larger than 32 bits, two signs of a number.
REFUSED_HERE = re.compile(r"%\w*\d{10}|found '[+-]'")


@pytest.mark.skipif(not PTXAS, reason="no ptxas: pip install nvidia-cuda-nvcc==13.0.88")
def test_a_mutant_is_taken_where_ptxas_takes_it_and_refused_where_it_refuses_it():
    otherwise = [(theirs, ours) for text, theirs, ours in answers(120) if theirs[0] != ours[0]
                 and not TAKEN_HERE.search(theirs[1]) and not REFUSED_HERE.search(ours[1])]
    assert otherwise == []


if __name__ == "__main__":
    counts = Counter()
    for text, theirs, ours in answers(int(sys.argv[1])):
        counts[theirs[0], ours[0]] += 1
        if theirs[0] != ours[0]:
            print(f"--- ptxas {theirs}\n    here {ours}")
            line = re.search(r"line (\d+)", theirs[1] or ours[1])
            if line:
                print("   ", *text.splitlines()[max(int(line[1]) - 2, 0):int(line[1]) + 1], sep="\n    ")
    print(counts)
