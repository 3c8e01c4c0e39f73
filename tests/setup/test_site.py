"""The site: what a reader meets who has a phone, or no network, or does not see the pictures."""
import contextlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from courseware.course import LESSONS, SHORT_ROAD, tomllib
from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.kinds import STARTER
from courseware.notebook.display import paragraphs

import committed
import nbformat
import pytest
from bs4 import BeautifulSoup

from tests.browser import axe
from tests.browser.conftest import started
from tests.browser.contrast import ENOUGH, collected, measured

from ..test_house import modules, room
from .test_bootstrap import ROOT, bootstrap, commands, project, replaced  # noqa: F401

NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").rglob("*.ipynb"))
PHONE = {"width": 390, "height": 844}
PICTURES = ["index.html", "00_two_views_of_one_memory.html", "04_bandwidth.html"]      # kept for CI
RIGHT = "✓ So it is."
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}


CANARY = "canary-of-ada-lovelace"       # what nobody may find in what leaves the machine


@pytest.fixture(scope="module")
def worked_in(tmp_path_factory):
    """A checkout in which somebody learns and teaches: what is in it since its commit, and its place, have CANARY in it."""
    checkout = tmp_path_factory.mktemp(CANARY) / "course"
    shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".git", ".venv*", ".build", "build", "__pycache__", ".*_cache"))
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "as it ships"]):
        git(checkout, "-c", "user.name=A", "-c", "user.email=a@example.org", *command)
    git(checkout, "remote", "add", "origin", "git@github.com:some-one/a.course.git")
    notebooks = checkout / "notebooks"
    lesson = nbformat.read(notebooks / "02_pinned_memory.ipynb", as_version=4)
    cell = next(cell for cell in lesson.cells if cell.cell_type == "code")
    cell.source += f"\n# {CANARY}"
    cell.outputs = [nbformat.v4.new_output("stream", name="stderr", text=f"/home/{CANARY}: TOKEN={CANARY}")]
    lesson.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {"1": {"answer": CANARY}}}}
    nbformat.write(lesson, notebooks / "02_pinned_memory.ipynb")
    diary = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"# {CANARY}")])
    (notebooks / "mine").mkdir()
    for place in (notebooks, notebooks / "mine", notebooks / "side_trips"):
        nbformat.write(diary, place / "diary.ipynb")
    nbformat.write(nbformat.v4.new_notebook(), notebooks / "Untitled.ipynb")
    for name in ("docs/glossary.md", "docs/notes.md", "docs/pictures/mine.svg", "README.md", "gradebook.csv", "class-learners.png"):
        with open(checkout / name, "a") as file:
            file.write(f"\n{CANARY}\n")
    for name in ("course_lib/pinned.py", "courseware/lessons/pinned/predictions.toml"):
        path = checkout / name
        path.write_text(path.read_text().replace("pinned", f"pinned {CANARY}", 1))
    return checkout


def git(folder, *command):
    return subprocess.run(["git", "-C", folder, *command], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def printed(worked_in):
    """What `make site` says in that checkout, in a shell whose locale is not UTF-8."""
    shell = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    return subprocess.run([sys.executable, "tools/website"], cwd=worked_in, env=shell, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def site(worked_in, printed):
    """The folder of a site as `make site` makes it."""
    return worked_in / ".build" / "site"


@pytest.fixture
def command(monkeypatch, tmp_path_factory):
    """tools/website/__main__.py as a module, with a checkout of its own and pages that are made at once."""
    spec = importlib.util.spec_from_file_location("website", ROOT / "tools" / "website" / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.committed, "folder", lambda root: contextlib.nullcontext(tmp_path_factory.mktemp("committed")))
    monkeypatch.setattr(module.committed, "differing", lambda root: [])
    monkeypatch.setattr(module, "COMPILED", [])
    monkeypatch.setattr(module, "render", lambda source, folder: (folder / "index.html").write_text("new"))
    return module


@pytest.fixture(scope="module")
def soups(site):
    """{name: the parsed page}."""
    return {path.name: BeautifulSoup(path.read_text(), "html.parser") for path in sorted(site.glob("*.html"))}


def test_every_notebook_is_a_page_and_can_be_downloaded(site, soups):
    assert [name for name in NOTEBOOKS if f"{name}.html" not in soups or not (site / f"{name}.ipynb").exists()] == []


def test_every_document_of_the_course_is_a_page(soups):
    documents = [path.stem for folder in ("docs", "packages/cuda-simulator/docs") for path in (ROOT / folder).glob("*.md")]
    assert documents and [name for name in [*documents, "index"] if f"{name}.html" not in soups] == []


def test_the_index_leads_to_every_page(soups):
    linked = {link["href"].partition("#")[0] for link in soups["index.html"].find_all("a", href=True)}
    assert set(soups) <= linked


def test_the_first_page_leads_to_each_exercise_that_is_done_on_a_page(soups):
    there = [f"{name}#{section['id']}" for name, soup in soups.items() if name != "index.html" for section in soup.select("section.choices")]
    assert there and [link["href"] for link in soups["index.html"].select(".done-here a")] == there
    assert soups["index.html"].select_one(".begin a[href='#do-it-here']")


def test_the_first_page_has_each_lesson_with_its_question_and_the_short_road_as_cards(soups):
    index = soups["index.html"]
    cards = [next(item for item in index.select(":is(.cards, .rows) > li") if item.a["href"] == f"{Path(lesson.notebook).stem}.html")
             for lesson in LESSONS]
    plan = (ROOT / "notebooks" / LESSONS[0].notebook).read_text().replace("`", "")
    for lesson, card in zip(LESSONS, cards):
        asked = card.select("p")[1].get_text()
        assert asked.endswith("?") and asked in plan
        assert ("cards" in card.parent["class"]) == (lesson.topic in SHORT_ROAD)
        assert ("side trip" in card.get_text()) == (not lesson.number)
        assert re.search(r"\d+ minutes", card.get_text())
    assert index.select_one(".begin a")["href"] == cards[0].a["href"]
    assert index.select_one(".board a")["href"] == "16_who_comes_first.html#orders"
    assert index.select_one(".begin a[href='from-pytorch.html']") and not index.find("strong", string="From PyTorch?")
    board = soups["16_who_comes_first.html"].select_one(".course-orders").get_text()
    assert re.search(r"threads, ([\d,]+ orders)", index.select_one(".board").get_text())[1] in board
    headings = [heading.get_text() for heading in index.select("h2")]
    assert headings == ["Change it", "Two sides of one memory", "What arrives?", "Do it here", "Ways in", "Lessons", "Start"] and "make lab" in index.get_text()
    places = [index.find(id="opening"), index.select_one(".begin"), index.find(id="way-back"), index.find(id="late"), index.select_one(".board"), index.select_one(".cards")]
    assert places == sorted(places, key=[*index.descendants].index), "how to begin stands below the first program"


def test_the_first_page_of_a_published_course_is_the_same(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "website"))
    import front
    import pages
    import publish
    readme, lesson = (ROOT / "README.md").read_text(), pages.page(ROOT, "notebooks/16_who_comes_first.ipynb")

    def promised(text):
        return " ".join(front.front(text, [(lesson, "")], "(program)", "(changed)", "(board)").partition("## Lessons")[0].split())
    assert promised(publish.readme(readme, "https://github.com/some-one/a.course", "v1.2.3")) == promised(readme)


def test_a_lesson_says_how_long_it_takes_and_where_it_is_on_the_short_road(soups):
    notes = {lesson: soups[f"{Path(lesson.notebook).stem}.html"].select_one("h1 + .note").get_text() for lesson in LESSONS}
    assert all(re.match(r"\d+ minutes\b", words) for words in notes.values())
    road = [lesson for lesson in LESSONS if lesson.topic in SHORT_ROAD]
    assert [notes[lesson].partition(" · ")[2] for lesson in road] == [f"short road {number} of {len(road)}" for number in range(1, len(road) + 1)]
    assert {notes[lesson].partition(" · ")[2] for lesson in LESSONS if lesson not in road} == {"", "side trip"}


def test_the_question_of_the_readme_is_a_box_as_all_others_are(soups):
    boxes = soups["index.html"].select(".question")
    assert [box.p.get_text() for box in boxes] == ["Predict"] * 4
    for box in boxes:
        replies = [(*fold["class"], fold.p.get_text()[0]) for fold in box.select(".answers > details")]
        assert sorted(replies) == [("right", "\u2713"), ("wrong", "\u2717"), ("wrong", "\u2717")]
    assert not soups["index.html"].select("blockquote, kbd")


def test_a_page_says_what_it_is_about_to_who_gets_a_link(site, soups):
    descriptions = [soup.find("meta", attrs={"name": "description"})["content"] for soup in soups.values()]
    assert all(20 < len(words) < 220 and not re.search(r"[`*\[]", words) for words in descriptions)
    assert len(set(descriptions)) == len(descriptions)
    for soup in soups.values():
        about = {meta["property"]: meta["content"] for meta in soup.find_all("meta", property=True)}
        assert about["og:title"] and about["og:description"] in descriptions and (site / about["og:image"]).is_file()


@pytest.mark.parametrize("name, programs", [("questions", 5), ("from-pytorch", 1)])
def test_each_of_the_five_questions_and_who_comes_from_pytorch_has_a_program_and_its_cell(name, programs, soups):
    cells = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / f"{name}.md").read_text(), flags=re.DOTALL)
    page = soups[f"{name}.html"]
    assert len(page.select(".course-follow[data-steps]")) == len(cells) == programs
    assert [code.get_text() for code in page.select("details .highlight")] == cells


