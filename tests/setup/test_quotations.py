"""What the course quotes from CUDA's headers stands there: listed in quotations.toml, and compared with the headers that are installed."""
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
QUOTATIONS = {quotation["text"]: quotation for quotation in tomllib.loads(Path(__file__).with_name("quotations.toml").read_text("utf-8"))["quotation"]}


def words(text):
    """The words alone: a header breaks its lines elsewhere, and marks names and the starts of lines."""
    return re.sub(r"(\\n|[\s*\\\"])+", " ", text)


def header(name):
    """The text of one of CUDA's headers, which PyCUDA was built with."""
    package = next(name for name in ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12") if _installed(name))
    return next(distribution(package).locate_file(file).read_text("utf-8") for file in distribution(package).files if file.name == name)


def _installed(package):
    try:
        return distribution(package)
    except ImportError:
        return None


@pytest.mark.parametrize("text", QUOTATIONS)
def test_a_quotation_is_in_its_header_and_in_what_quotes_it(text):
    quotation = QUOTATIONS[text]
    assert words(text) in words(header(quotation["header"]))
    assert [file for file in quotation["in"] if words(text) not in words((ROOT / file).read_text("utf-8"))] == []
