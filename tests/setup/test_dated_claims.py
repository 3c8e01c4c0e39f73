"""What the course says of CUDA up to a version or from one: listed in dated_claims.toml, and held to the newest cuda-bindings.

cuda-bindings has the version of the cuda.h that it was made from, and its names. In `make test` that is the version of the lock; in
`make test-newest` it is today's newest, so there a new release of CUDA fails this file until its header was read.
"""
import re
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
LIST = tomllib.loads(Path(__file__).with_name("dated_claims.toml").read_text(encoding="utf-8"))
CLAIMS = {claim["says"]: claim for claim in LIST["claim"]}
BINDINGS = distribution("cuda-bindings")
HEADER = Path(BINDINGS.locate_file("cuda/bindings/cydriver.pxd")).read_text(encoding="utf-8")
DATED = re.compile(r"\b(?:up to|until|from|since)\s+(?:CUDA\s+)?13\.\d", re.IGNORECASE)


def number(version):
    return tuple(map(int, version.split(".")[:2]))


def dated_files():
    places = [*ROOT.glob("*.md"), *ROOT.glob("packages/*/docs/*.md"), *(path for of, kind in (
        ("docs", "md"), ("notebooks", "ipynb"), ("course_lib", "py"), ("courseware", "py"), ("courseware", "toml"))
        for path in (ROOT / of).rglob(f"*.{kind}"))]
    return {str(path.relative_to(ROOT)) for path in places
            if ".ipynb_checkpoints" not in path.parts and DATED.search(path.read_text(encoding="utf-8"))}


def test_each_file_that_dates_a_claim_is_listed_and_each_that_is_listed_dates_one():
    assert dated_files() == {file for claim in CLAIMS.values() for file in claim["in"]}


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_name_that_ends_a_claim_is_there_from_its_version_on(claim):
    claim = CLAIMS[claim]
    assert (claim["until_there_is"] in HEADER) == (number(BINDINGS.version) >= number(claim["since"]))


def test_no_cuda_is_newer_than_the_header_that_was_read():
    assert number(BINDINGS.version) <= number(LIST["checked"]), "read its cuda.h for each claim of dated_claims.toml"