def test_a_lesson_has_the_players_that_its_notebook_has(soups):
    players = {path.stem: len(re.findall(r'<div class=\\"course-(?:follow|orders)', path.read_text())) for path in (ROOT / "notebooks").rglob("*.ipynb")}
    assert sum(players.values()) >= 3
    shown = {name: soups[f"{name}.html"].select(":is([data-steps], [data-orders]):not(.asking *)") for name in players}
    assert {name: len(found) for name, found in shown.items()} == players, "beside the cells that are followed for the page"


def test_an_explorer_has_all_its_states(soups):
    assert len(soups["05_mapped_memory.html"].select(".explorer .state")) == 4 * 5 * 3


def test_the_explorer_of_addresses_has_memory_with_a_way_back_and_without(soups):
    has_way_back = {}
    for state in soups["06_the_way_back.html"].select(".explorer .state"):
        rows = dict(tuple(cell.get_text() for cell in row.select("td, th")) for row in state.select("tr"))
        has_way_back[state.get_text().partition(" = ")[0]] = rows["host pointer"] != "none"
    assert has_way_back["numbers"] and has_way_back["registered"] and has_way_back["managed_memory"]
    assert not any(has_way_back[name] for name in ("on_device", "pageable", "reserved.start", "freed"))


def test_a_kernel_in_a_string_has_the_colours_of_cuda(soups):
    kernels = [line for code in soups["13_memory_that_moves.html"].select(".highlight") if "void reply()" in code.get_text()
               for line in code.select("span") if line.get_text() in ("void", "while", "__global__")]
    assert {word.get_text() for word in kernels} == {"void", "while", "__global__"}
    assert all(set(word["class"]) & {"k", "kt", "kr"} for word in kernels)
    assert any(span.get_text() == '"pinned"' and span["class"][0].startswith("s")
               for span in soups["00_two_views_of_one_memory.html"].select(".highlight span"))


def test_no_link_is_dead(site, soups):
    dead = []
    for name, soup in soups.items():
        for link in soup.find_all("a", href=True):
            target, _, place = link["href"].partition("#")
            if "://" in target:
                continue
            there = soups.get(target or name)
            if not (site / (target or name)).is_file() or (place and not (there and there.find(id=place))):
                dead.append((name, link["href"]))
    assert dead == []


def test_links_between_lessons_lead_to_pages(soups):
    notebooks = [(name, link["href"]) for name, soup in soups.items()
                 for link in soup.find_all("a", href=re.compile(r"\.(ipynb|md)$")) if not link.has_attr("download")]
    repository = "https://github.com/some-one/a.course/blob/HEAD/"
    assert [(name, link) for name, link in notebooks if not (ROOT / link.removeprefix(repository)).is_file()] == []
    assert {link for _, link in notebooks if not link.startswith(repository)} == set()


def test_the_lessons_can_be_read_in_order(soups):
    name, read = f"{NOTEBOOKS[0]}.html", []
    while name:
        read.append(name.removesuffix(".html"))
        after = soups[name].find("a", rel="next")
        name = after and after["href"]
    assert read == NOTEBOOKS


def test_a_lesson_of_the_short_road_leads_to_the_next_one_of_it(soups):
    road = [f"{Path(lesson.notebook).stem}.html" for lesson in LESSONS if lesson.topic in SHORT_ROAD]
    leads = {name: {link["href"] for link in soup.select(".beside a:not([rel=prev])")} for name, soup in soups.items()}
    assert [(here, there) for here, there in zip(road, road[1:]) if there not in leads[here]] == []
    assert {name for name, links in leads.items() if len(links) > 1} <= set(road)


def test_a_command_that_clones_the_course_names_the_repository_that_the_site_was_made_from(soups):
    for name in ("index.html", "contributing.html", "install.html", "teachers-guide.html"):
        assert "git clone https://github.com/some-one/a.course " in soups[name].get_text() and "<this repository>" not in soups[name].get_text()


@pytest.mark.parametrize("origin, address", [
    ("https://github.com/a/b.git", "https://github.com/a/b"), ("git@github.com:a/b", "https://github.com/a/b"),
    (f"https://{CANARY}@github.com/a/b", ""), (f"/home/{CANARY}/course", ""), (f"ssh://{CANARY}/course", ""), (None, "")])
def test_an_origin_is_named_only_if_it_is_on_github_and_has_no_password(origin, address, command, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "ROOT", tmp_path)
    git(tmp_path, "init", "-q")
    if origin:
        git(tmp_path, "remote", "add", "origin", origin)
    assert command.repository() == address


def test_nothing_is_loaded_from_another_host(site, soups):
    loaded = [element.get("src") or element.get("href") for soup in soups.values()
              for element in soup.find_all(["img", "link", "script", "iframe", "source", "object", "embed"])]
    assert loaded and [address for address in loaded if urlsplit(address or "").netloc] == []
    assert not re.search(r"@import|url\(", (site / "style.css").read_text())


def test_nothing_that_was_not_committed_and_no_path_is_on_the_site(site):
    files = [path for path in site.rglob("*") if path.is_file()]
    assert len(files) > 100 and [path for path in files if CANARY.encode() in path.read_bytes() or CANARY in path.name] == []
    assert {path.stem for path in site.glob("*.ipynb")} == {Path(lesson_.notebook).stem for lesson_ in LESSONS}


def test_what_differs_from_the_commit_is_named(printed):
    named = {line.strip() for line in printed.splitlines() if line.startswith("  ")}
    assert {"notebooks/02_pinned_memory.ipynb", "notebooks/diary.ipynb", "notebooks/mine/diary.ipynb", "docs/glossary.md",
            "courseware/lessons/pinned/predictions.toml", "course_lib/pinned.py"} <= named


def test_assignments_for_nbgrader_have_nothing_that_was_not_committed(worked_in, tmp_path):
    subprocess.run([sys.executable, "tools/nbgrader_assignments.py", tmp_path / "graded"], cwd=worked_in, check=True, capture_output=True)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 20 and [path for path in files if CANARY.encode() in path.read_bytes()] == []


