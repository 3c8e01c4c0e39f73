"""What the course says of CUDA up to a version or from one: listed in dated_claims.toml, and held to the first cuda.h that has the name.

The headers are those of nvidia-cuda-runtime on PyPI; without a network these tests are skipped. cuda-bindings has the version of the
cuda.h that it was made from. In `make test` that is the version of the lock; in `make test-newest` it is today's newest, so there a new
release of CUDA fails this file until its header was read.
"""
import re
import subprocess
import sys
import zipfile
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


def headers(folder):
    """{version: text of cuda.h}, from the oldest on."""
    texts = {}
    for version in LIST["headers"]:
        done = subprocess.run([sys.executable, "-m", "pip", "download", f"nvidia-cuda-runtime=={version}", "--no-deps", "-q", "-d", folder],
                              capture_output=True)
        if done.returncode:
            pytest.skip(f"no nvidia-cuda-runtime {version} to be had")
        with zipfile.ZipFile(next(folder.glob(f"*-{version}-*.whl"))) as wheel:
            texts[version] = wheel.read("nvidia/cu13/include/cuda.h").decode()
    return texts


def test_a_claim_is_dated_by_the_first_header_that_has_its_name(tmp_path):
    texts = headers(tmp_path)     # downloaded once, so all claims are one test

    def first(name):
        return next(number(version) for version, text in texts.items() if name in text)
    assert {says: first(claim["until_there_is"]) for says, claim in CLAIMS.items()} == {
        says: number(claim["since"]) for says, claim in CLAIMS.items()}


def test_no_cuda_is_newer_than_the_headers_that_were_read():
    assert number(BINDINGS.version) <= number(LIST["headers"][-1]), "read its cuda.h for each claim of dated_claims.toml"
