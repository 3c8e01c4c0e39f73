"""What the course says of CUDA up to a version or from one: listed in dated_claims.toml, and held to the first cuda.h that has the name.

The headers are those of nvidia-cuda-runtime on PyPI; without a network these tests are skipped. cuda-bindings has the version of the
cuda.h that it was made from. In `make test` that is the version of the lock; in `make test VERSIONS=newest` it is today's newest, so there a new
release of CUDA fails this file until its header was read.
"""
import os
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from types import SimpleNamespace

import pytest
import setup_steps  # in tools/

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
LIST = tomllib.loads(Path(__file__).with_name("dated_claims.toml").read_text(encoding="utf-8"))
CLAIMS = {claim["says"]: claim for claim in LIST["claim"]}
BINDINGS = distribution("cuda-bindings")
DATED = re.compile(r"\b(?:up to|until|before|from|since)\s+(?:CUDA\s+)?13\.\d", re.IGNORECASE)


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
    texts, environment = {}, {**os.environ, **setup_steps.pips_settings(SimpleNamespace(python=sys.executable))}
    for version in LIST["headers"]:
        # uv starts in a hundredth of pip's time, and keeps what it has downloaded.
        done = subprocess.run([Path(sys.executable).with_name("uv"), "pip", "install", "--system-certs", "--no-deps", "-q", "--target", folder / version,
                               f"nvidia-cuda-runtime=={version}"], capture_output=True, env=environment)
        if done.returncode:
            pytest.skip(f"no nvidia-cuda-runtime {version} to be had")
        texts[version] = (folder / version / "nvidia/cu13/include/cuda.h").read_text()
    return texts


def test_a_claim_is_dated_by_the_first_header_that_has_its_name(tmp_path):
    texts = headers(tmp_path)     # downloaded once, so all claims are one test

    def first(name):
        return next(number(version) for version, text in texts.items() if name in text)
    assert {says: first(claim["until_there_is"]) for says, claim in CLAIMS.items()} == {
        says: number(claim["since"]) for says, claim in CLAIMS.items()}


def test_no_cuda_is_newer_than_the_headers_that_were_read():
    assert number(BINDINGS.version) <= number(LIST["headers"][-1]), "read its cuda.h for each claim of dated_claims.toml"