@pytest.fixture
def image(tmp_path):
    """What an image has: no git, the digests of its notebooks, and since then a notebook that somebody wrote there."""
    for name in "notebooks/00.ipynb", "notebooks/side_trips/01.ipynb", "docs/a.md", "notebooks/course-progress.json", ".venv/bin/python":
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    digests = subprocess.run("find notebooks -name '*.ipynb' -exec sha256sum {} +", shell=True, cwd=tmp_path, capture_output=True).stdout
    (tmp_path / committed.LIST).write_bytes(digests)
    (tmp_path / "notebooks" / "diary.ipynb").write_text(CANARY)
    return tmp_path


def test_without_git_the_listed_notebooks_are_taken_and_no_other(image):
    with committed.folder(image) as source:
        assert {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()} == {
            "notebooks/00.ipynb", "notebooks/side_trips/01.ipynb", "docs/a.md", committed.LIST}
    assert committed.differing(image) == ["notebooks/diary.ipynb"]


def test_without_git_a_listed_notebook_that_was_changed_is_named_and_nothing_taken(image):
    (image / "notebooks" / "00.ipynb").write_text(CANARY)
    with pytest.raises(committed.NotCommitted, match="notebooks/00.ipynb"), committed.folder(image):
        pass


def test_a_list_of_digests_does_not_stand_in_for_git(image):
    (image / ".git").mkdir()
    assert committed.unchanged(image) == []
    with pytest.raises(committed.NotCommitted, match="git cannot say"), committed.folder(image):
        pass


def test_a_source_distribution_has_nothing_of_a_learners_or_a_teachers(worked_in, tmp_path):
    subprocess.run([sys.executable, "-c", "import sys, setuptools.build_meta as build; build.build_sdist(sys.argv[1])", tmp_path],
                   cwd=worked_in, capture_output=True, check=True)
    archive, = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        names = {name.partition("/")[2] for name in sources.getnames()}
        assert {"courseware/course.py", "courseware/lessons/pinned/predictions.toml", "course_lib/py.typed"} <= names
        changed = {Path(member.name).name for member in sources
                   if member.isfile() and CANARY.encode() in sources.extractfile(member).read()}
    # The packages are taken as they lie there, with their README, which PKG-INFO has in it.
    assert changed <= {"pinned.py", "predictions.toml", "README.md", "PKG-INFO"}


@pytest.mark.parametrize("name", ["gradebook.csv", "gradebook-2.csv", "class-learners.png", "graded-course/gradebook.db",
                                  "graded-course/submitted/ada/a.ipynb", "submitted/ada/course-progress.json", "notebooks/course-progress.json",
                                  "notebooks/course-progress.damaged-1.json", "notebooks/course-certificate.md"])
def test_git_does_not_offer_what_names_learners(name):      # nor Docker: tests/setup/test_container.py
    assert subprocess.run(["git", "-c", "core.excludesFile=", "check-ignore", "--no-index", "-q", name], cwd=ROOT).returncode == 0


HOSTILE = ["<img src=x onerror=alert(1)>", "<IMG SRC=x OnError = alert(1)>", "<svg/onload=alert(1)>", "<script>alert(1)</script>",
           "<details open ontoggle=alert(1)>", "<a href='javascript:alert(1)'>x</a>", "<a href='&#106;ava\tscript:alert(1)'>x</a>",
           "<a href='data:text/html,<script>alert(1)</script>'>x</a>", "<iframe srcdoc='<img src=x onerror=alert(1)>'></iframe>",
           "<svg><style><img src=x onerror=alert(1)></style></svg>", "<svg><a xlink:href='javascript:alert(1)'>x</a></svg>",
           "<!--><img src=x onerror=alert(1)>-->", "<form action='javascript:alert(1)'><button>x</button></form>",
           "<svg><animate attributeName=href values='javascript:alert(1)'/></svg>", "<noscript><p title='</noscript><img onerror=alert(1)>'>",
           "<math><mtext><img src=x onerror=alert(1)></mtext></math>", "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
           "<object data='javascript:alert(1)'></object>", "<base href='javascript:alert(1)//'>"]


@pytest.mark.parametrize("html", HOSTILE)
def test_nothing_in_a_text_or_an_output_is_run(html, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "website"))
    from prose import Prose
    page = Prose("notebooks/a.ipynb", {})
    for shown in (page.led(f"<b>before</b>{html}"), page.html(f"before\n\n{html}")):
        soup = BeautifulSoup(shown, "html.parser")
        assert "before" in shown and soup.find(["script", "iframe", "object", "base", "meta", "animate", "form"]) is None
        assert not [tag for tag in soup.find_all(True) for name, value in tag.attrs.items()
                    if name.startswith("on") or "script:" in str(value) or str(value).startswith("data:text")]
        assert "<img src=x onerror" not in shown


def test_every_script_is_a_file_of_the_site_and_the_policy_allows_no_other(site, soups):
    for name, soup in soups.items():
        scripts = soup.find_all("script")
        assert scripts and all((site / script["src"]).is_file() and not script.get_text() for script in scripts), name
        policy = soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
        assert policy.startswith("default-src 'none'; script-src 'self'; ") and "'unsafe-eval'" not in policy


def test_what_a_notebook_has_stored_for_the_player_is_harmless(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "website"))
    import players
    steps = json.dumps({"code": ["    <b>x</b><img src=x onerror=alert(1)>"], "markups": ["<text onclick='alert(1)'>7</text>"], "steps": [], "pieces": []})
    shown = players.stored('<div class="course-follow" id="map-1"><style>a</style><p onclick="alert(1)">table</p><script>(() => {\n'
                           f'courseFollow(document.getElementById("map-1"), {steps});\n}})();</script></div>')
    player = BeautifulSoup(shown, "html.parser").div
    assert json.loads(player["data-steps"]) == {"code": ['    <b>x</b><img src="x"/>'], "markups": ["<text>7</text>"], "steps": [], "pieces": []}
    assert player.p.attrs == {} and player.find(["script", "style"]) is None


