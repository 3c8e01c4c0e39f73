"""Finding commands in documents: what is one, and what is not."""
import pytest

from . import commands
from .test_bootstrap import ROOT


def test_commands_are_found_in_blocks_in_lines_and_in_backquotes():
    text = """
Say `make lab`, or `make test
ARGS="-k pinned"`; not `make` nor `COURSE_DRIVER=real`.

    python -m tests.conformance      # a comment
    python3 tools/website [folder]   what it does

```sh
cp a b   # any line of a shell's
for one in *; do
    echo $one
done
```

```
!git clone here && python there
```

```python
make = "no command"
```
"""
    assert list(commands.in_prose(text)) == [
        "cp a b", "for one in *; do", "!git clone here && python there", "python -m tests.conformance",
        "python3 tools/website [folder]", "make lab", 'make test ARGS="-k pinned"']


def test_a_backquote_that_is_left_open_hides_no_command_of_another_paragraph():
    assert list(commands.in_prose("one ` alone\n\nand `make lab` elsewhere")) == ["make lab"]


@pytest.fixture(scope="module")
def documents():
    return commands.documents(ROOT)


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "environment.yml", ".ci/run",
                                      "docs/teachers-guide.md", "tests/conformance/README.md", "tools/colab_install.py",
                                      "course_lib/exercises/__main__.py", ".github/workflows/ci.yml",
                                      "notebooks/00_two_views_of_one_memory.ipynb"])
def test_every_kind_of_document_is_looked_at(documents, document):
    assert documents[document]
