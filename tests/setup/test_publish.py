"""Publishing: the address goes into every file that names it, and nothing else changes."""
import json
import re
import shutil
import sys

import publish  # in tools/, where test_bootstrap has led
import pytest
import yaml
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from .test_bootstrap import ROOT
from .test_pins import tomllib

ADDRESS, TAG = "https://github.com/some-one/a.course", "v1.2.3"
TOUCHED = ["notebooks", "notebooks/side_trips", "docs", "packages/cuda-simulator/docs", "README.md", "CONTRIBUTING.md",
           "CITATION.cff", "pyproject.toml"]


@pytest.fixture
def checkout(tmp_path):
    """A copy of what publishing touches."""
    for name in TOUCHED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, dirs_exist_ok=True)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def published(checkout):
    publish.main(checkout, ADDRESS, TAG)
    return checkout


def notebooks(folder):
    below = folder / "notebooks"
    return {str(path.relative_to(below)): json.loads(path.read_text())
            for path in [*sorted(below.glob("*.ipynb")), *sorted(below.glob("*/*.ipynb"))]}


def first_cell(notebook):
    return "".join(next(cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"))


def texts(folder):
    return {path.name: path.read_text() for name in TOUCHED for path in [folder / name, *(folder / name).glob("*")]
            if path.is_file() and path.suffix != ".png"}


# Notebooks ------------------------------------------------------------------------------------------------------------

NOTEBOOKS = notebooks(ROOT)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_notebook_asks_colab_for_a_gpu(name):
    metadata = NOTEBOOKS[name]["metadata"]
    assert metadata["accelerator"] == "GPU" and metadata["colab"]["gpuType"] == "T4"


def test_the_first_cell_of_every_notebook_is_the_same():
    """What is changed for Colab in one has to be changed in all."""
    first = {name: first_cell(notebook).partition("\n\n")[0] for name, notebook in NOTEBOOKS.items()}
    assert len(first) == len(list((ROOT / "notebooks").rglob("*.ipynb"))) and len(set(first.values())) == 1, first
    assert next(iter(first.values())).startswith("# Set-up: run this cell first.\ntry:\n    import courseware")


def test_a_published_notebook_fetches_its_own_version(published):
    published_notebooks = notebooks(published)
    assert published_notebooks and all(f"--branch {TAG} {ADDRESS} course" in first_cell(notebook) for notebook in published_notebooks.values())


def test_in_a_notebook_nothing_else_changes(published):
    before, after = NOTEBOOKS, notebooks(published)
    assert before.keys() == after.keys()
    for name in before:
        assert first_cell(before[name]).partition("\n\n")[2] == first_cell(after[name]).partition("\n\n")[2]
        assert before[name]["metadata"] == after[name]["metadata"]
        changed = [{**cell, "source": ""} == {**cell_after, "source": ""}
                   for cell, cell_after in zip(before[name]["cells"], after[name]["cells"], strict=True) if cell != cell_after]
        assert changed == [True]


@pytest.mark.parametrize("in_colab", [True, False])
def test_only_colab_fetches(in_colab, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))     # it would write when all tests have ended
    ran = []
    monkeypatch.setattr(shell, "system", ran.append)
    monkeypatch.setitem(sys.modules, "courseware", None)       # as if it were not installed
    monkeypatch.setenv("COLAB_RELEASE_TAG", "release") if in_colab else monkeypatch.delenv("COLAB_RELEASE_TAG", False)
    shell.run_cell(publish.CELL.format(address=ADDRESS, tag=TAG))
    assert [command.split()[0] for command in ran] == (["git", "python"] if in_colab else [])
    assert ("make lab" in capsys.readouterr().out) != in_colab


# Documents ------------------------------------------------------------------------------------------------------------

def test_each_lesson_in_the_readme_has_its_link_to_colab(published):
    readme = (published / "README.md").read_text()
    rows = re.findall(r"^- .*?\]\((notebooks/[\w/]+\.ipynb)\)[^·\n]* · \[Colab\]\((\S+)\)$", readme, flags=re.MULTILINE)
    assert sorted(path for path, _ in rows) == sorted(f"notebooks/{name}" for name in NOTEBOOKS)
    for path, link in rows:
        assert link == f"https://colab.research.google.com/github/some-one/a.course/blob/{TAG}/{path}"


def test_above_each_picture_is_a_link_to_its_place_on_the_site(published):
    paragraphs = (published / "README.md").read_text().split("\n\n")
    above = [before for before, picture in zip(paragraphs, paragraphs[1:]) if re.match(r"<picture>|<img src=\"docs/board", picture)]
    links = [re.findall(r"\(https://some-one.github.io/a.course/(.*?)\)", words) for words in above]
    assert links == [[""], ["#late-block"], ["#orders"]]


def test_the_first_link_of_its_text_leads_to_the_pages_and_the_next_ones_to_colab_for_each_of_the_two_ways(published):
    text = re.sub(r"\[!\[.*\n", "", (published / "README.md").read_text())        # the badges
    links = re.findall(r"\[([^]]+)\]\(([^)]+)\)", text)
    assert links[0] == ("Play it in your browser", "https://some-one.github.io/a.course/")
    colab = f"https://colab.research.google.com/github/some-one/a.course/blob/{TAG}/notebooks"
    assert links[1:3] == [("from these puzzles", f"{colab}/16_who_comes_first.ipynb"),
                          ("from the beginning", f"{colab}/00_two_views_of_one_memory.ipynb")]
    assert text.index(links[0][0]) < text.index("<picture>")


def test_its_badges_lead_to_ci_to_colab_and_to_binder(published):
    badges = (published / "README.md").read_text().splitlines()[2]
    targets = re.findall(r"\[!\[[^]]*\]\(https://\S+\)\]\((\S+?)\)", badges)
    assert [target.split("?")[0] for target in targets] == [
        f"{ADDRESS}/actions/workflows/ci.yml",
        f"https://colab.research.google.com/github/some-one/a.course/blob/{TAG}/notebooks/16_who_comes_first.ipynb",
        f"https://mybinder.org/v2/gh/some-one/a.course/{TAG}"]
    assert (ROOT / ".github" / "workflows" / "ci.yml").exists()
    assert (ROOT / targets[2].partition("?urlpath=lab/tree/")[2]).exists()


def test_no_place_is_left_for_an_address(published):
    assert all("<this repository>" not in text and "<tag>" not in text for text in texts(published).values())
    for name in ("README.md", "CONTRIBUTING.md"):
        assert f"git clone {ADDRESS}" in (published / name).read_text()
    assert f"git clone {ADDRESS}\ncd a.course\nmake lab\n" in (published / "README.md").read_text()
    assert f'"git+{ADDRESS}@{TAG}#subdirectory=' in (published / "packages/cuda-simulator/docs/other-projects.md").read_text()


def test_citation_and_package_name_the_repository(published):
    assert yaml.safe_load((published / "CITATION.cff").read_text())["repository-code"] == ADDRESS
    project = tomllib.loads((published / "pyproject.toml").read_text())
    assert project["project"]["urls"]["Repository"] == ADDRESS
    assert project["tool"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]


# Again, and elsewhere -------------------------------------------------------------------------------------------------

def test_publishing_twice_is_publishing_once(published):
    assert publish.main(published, ADDRESS + ".git", TAG) == []


def test_the_next_version_or_a_fork_takes_the_place_of_the_first(published):
    others = "https://github.com/an-other/fork", "v9.9.9"
    documents = ["README", "CONTRIBUTING", "the page on installing", "the guide", "the page for others", "CITATION", "pyproject"]
    assert len(publish.main(published, *others)) == len(NOTEBOOKS) + len(documents)
    for text in texts(published).values():
        assert ADDRESS not in text and "some-one" not in text and TAG not in text


@pytest.mark.parametrize("address, tag", [("https://example.org/a/b", TAG), ("git@github.com:a/b", TAG), ("a/b", TAG),
                                          (ADDRESS, "v1 2"), (ADDRESS, ""), (ADDRESS, "$(x)"), (ADDRESS, "--help"),
                                          (ADDRESS, "v1..2"), (ADDRESS, "-b"), (ADDRESS, "v1.lock"), (ADDRESS, "ü"),
                                          ("https://github.com/--help/b", TAG)])
def test_another_address_is_refused_and_nothing_changes(checkout, address, tag):
    with pytest.raises(ValueError, match="github.com/OWNER/NAME|v0.1.0"):
        publish.main(checkout, address, tag)
    assert texts(checkout) == texts(ROOT)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', '{"cells": [{}]}'])
def test_a_notebook_that_cannot_be_read_is_named_and_nothing_changes(checkout, text):
    (checkout / "notebooks" / "side_trips" / "zz_torn.ipynb").write_text(text)
    before = texts(checkout)
    with pytest.raises(ValueError, match=r"side_trips/zz_torn\.ipynb cannot be read .* Nothing was changed"):
        publish.main(checkout, ADDRESS, TAG)
    assert texts(checkout) == before


def test_a_link_is_refused_before_anything_changes(checkout, tmp_path_factory):
    lesson, elsewhere = sorted((checkout / "notebooks").rglob("*.ipynb"))[-1], tmp_path_factory.mktemp("elsewhere") / "mine.ipynb"
    lesson.rename(elsewhere)
    lesson.symlink_to(elsewhere)
    before = texts(checkout)
    with pytest.raises(publish.NotOurs, match="is a link"):
        publish.main(checkout, ADDRESS, TAG)
    assert texts(checkout) == before


def test_a_notebook_that_is_no_lesson_stays_as_it_is(checkout):
    mine = {"diary": '{"cells": [{"cell_type": "code", "source": ["mine = 1\\n"]}]}', "empty": '{"cells": []}'}
    for name, text in mine.items():
        (checkout / "notebooks" / f"{name}.ipynb").write_text(text)
    publish.main(checkout, ADDRESS, TAG)
    assert {name: (checkout / "notebooks" / f"{name}.ipynb").read_text() for name in mine} == mine


def test_a_full_disk_leaves_every_file_whole_and_the_command_goes_on_from_there(checkout, monkeypatch):
    write, room = publish.write_whole, iter(range(5))

    def full(path, text):
        if next(room, None) is None:
            raise OSError(28, "No space left on device")
        write(path, text)
    with monkeypatch.context() as disk, pytest.raises(OSError, match="No space"):
        disk.setattr(publish, "write_whole", full)
        publish.main(checkout, ADDRESS, TAG)
    publish.main(checkout, ADDRESS, TAG)
    assert all(f"--branch {TAG} {ADDRESS} course" in first_cell(notebook) for notebook in notebooks(checkout).values())