def test_a_program_that_is_shown_in_another_s_place_has_the_lines_for_which_that_stands(monkeypatch):
    for folder in ("tools", "tools/website"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    import players
    assert players._stands_for("import b\n# x = a(...)\nx = b()\nb(x)\n# del x\ndel x", "x = a(1)\n\ndel x") == {0: 0, 1: 0, 2: 1, 3: 1, 4: 1, 5: 3, 6: 3}
    for comments in ("# y = a(...)", "# del x\n# x = a(1)"):
        with pytest.raises(players.NotAPage, match="no such line"):
            players._stands_for(comments, "x = a(1)\n\ndel x")


# Where it is put ------------------------------------------------------------------------------------------------------

def test_a_new_folder_an_empty_one_and_one_of_earlier_pages_is_taken(command, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new" / "site", tmp_path / "empty"):
        for _ in range(2):
            assert command.main([str(folder)]) == 0 and (folder / "index.html").read_text() == "new"
        assert f"open {folder / 'index.html'}" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["a stranger's folder", "a folder with a hidden file", "a link", "a dangling link", "a file",
                                  "the notebooks", "the checkout", "pages with a stranger's file", "pages that somebody changed"])
def test_what_is_not_the_sites_own_is_refused_before_anything_happens(what, command, tmp_path, monkeypatch):
    target = tmp_path / "target"
    if what in ("a link", "a dangling link"):
        target.symlink_to(tmp_path / "there")
        if what == "a link":
            (tmp_path / "there").mkdir()
    elif what == "a file":
        target.write_text("thesis")
    elif what in ("the notebooks", "the checkout"):
        target = ROOT / "notebooks" if what == "the notebooks" else ROOT
    elif what.startswith("pages"):
        assert command.main([str(target)]) == 0
        (target / ("index.html" if "changed" in what else "thesis.tex")).write_text("mine")
    else:
        target.mkdir()
        (target / (".bashrc" if "hidden" in what else "thesis.tex")).write_text("mine")
    monkeypatch.setattr(command, "render", lambda *_: pytest.fail("the pages were begun"))
    before = sorted(map(str, tmp_path.rglob("*"))), [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert "is left as it is" in (sentence := command.main([str(target)])) or "is a link" in sentence
    assert before == (sorted(map(str, tmp_path.rglob("*"))), [path.read_text() for path in tmp_path.rglob("*") if path.is_file()])


@pytest.mark.parametrize("option", ["--help", "--ouput", "-x", "--draf"])
def test_an_option_is_no_folder(option, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        command.main([option])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [subprocess.CalledProcessError(1, "build.py"), OSError(28, "No space left on device")])
def test_pages_that_cannot_be_made_leave_the_earlier_ones(error, command, tmp_path, monkeypatch):
    assert command.main([str(tmp_path / "site")]) == 0

    def fail(_, folder):
        (folder / "half.html").write_text("half")
        raise error
    monkeypatch.setattr(command, "render", fail)
    assert "No pages were made" in command.main([str(tmp_path / "site")])
    assert [path.name for path in tmp_path.iterdir()] == ["site"] and (tmp_path / "site" / "index.html").read_text() == "new"


def test_a_folder_that_is_no_checkout_has_drafts_alone(command, tmp_path, monkeypatch, capsys):
    monkeypatch.undo()
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "render", lambda source, folder: (folder / "index.html").write_text("draft"))
    assert "--draft" in command.main([]) and list(tmp_path.iterdir()) == []
    assert command.main(["--draft"]) == 0 and "Do not publish it" in capsys.readouterr().out
    assert (tmp_path / ".build" / "draft" / "index.html").is_file()


def test_every_table_is_one(soups):
    assert [name for name, soup in soups.items() for text in soup.select("main p") if re.search(r"\|\s*-{3}", text.get_text())] == []


def test_every_picture_says_what_it_shows(soups):
    silent = [(name, str(picture)[-80:]) for name, soup in soups.items() for picture in soup.select("img")
              if len(picture.get("alt", "")) < 20 or "No description" in picture["alt"]]
    maps = [svg for soup in soups.values() for svg in soup.find_all("svg")]
    assert silent == []
    assert len(maps) >= 8 and all(svg.get("aria-label") or svg.get("aria-labelledby") for svg in maps)


def test_every_page_has_one_title_and_no_name_twice(soups):
    for name, soup in soups.items():
        assert len(soup.find_all("h1")) == 1, name
        ids = [element["id"] for element in soup.find_all(id=True)]
        assert len(ids) == len(set(ids)), name


def test_every_output_that_answers_a_prediction_is_folded(soups):
    for name in NOTEBOOKS:
        soup = soups[f"{name}.html"]
        open_answers = [text for text in soup.find_all(string=re.compile("Observed:")) if not text.find_parent("details")]
        assert open_answers == [], name
        assert all(not fold.has_attr("open") for fold in soup.select("main > .cell > details"))


def test_every_map_is_drawn_for_a_phone_too(soups):
    frames = [frame for soup in soups.values() for frame in soup.select(".mm-frame")]
    assert frames and all(frame.select(".mm-wide") and frame.select(".mm-narrow") for frame in frames)
    pages = [frame for frame in frames if frame.select(".row")]
    assert pages and all(len(page.select(".mm-wide .row")) == len(page.select(".mm-narrow .row")) for page in pages)


def test_nobody_is_told_that_they_have_not_predicted(soups):
    # The sentence is cut out of the page; were it changed in the course, it would come back.
    assert '"You have not predicted."' in (ROOT / "courseware" / "predictions" / "prediction.py").read_text()
    assert [name for name in NOTEBOOKS if "You have not predicted" in soups[f"{name}.html"].get_text()] == []


def test_nobody_is_told_that_a_starter_is_still_the_starter(soups):
    assert STARTER in (ROOT / "notebooks" / LESSONS[0].notebook).read_text()
    assert [name for name in NOTEBOOKS if STARTER in soups[f"{name}.html"].get_text()] == []


def test_every_prediction_can_be_answered_on_its_page(soups):
    for lesson in LESSONS:
        soup = soups[f"{Path(lesson.notebook).stem}.html"]
        texts = {paragraph.get_text() for question in soup.select(".question") for paragraph in question.select("details p")}
        for name, prediction in lesson.read("predictions.toml").items():
            right = soup.select_one(f"#ask-{name} .right > summary").get_text()     # its reply, if it has one, is for another machine
            replies = [BeautifulSoup(paragraphs(reply), "html.parser").get_text() for option, reply in prediction.get("replies", {}).items()
                       if option.replace("`", "") != right]
            assert [reply for reply in replies if not any(reply in text for text in texts)] == [], name


def test_every_exercise_can_be_read_on_its_page_and_has_its_hints_and_a_solution(soups):
    for lesson in LESSONS:
        soup = soups[f"{Path(lesson.notebook).stem}.html"]
        hints = [fold.p.get_text() for fold in soup.select(".hint:has(> p)")]
        solutions = [fold.pre.get_text() for fold in soup.select(".hint:has(> pre)") if fold.summary.get_text() == "A solution"]
        cards = " ".join(output.get_text() for output in soup.select(".output") if not output.find_parent("details"))
        for name, exercise in lesson.read("exercises.toml").items():
            first = BeautifulSoup(paragraphs(exercise["hints"][0]), "html.parser").p.get_text()
            assert first in hints and f"Exercise {name}: " in cards, name
            assert EXERCISES[name].solution.strip() in solutions, name
        assert cards.count("To solve it, open the notebook") == len(lesson.read("exercises.toml"))


def test_of_the_options_of_a_question_one_is_right(soups):
    for name in NOTEBOOKS:
        for question in soups[f"{name}.html"].select(".question"):
            if "data-at" in question.attrs:     # of a program that is stepped through: it says more
                assert len(question.select(".right")) == 1 < len(question.select("details"))
                continue
            answers = [fold.p.get_text() for fold in question.select("details")]
            assert len(answers) > 1 and answers.count(RIGHT) == 1, question.get_text()[:200]


def test_the_reference_has_a_page_for_each_room_of_course_lib(site):
    rooms = {name for _, name in [room(module) for module in modules("course_lib")]} - {"__init__", "__main__"}
    assert {path.stem for path in (site / "reference" / "course_lib").glob("*.html")} == rooms
    assert "attach" in (site / "reference" / "cuda_simulator.html").read_text()


def test_the_reference_shows_values_but_no_folder_of_the_builder_and_no_text_of_boost(site):
    assert "writecombined&#39;: 4" in (site / "reference" / "course_lib" / "pinned.html").read_text()
    for page in (site / "reference").rglob("*.*"):
        assert not any(words in page.read_text() for words in (str(ROOT), "C++ signature")), page


def test_what_the_site_does_not_have_lies_in_the_repository_and_is_only_named_if_nobody_knows_where_that_is(soups, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "website"))
    from prose import Prose
    licence = soups["index.html"].find("a", string="MIT licence")
    assert licence["href"] == "https://github.com/some-one/a.course/blob/HEAD/LICENSE"
    text = BeautifulSoup(Prose("README.md", {}).html("[MIT licence](LICENSE)"), "html.parser")
    assert not text.find("a") and text.select_one("span.elsewhere")["title"].endswith("LICENSE")


def test_make_site_renders_it(project, replaced):    # noqa: F811
    bootstrap.main(project, ["site", "folder"])
    (command, _), = replaced
    assert command == [str(project.python), "tools/website", "folder"]


@pytest.fixture(scope="module")
def chromium():
    with started() as browser:
        yield browser


