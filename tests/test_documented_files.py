"""Files that a docstring or a comment names are there: beside the file that names them, in its package, or from the root."""
import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SIMULATOR = ROOT / "packages" / "cuda-simulator"
PLACES = {"course_lib": ROOT / "course_lib", "courseware": ROOT / "courseware", "cuda-simulator": SIMULATOR / "src",
          "conformance": SIMULATOR / "tests" / "conformance", "tools": ROOT / "tools", "benchmarks": ROOT / "benchmarks",
          "course_files": ROOT / "course_files"}
# name.py, folder/name.py, ../folder/name.py; and folder/ with nothing behind the slash.
NAMED = re.compile(r"(?<![\w./<{*-])(?:\.\./)*(?:[\w-]+/)*(?:[\w-]+\.py\b|[\w-]+/(?![\w.*<{/]))")
# What names files in comments and is no Python, from the root.
SETTINGS = ("*.yml", "*.toml", "Makefile", "Dockerfile", ".ci/*", "binder/*", ".github/workflows/*.yml")
# What a user runs, a file of nbgrader's, and a file of ours in a clone of another name.
EXAMPLES = {"script.py", "nbgrader_config.py", "course/tools/colab_install.py"}


def named_in_prose(source):
    """The files and folders that docstrings and comments name."""
    texts = [token.string for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type == tokenize.COMMENT]
    texts += [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(source))
              if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]
    return set(NAMED.findall("\n".join(texts)))


def ends_of_paths(package):
    """Every file and folder in a package, by each end of its path: "mapping.py", "reservation/mapping.py"."""
    paths = [path.relative_to(package.parent).parts for path in package.rglob("*")]
    return {"/".join(parts[start:]) for parts in paths for start in range(len(parts))}


@pytest.mark.parametrize("name", PLACES)
def test_a_file_that_is_named_exists(name):
    package, missing = PLACES[name], []
    inside = ends_of_paths(package)
    for path in package.rglob("*.py"):
        source = path.read_text()
        unknown = {named for named in NAMED.findall(source) if named.rstrip("/") not in inside | EXAMPLES and
                   not any((start / named).exists() for start in (path.parent, SIMULATOR / "src", SIMULATOR, ROOT))}
        # Few files name one: only these are taken apart.
        missing += [f"{path.relative_to(ROOT)} names {named}" for named in unknown and unknown & named_in_prose(source)]
    assert not missing


@pytest.mark.parametrize("path", [path for pattern in SETTINGS for path in sorted(ROOT.glob(pattern))], ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_that_a_comment_in_settings_names_exists(path):
    comments = re.findall(r"#.*", path.read_text("utf-8"))
    assert not [named for comment in comments for named in NAMED.findall(comment) if not (ROOT / named).exists()]


@pytest.mark.parametrize("text, names", [
    ("Not here: the launch (launch.py), folders (driver/).", {"launch.py", "driver/"}),
    ("See ../core/errors.py, and/or a URL, https://example.org/a/b.py; *.py", {"../core/errors.py"}),
])
def test_what_counts_as_named(text, names):
    assert set(NAMED.findall(text)) == names == named_in_prose(f'"""{text}"""')