@pytest.fixture
def browser(chromium):
    """One for all tests of this file; what a test opens in it is closed at the test's end."""
    yield chromium
    for context in chromium.contexts:
        context.close()


def test_the_reply_to_an_answer_is_in_sight(site, browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto((site / "00_two_views_of_one_memory.html").as_uri())
    for question in page.locator("main > .question").all():
        question.evaluate("one => scrollTo(0, one.getBoundingClientRect().bottom + scrollY - innerHeight)")
        question.locator("summary").first.click()
        page.wait_for_function("one => one.getBoundingClientRect().bottom <= innerHeight + 1", arg=question.element_handle())
        assert question.locator("[open] p").is_visible()


def test_an_answer_shows_what_the_cell_showed_and_whether_it_was_right(site, browser):
    page = browser.new_page(viewport=PHONE)
    page.goto((site / "04_bandwidth.html").as_uri())
    shown = page.locator(".seen-bandwidth-pageable-speed .course-plot")
    assert not shown.is_visible()
    grounds = []
    for answer in ("twice as fast", "about six times as fast"):
        summary = page.locator("#ask-bandwidth-pageable-speed summary", has_text=answer)
        summary.click()
        grounds.append(summary.evaluate("one => getComputedStyle(one).backgroundColor"))
    assert shown.is_visible() and shown.bounding_box()["width"] <= PHONE["width"]
    assert grounds == ["rgb(168, 69, 10)", "rgb(11, 107, 79)"]


@pytest.fixture
def reader(site, browser):
    """``reader("index.html", **options)``: a page in a browser, on a phone; what its scripts complain of fails the test."""
    complaints = []

    def opened(name, **options):
        page = browser.new_context(viewport=PHONE, **options).new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.clock.install()
        page.goto((site / name).as_uri())
        return page
    yield opened
    assert complaints == []


NEXT_STANDS_OUT = "document.querySelector('{} .cf-next').computedStyleMap().get('background-color').toString()"


def test_the_first_page_opens_with_a_question_and_an_answer_goes_on_to_the_step(reader):
    page = reader("index.html")
    program = page.locator("#opening")
    question, memory = page.locator("#ask-whose-numbers"), program.locator(".mm-narrow")
    quiet = page.evaluate(NEXT_STANDS_OUT.format("#opening"))
    first_row, bar = (program.locator(part).bounding_box()["y"] for part in (".mm-narrow .pill >> nth=0", ".cf-bar"))
    asked = question.bounding_box()
    assert 0 < first_row < first_row + 42 <= asked["y"] < asked["y"] + asked["height"] <= bar < PHONE["height"], "all three without scrolling"
    assert memory.get_by_text("15", exact=True).is_visible() and memory.get_by_text("9", exact=True).count() == 0, "a is not freed yet"
    begins = program.locator(".cf-code:visible").evaluate("code => [...code.children].find(line => line.offsetTop === code.scrollTop).innerText.trim()")
    assert begins.startswith("a = "), "the code begins with a whole line"
    question.locator("summary", has_text="3 1 4 15").click()
    program.locator(".cf-say", has_text="It is at the address that memory A had").wait_for()
    assert page.evaluate(NEXT_STANDS_OUT.format("#opening")) != quiet
    right, mark = question.locator(".right"), "one => getComputedStyle(one.querySelector('summary'), '::before').content"
    assert not right.locator("p").is_visible() and "\u2717" not in question.inner_text(), "the program has not come to it yet"
    assert right.evaluate(mark) == "none"
    page.clock.run_for(20_000)      # what the page takes to go on by itself
    program.locator(".cf-say", has_text="It prints: [9 2 6 5]").wait_for()
    assert right.locator("p").is_visible() and "\u2717" in question.inner_text() and right.evaluate(mark).startswith('"\u2713'), "both with their reasons"
    for shown in (memory.get_by_text("a, old, b"), program.locator(".onward a").first, question.locator(".wrong > summary").first):
        box = shown.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= program.locator(".cf-bar").bounding_box()["y"]


def test_a_program_tells_what_came_of_an_answer_within_three_seconds_of_its_own_clock(site, soups, browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.clock.install()
    seen = 0
    for name in (name for name, soup in soups.items() if soup.select_one(".asking, .choices")):
        page.goto((site / name).as_uri())
        for question in page.locator(".asking .question").all():
            if not question.is_visible():       # it is asked after another
                question.locator("xpath=ancestor::*[contains(@class, 'asking')]").locator(".cf-bar input").fill(question.get_attribute("data-at"))
            question.locator(".wrong > summary").first.click()
            page.wait_for_function("one => !one.closest('.asks')", arg=question.element_handle())      # it has begun
            page.clock.run_for(3000)
            assert question.locator(".wrong[open] p").is_visible(), name
            seen += 1
        for exercise in page.locator(".choices").all():
            for place in set(exercise.locator("[data-place]").evaluate_all("all => all.map(one => one.dataset.place)")):
                control = exercise.locator(f"[data-place={place}]").last
                control.check() if control.get_attribute("type") == "radio" else control.select_option(index=1)
            exercise.locator(".ch-run button").click()
            page.clock.run_for(3000)
            assert exercise.locator(".ch-ends").inner_text(), name
            seen += 1
    assert seen >= 10


def test_a_reader_finds_the_endings_of_the_first_program_by_changing_it(reader):
    change = reader("index.html", reduced_motion="reduce").locator("#do-change-it")
    run, found, ends = (change.locator(name) for name in (".ch-run button", ".ch-run span", ".ch-ends"))
    for count, place, ending in ((1, 0, "[9 2 6 5]"), (1, 0, "[9 2 6 5]"), (2, 2, "[ 3 1 4 15]"), (3, 1, "CUDA_ERROR_INVALID_VALUE")):
        change.locator("[data-place=free]").nth(place).check()
        run.click()
        assert found.inner_text().startswith(f"{count} of 5 endings found") and ending in ends.inner_text()
    assert not re.search("Right|Not yet", ends.inner_text())
    assert len(ends.locator("li").all()) == 3
    change.locator("[data-place=free]").nth(2).check()
    run.click()
    picture = change.locator(".mm-narrow")
    assert "[ 3 1 4 15]" in change.locator(".cf-say").inner_text() and picture.get_by_text("a, old").is_visible(), "as it was when it printed"
    assert picture.get_by_text("points nowhere").count() == 0
    change.locator(".cf-next").click()
    assert picture.get_by_text("points nowhere").is_visible() and "[ 3 1 4 15]" in ends.inner_text()
    assert "[9 2 6 5]" in ends.locator("li").first.inner_text()


def test_a_reader_stops_a_program_that_goes_on_by_itself(site, browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.clock.install()
    page.goto((site / "index.html").as_uri())
    program = page.locator("#opening")
    program.locator(".wrong > summary").first.click()
    program.locator(".cf-next").click()
    page.clock.run_for(60_000)
    assert "It prints" not in program.locator(".cf-say").inner_text()


@pytest.mark.parametrize("width", [390, 1366])
def test_the_link_past_the_menu_is_seen_when_it_has_the_focus(site, width, browser):
    page = browser.new_page(viewport={"width": width, "height": 768})
    page.goto((site / "00_two_views_of_one_memory.html").as_uri())
    page.keyboard.press("Tab")
    seen = page.evaluate("""() => {
        const link = document.activeElement, {left, right, top, bottom} = link.getBoundingClientRect();
        return link.matches(".skip") && [[left, top], [right, top], [left, bottom], [right, bottom]].every(([x, y]) =>
            document.elementFromPoint(x + (x === left ? 1 : -1), y + (y === top ? 1 : -1)) === link);
    }""")
    assert seen


def test_after_an_answer_the_freed_memory_stays_in_sight_and_at_the_end_it_is_played_again(reader):
    page = reader("index.html")
    program = page.locator("#opening")
    say, bar = (program.locator(name) for name in (".cf-say", ".cf-bar"))
    page.clock.pause_at(datetime.now() + timedelta(hours=1))        # from here on its time is this test's
    program.locator(".wrong > summary").first.click()
    say.get_by_text("Memory A is gone").wait_for()
    page.clock.run_for(1200)
    assert "Memory A is gone" in say.inner_text()
    code, shown, told = (program.locator(name).bounding_box() for name in (".cf-code:visible", ".mm-narrow", ".cf-say"))
    assert code["y"] + code["height"] <= shown["y"] < shown["y"] + shown["height"] <= told["y"] < told["y"] + told["height"] <= bar.bounding_box()["y"]
    page.clock.run_for(20_000)
    bar.get_by_role("button", name="Play again").click()
    assert "Memory B" not in say.inner_text()
    page.clock.run_for(20_000)
    assert "It prints" in say.inner_text()


def test_who_writes_cpp_steps_through_the_program_in_it_and_is_told_at_the_end_what_a_gpu_printed(reader):
    program = reader("index.html").locator("#opening")
    shown, note = program.locator(".cf-code:visible"), program.locator(".note", has_text="compiled")
    assert "to_device" in shown.inner_text() and not note.is_visible()
    program.get_by_role("button", name="CUDA C++").click()
    assert "cudaMalloc" in shown.inner_text() and "to_device" not in shown.inner_text()
    assert note.is_visible() and "9 2 6 5" not in note.inner_text(), "that would answer the question"
    marked = []
    for step in range(5):
        program.locator(".cf-bar input").fill(str(step))
        marked.append([line.split("(")[0].split()[-1] for line in shown.locator(".cf-now").all_inner_texts()])
    assert marked[1:4] == [["a;"], ["cudaFree"], ["cudaMalloc", "cudaMemcpy"]] and [len(lines) for lines in marked] == [2, 1, 1, 2, 2]
    assert "9 2 6 5" in note.inner_text()
    program.get_by_role("button", name="Python").click()
    assert shown.locator(".cf-now").inner_text().startswith("print(") and not note.is_visible()


def test_who_wants_no_motion_comes_to_the_answering_step_at_once(reader):
    program = reader("index.html", reduced_motion="reduce").locator("#opening")
    program.locator("summary", has_text="an error").click()
    program.locator(".cf-say", has_text="It prints").wait_for(timeout=1000)


def test_the_second_program_asks_twice_and_the_way_back_is_in_sight_with_the_reply(reader):
    page = reader("index.html")
    program = page.locator("#way-back")
    question, other = page.locator("#ask-gpu-writes"), page.locator("#ask-way-back")
    question.locator("summary", has_text="each side").click()
    program.locator(".cf-say", has_text="Memory A holds 7 7 4 15").wait_for()
    while not other.is_visible():
        program.locator(".cf-next").click()
    assert not question.is_visible() and "Memory B" not in program.locator(".cf-say").inner_text()
    other.locator(".wrong > summary").last.click()
    program.locator(".cf-say", has_text="Memory B is new").wait_for()
    no_way_back = program.locator(".mm-narrow").get_by_text("no way back")
    page.wait_for_function("one => one.getBoundingClientRect().bottom <= document.querySelector('#way-back .cf-bar').getBoundingClientRect().top",
                           arg=no_way_back.element_handle())
    assert no_way_back.is_visible() and other.locator(".wrong p").last.is_visible()


def test_after_the_last_step_of_a_program_it_says_what_comes_next(reader):
    page = reader("index.html")
    for name, question in (("#opening", "#ask-whose-numbers"), ("#way-back", "#ask-gpu-writes"), ("#late", "#ask-copy-late")):
        program = page.locator(name)
        assert page.locator(question).is_visible() and not program.locator(".onward").is_visible()
        program.locator(".cf-next").focus()
        page.keyboard.press("End")
        assert program.locator(".onward a").count() >= 2 and program.locator(".onward").is_visible()
        assert "\u2026" not in program.locator(".cf-say").inner_text()
    page.locator("#opening .onward a").first.click()
    assert page.url.endswith("#do-change-it")


def test_next_passes_by_a_question_only_if_it_is_pressed_again(reader):
    program = reader("index.html").locator("#opening")
    refusal, say, step = (program.locator(name) for name in (".refusal", ".cf-say", ".cf-count"))
    here, sentence = step.inner_text(), say.inner_text()
    for press in (lambda: program.locator(".cf-next").click(), lambda: program.locator(".cf-next").press("ArrowRight")):
        press()
        assert refusal.inner_text() == "Guess first, or press Next again." and (step.inner_text(), say.inner_text()) == (here, sentence)
        press()
        assert step.inner_text() != here and not refusal.is_visible()
        program.locator(".cf-back").click()


def test_on_a_laptop_program_and_picture_stand_side_by_side_and_the_question_below_without_scrolling(site, browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto((site / "index.html").as_uri())
    in_sight = 700      # a browser's own bars take some
    code, question, picture = (page.locator(f"#opening {selector}").first.bounding_box() for selector in (".cf-code", ".question", ".mm-wide"))
    assert code["x"] + code["width"] <= picture["x"] and picture["width"] > code["width"], "the picture is the largest thing"
    assert max(box["y"] + box["height"] for box in (code, picture)) <= question["y"] and question["y"] + question["height"] <= in_sight
    page.locator("#ask-whose-numbers .wrong > summary").first.click()
    page.locator("#opening .cf-bar input").press("End")
    reply = page.locator("#ask-whose-numbers .wrong[open] p")
    assert reply.is_visible() and page.locator("#opening .cf-code:visible").bounding_box()["y"] > 0, "with all of the program"
    options = page.locator("#ask-whose-numbers summary").all()
    assert len({option.bounding_box()["y"] for option in options}) == 1, "they stand where they stood, and the reply is below"
    assert options[0].bounding_box()["y"] < reply.bounding_box()["y"] < 768 - reply.bounding_box()["height"]


def test_on_a_laptop_an_answer_is_followed_by_a_button_to_the_next_step_until_the_last_one(site, browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.clock.install()
    page.goto((site / "index.html").as_uri())
    for name, more in (("#ask-gpu-writes", 1), ("#ask-whose-numbers", 0)):
        program = page.locator(f".asking:has({name})")
        program.locator(f"{name} .wrong > summary").first.click()
        page.clock.run_for(20_000)
        program.locator(".go-on" if more else ".onward").wait_for()
        assert program.locator(".go-on").count() == more
    page.locator(".go-on").click()
    assert page.locator("#way-back .cf-say").inner_text().endswith("It prints: True") and page.locator(".go-on").count() == 0


def test_who_comes_from_pytorch_answers_and_sees_it_happen_each_line_of_torch_with_what_runs_for_it(reader):
    page = reader("from-pytorch.html")
    page.locator(".question .right > summary").click()
    page.locator(".cf-say", has_text="It prints: [2 2 2 2]").wait_for()
    assert page.locator(".question .right p").is_visible() and page.locator(".onward").is_visible()
    shown = {}
    while True:
        shown.setdefault(page.locator(".cf-now code").inner_text().strip().partition("(")[0], []).append(page.locator(".runs code").inner_text())
        if page.locator(".cf-back").get_attribute("aria-disabled") == "true":
            break
        page.locator(".cf-back").click()
    assert shown["arrived.copy_"] == ["memcpy_dtoh_async(arrived, x, side)"] and shown["del x"] == ["del x", "cache.append(x)"]
    page.get_by_role("link", name="place the two lines yourself").click()
    assert page.locator(page.url[page.url.index("#"):]).get_by_role("heading").first.is_visible()


def test_the_answers_program_begins_where_the_driver_is_asked(reader):
    page = reader("why-there-is-no-inverse.html")
    assert "The driver is asked about memory A" in page.locator(".cf-say").inner_text()


def test_without_a_script_the_first_page_has_its_questions_and_tables(reader):
    page = reader("index.html", java_script_enabled=False)
    for question in ("whose-numbers", "gpu-writes", "way-back", "copy-late"):
        assert page.locator(f"#ask-{question}").is_visible()
        assert page.locator(f".asking:has(#ask-{question}) > pre").is_visible()
    steps = page.locator(".course-follow > details").first
    assert not steps.locator("table").is_visible(), "it has the answers"
    steps.locator("summary").click()
    assert "Memory B is new" in steps.locator("table").inner_text()
    assert page.locator(".onward a").first.is_visible() and not page.get_by_text("No way back.").is_visible()
    assert not page.locator(".cf-player").first.is_visible() and not page.locator(".search").is_visible()


def test_without_a_script_a_board_says_so_in_the_place_of_its_task(reader):
    page = reader("16_who_comes_first.html", java_script_enabled=False)
    board = page.locator(".course-orders").first
    assert board.get_by_text("needs JavaScript").is_visible() and not board.locator(".task").is_visible()
    assert "orders" in board.locator("details li").first.inner_text()
    page = reader("16_who_comes_first.html")
    assert page.locator(".task").first.is_visible() and not page.get_by_text("needs JavaScript").first.is_visible()


def test_the_boards_task_can_be_done_and_says_what_all_its_orders_come_to(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "website"))
    import pages
    import players
    _, data = players.board(pages.page(ROOT, "notebooks/16_who_comes_first.ipynb"))
    steps = [(thread, number) for thread, accesses in enumerate(data["threads"]) for number in range(len(accesses))]

    def caught(order):
        """Which threads read a wrong number."""
        memory, wrong = dict(data["initial"]), set()
        for thread, number in order:
            access = data["threads"][thread][number]
            if access["kind"] == "write":
                memory[access["name"]] = access["value"]
            elif memory.get(access["name"]) != access["value"]:
                wrong.add(thread)
        return wrong

    in_step = sorted(steps, key=lambda step: step[::-1])
    exchanged = [in_step[:at] + [in_step[at + 1], in_step[at]] + in_step[at + 2:] for at in range(len(in_step) - 1)]
    assert caught(in_step) == set() and [wrong for wrong in map(caught, exchanged) if wrong] == [{0}]
    every = _interleaved([len(accesses) for accesses in data["threads"]])
    assert set().union(*map(caught, every)) == set(players.CAN_BE_CAUGHT) == {0, 2} and "Thread 1" in players.BECAUSE


def _interleaved(left, before=()):
    """Every order of so many accesses of each thread, each thread's own in their order."""
    if not any(left):
        yield before
    for thread, count in enumerate(left):
        if count:
            number = sum(one == thread for one, _ in before)
            yield from _interleaved([*left[:thread], count - 1, *left[thread + 1:]], (*before, (thread, number)))


def test_on_a_phone_a_board_shows_a_move_and_what_comes_of_it_in_one_view(reader):
    page = reader("16_who_comes_first.html")
    page.set_viewport_size(PHONE)
    board = page.locator("#orders")
    board.locator(".co-barrier input").uncheck()
    board.locator(".co-tile", has_text="reads s[2]").press("ArrowUp")
    tile = board.locator(".co-tile", has_text="reads s[2]")
    moved, verdict, memory = (found.bounding_box() for found in (tile, board.locator(".co-say.co-wrong"), board.locator(".co-memory").last))
    assert 0 <= moved["y"] and moved["y"] + moved["height"] <= verdict["y"] < memory["y"] and memory["y"] + memory["height"] <= PHONE["height"]


def test_a_board_marks_the_number_that_is_wrong_and_not_the_last_one_written(reader):
    board = reader("16_who_comes_first.html").locator("#orders")
    board.locator(".co-barrier input").uncheck()
    board.locator(".co-tile", has_text="reads s[2]").press("ArrowUp")
    assert [cell.split() for cell in board.locator(".co-memory .co-wrong").all_inner_texts()] == [["x[0]", "?", "✗", "should", "be", "30"]]
    assert board.locator(".co-fresh").count() == 0
    board.locator("input[type=range]").press("ArrowLeft")
    assert board.locator(".co-fresh").count() == 1


@pytest.mark.parametrize("name, clicked, shown", [("16_who_comes_first.html", "#ask-order-barrier .wrong > summary", ".seen-order-barrier > .output"),
                                                  ("05_mapped_memory.html", ".explorer fieldset >> nth=-1 >> label >> nth=-1", ".explorer .state:visible"),
                                                  ("questions.html", ".cf-next >> nth=0", ".cf-map >> nth=0")])
def test_what_a_click_shows_comes_into_view_with_what_was_clicked(name, clicked, shown, reader):
    page = reader(name)
    page.set_viewport_size({"width": 1366, "height": 768})
    button = page.locator(clicked).first
    button.evaluate("button => scrollTo(0, scrollY + button.getBoundingClientRect().bottom - innerHeight + 10)")
    button.click()
    for part in (button, page.locator(shown).first):
        box = part.bounding_box()
        assert 0 <= box["y"] and box["y"] + box["height"] <= 768


def test_a_board_says_when_all_are_caught_that_can_be_and_leads_to_why_the_others_cannot(reader):
    board = reader("16_who_comes_first.html").locator("#orders")
    board.locator(".co-barrier input").uncheck()
    for words, moves in (("reads s[2]", 1), ("writes s[2]", 3), ("reads s[0]", 4)):
        assert board.get_by_text("all that can be caught").count() == 0
        board.locator(".co-tile", has_text=words).focus()
        for _ in range(moves):
            board.get_by_role("button", name="Move the chosen access earlier").click()
    board.get_by_text("all that can be caught").get_by_role("link").click()
    assert board.get_by_text("Thread 1 reads the number that it has written itself").is_visible()


# What of a picture's words leaves its rectangle, or comes to lie on other words. Of a program it is looked at what any of its steps draws.
OUTSIDE = """() => {
    const outside = [], svg = document.body.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    svg.setAttribute("class", "mm");
    function look(group) {
        const words = [...group.querySelectorAll(":scope > text")].map(text => [text.textContent, text.getBBox()]).filter(([, box]) => box.width);
        const frames = [...group.querySelectorAll(":scope > rect")].map(rect => rect.getBBox());
        for (const [word, {x, y, width, height}] of words) {
            const middle = y + height / 2, around = frames.filter(frame => frame.y <= middle && middle <= frame.y + frame.height
                && frame.x <= x + width / 2 && x + width / 2 <= frame.x + frame.width);
            if (around.length && !around.some(frame => frame.x < x && x + width < frame.x + frame.width)) outside.push(word);
            for (const [other, box] of words)
                if (other !== word && Math.abs(box.y - y) < 6 && x < box.x && box.x < x + width) outside.push(`${word}, and on it ${other}`);
        }
        return words.length;
    }
    let seen = 0;
    for (const {dataset} of document.querySelectorAll("[data-steps], [data-choices]"))
        for (const markup of JSON.parse(dataset.steps || dataset.choices).markups) {
            const group = svg.appendChild(document.createElementNS(svg.namespaceURI, "g"));
            group.innerHTML = markup;
            seen += look(group);
        }
    for (const group of document.querySelectorAll("main svg, main svg g")) if (group.getBoundingClientRect().width) seen += look(group);
    svg.remove();
    for (const box of document.querySelectorAll(".co-tile, main button, main summary, .cf-work li, .co-memory li"))
        if (box.scrollWidth > box.clientWidth + 1 && box.clientWidth) outside.push(box.textContent);
    return [seen, outside];
}"""


def test_in_no_picture_a_word_leaves_its_box_wide_or_on_a_phone(site, soups, browser):
    page, seen = browser.new_page(reduced_motion="reduce"), 0
    for width in (390, 1366):
        page.set_viewport_size({"width": width, "height": 844})
        for name in soups:
            page.goto((site / name).as_uri())
            page.evaluate("for (const fold of document.querySelectorAll('main details:not([name])')) fold.open = true")
            words, outside = page.evaluate(OUTSIDE)
            assert outside == [], f"{name}, {width} pixels"
            seen += words
    assert seen > 1000


def test_a_link_to_a_board_shows_its_task_and_all_of_it_on_a_laptop(site, browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto((site / "index.html").as_uri())
    page.locator(".board a").click()
    page.wait_for_url("**/16_who_comes_first.html#orders")
    menu, task, board = (page.locator(name).first.bounding_box() for name in (".menu", "#orders > .task", "#orders > .co-board"))
    assert menu["y"] + menu["height"] <= task["y"] < task["y"] + task["height"] <= board["y"]
    assert board["y"] + board["height"] <= 768


def test_an_explorer_needs_no_script(reader):
    page = reader("06_the_way_back.html", java_script_enabled=False)
    page.get_by_role("radio", name="on_device", exact=True).check()
    shown = page.locator(".explorer .state").filter(visible=True)
    assert shown.count() == 1 and "DEVICE_MEMORY" in shown.inner_text()
    page = reader("05_mapped_memory.html", java_script_enabled=False)
    shown = page.locator(".explorer .state").filter(visible=True)
    letters = page.evaluate("""(svg => parseFloat(getComputedStyle(svg).fontSize) * svg.getScreenCTM().a)(
                            [...document.querySelectorAll('.explorer svg')].find(svg => svg.getBoundingClientRect().width))""")
    assert letters >= 9, "pixels, of the picture's letters on a phone"
    assert shown.count() == 1 and "read once, coalesced" in shown.inner_text()
    page.locator("#times-0").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.get_by_role("radio", name="random").check()
    assert shown.count() == 1 and "read 8 times, random" in shown.inner_text()


def test_the_search_finds_no_lines_that_only_lead_on(site):
    index = json.loads((site / "search-index.js").read_text().removeprefix("courseSearch(").removesuffix(");\n"))
    texts = [text for _, _, _, text, *_ in index]
    assert len(texts) > 200 and [text for text in texts if re.search(r"(?:Previous|Next): \d\d ", text)] == []


def test_other_words_are_those_for_a_page():
    synonyms = tomllib.loads((ROOT / "tools" / "website" / "synonyms.toml").read_text())
    assert synonyms and [source for source in synonyms if not (ROOT / source.partition("#")[0]).is_file()] == []
    headings = {source: source.partition("#")[2] for source in synonyms if "#" in source}
    assert headings and [source for source, heading in headings.items() if f"## {heading}\n" not in (ROOT / source.partition("#")[0]).read_text()] == []


def test_a_search_leads_to_the_place(reader):
    page = reader("index.html")
    page.locator(".search summary").click()
    field = page.get_by_label("Search the course")
    field.fill("granularity reserve")
    first = page.locator(".search li a").first
    first.wait_for()
    assert page.locator(".search [role=status]").inner_text().endswith("places")
    field.fill("xylophone")
    assert page.locator(".search [role=status]").inner_text().startswith("No place has it.") and page.locator(".search li").count() == 0
    field.fill("granularity xylophone reserve")
    status = page.locator(".search [role=status]").inner_text()
    assert status.startswith("No place has all of it.") and status.endswith("places without xylophone") and first.is_visible()
    field.fill("cudaErrorIllegalAddress")
    assert "illegal_address" in page.locator(".search li p").first.inner_text().lower()
    for words, title in (("zero copy", "05"), ("page-locked", "02"), ("UVA", "07"), ("HMM", "13"), ("unified memory", "13"),
                         ("double free", "invalid argument"), ("can I free", "01"), ("segfault", "00"), ("out of bounds", "illegal memory access"),
                         ("pin_memory", "02"), ("non_blocking", "02"), ("copy is slow", "04"), ("PyTorch", "From PyTorch"), ("deadlock", "19"),
                         ("pinned memory", "02"), ("managed memory", "13"), ("pin_memory=True", "02"), ("memory leak", "18"), ("race condition", "16")):
        field.fill(words)
        assert title in first.inner_text(), words
    for wrong, title in (("pined memory", "02"), ("mannaged", "13"), ("resreve", "09"), ("cudaHostGetDevicePointre", "Does cudaHostGetDevicePointer")):
        field.fill(wrong)
        assert title in page.locator(".search ol").inner_text() and " with " in page.locator(".search [role=status]").inner_text()
    for words, title in (("illegal memory access", "an illegal memory access was encountered"), ("physical memory", "in 00 "), ("invalid argument", "invalid argument, "),
                         ("out of memory", "out of memory, in Error"), ("teacher's guide", "Teacher's guide")):
        field.fill(words)
        assert title in first.inner_text(), words
    for words, title in (("dangling pointer", "Whose pointer is this?"), ("use after free", "My tensor holds somebody else's numbers, in From PyTorch")):
        field.fill(words)
        assert first.inner_text() == title, words
    field.fill("caching allocator")
    few = [bool(re.search("Fine print|Teacher's guide", title)) for title in page.locator(".search li a").all_inner_texts()]
    assert set(few) == {False, True} and few == sorted(few), "what is for few readers comes last"
    field.fill("pinn")
    assert " with " not in page.locator(".search [role=status]").inner_text(), "it is the beginning of a word"
    field.fill("dma-buf")
    first.click()
    page.wait_for_url(re.compile("#."))
    assert "dma-buf" in page.locator("main").inner_text()


def test_in_the_search_enter_opens_the_first_place_and_the_arrows_go_through_them(reader):
    page = reader("index.html")
    page.keyboard.press("/")
    field, places = page.get_by_label("Search the course"), page.locator(".search li a")
    field.fill("pinned memory")
    places.first.wait_for()
    for key, there in (("ArrowDown", places.nth(0)), ("ArrowDown", places.nth(1)), ("ArrowUp", places.nth(0)), ("ArrowUp", field)):
        page.keyboard.press(key)
        assert there.evaluate("one => one === document.activeElement")
    address = places.first.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{address}")


def test_on_a_phone_every_page_fits_and_is_legible_in_light_and_dark(site, soups, browser):
    pictures, asked, complaints = ROOT / ".build" / "screenshots" / "site", [], []
    page = browser.new_page(viewport=PHONE, reduced_motion="reduce")      # an opened answer goes on a step
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    for name in soups:
        page.goto((site / name).as_uri())
        for scheme in PAPER:
            page.emulate_media(color_scheme=scheme)
            if name in PICTURES:
                page.screenshot(path=pictures / f"{Path(name).stem}-{scheme}.png", full_page=True)
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == PAPER[scheme], name
            texts = [measured(text) for text in collected(page, "body")]
            assert len(texts) > 20 and [text for text in texts if text.ratio < ENOUGH] == [], name
        assert axe.complaints(page) == [], name     # no rule that is asked depends on colours
        # What was folded is open by now.
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name
        assert page.evaluate("""[...document.querySelectorAll('main > .wide')].filter(one => one.scrollWidth > one.clientWidth + 2)
                                .map(one => one.innerText)""") == [], name
    assert complaints == []
    assert [address for address in asked if not address.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("width", [1280, 1366])
def test_on_a_wide_screen_the_lessons_stand_beside_the_text_and_not_on_it(site, width, browser):
    page = browser.new_page(viewport={"width": width, "height": 768})
    page.goto((site / "00_two_views_of_one_memory.html").as_uri())
    lessons, text = (page.evaluate(f"(one => one && one.getBoundingClientRect().toJSON())(document.querySelector('{selector}'))")
                     for selector in (".wide-only", "main"))
    assert lessons["right"] <= text["left"] and text["right"] <= width
