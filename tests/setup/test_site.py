"""The site's pages: what is on them and what is not, what they load, and what `make site` refuses. In a browser: ../browser/test_site.py."""
# ruff: noqa: F811 (fixtures that are imported and named as parameters)
import contextlib
import importlib.util
import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from urllib.parse import urlsplit

from courseware.course import BY_TOPIC, LESSONS, WAYS, by_way, way_of
from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.kinds import NOT_SOLVED, STARTER
from courseware.follow.program import FollowedProgram
from courseware.follow.steps import Step
from courseware.notebook.display import paragraphs
from courseware.sandbox import Outcome

import committed
import pytest
from bs4 import BeautifulSoup

from ..test_house import modules, room
from .made_site import CANARY, git, printed, site, soups, worked_in  # noqa: F401
from .test_bootstrap import ROOT, bootstrap, commands, project, replaced  # noqa: F401

NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").rglob("*.ipynb"))
RIGHT = "✓ So it is."


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


def test_every_notebook_is_a_page_and_can_be_downloaded(site, soups):
    assert [name for name in NOTEBOOKS if f"{name}.html" not in soups or not (site / f"{name}.ipynb").exists()] == []


def test_every_document_of_the_course_is_a_page(soups):
    documents = [path.stem for folder in ("docs", "packages/cuda-simulator/docs") for path in (ROOT / folder).glob("*.md")]
    assert documents and [name for name in [*documents, "index"] if f"{name}.html" not in soups] == []


def test_the_index_leads_to_every_page(soups):
    linked = {link["href"].partition("#")[0] for link in soups["index.html"].find_all("a", href=True)}
    assert set(soups) <= linked


def test_the_first_page_leads_to_each_exercise_that_is_done_on_a_page(soups):
    there = [f"{name}#{section['id']}" for name, soup in soups.items() if name != "index.html" for section in soup.select(".lesson section.choices")]
    assert there and sorted(links := [link["href"] for link in soups["index.html"].select(".done-here a")]) == sorted(there)
    assert links[0] == "19_memory_in_stream_order.html#do-second-stream"
    here = [link["href"].partition("#")[2] for link in soups["questions.html"].select(".menu .place") if "#" in link["href"]]
    assert len(here) == 2 and all(soups["index.html"].find(id=place).name == "h2" for place in here)


def test_the_first_page_has_each_lesson_with_its_question_and_those_of_the_two_ways_are_in_sight(soups):
    index = soups["index.html"]
    all_cards = index.select(".way > li, .others .cards > li")
    cards = [next(item for item in all_cards if item.a["href"] == f"{Path(lesson.notebook).stem}.html") for lesson in LESSONS]
    plan = (ROOT / "notebooks" / LESSONS[0].notebook).read_text().replace("`", "")
    for lesson, card in zip(LESSONS, cards):
        asked = card.select("p")[1].get_text()
        assert asked.endswith("?") and asked in plan
        assert (card.find_parent("details") is None) == (way_of(lesson.topic) is not None)
        assert ("side trip" in card.get_text()) == (not lesson.number)
        assert re.search(r"\d+ minutes", card.get_text())
    leads_to = [link["href"] for link in index.select(".cards a")]
    assert len(leads_to) == len(set(leads_to)), "no card stands there twice"
    board = index.select_one(".course-orders").get_text()
    assert re.search(r"threads, ([\d,]+ orders)", index.select_one(".board").get_text())[1] in board
    headings = [heading.get_text() for heading in index.select("h2")]
    assert headings == [index.select_one(".board").get_text(), "Where to go on", "Exercises to do right here", "Test your own program", "Start"]
    places = [index.find(id="opening"), index.find(id="late-block"), index.find(id="do-change-it"), index.select_one(".board"),
              index.select_one(".way"), index.select_one(".done-here"), next(code for code in index.select("pre") if "make lab" in code.get_text())]
    assert places == sorted(places, key=[*index.descendants].index), "what can be played comes first, and then how to start"


def test_every_page_has_the_courses_name_in_its_title_and_in_its_bar(soups):
    name = (ROOT / "README.md").read_text().partition("\n")[0].removeprefix("# ")
    assert {soup.select_one(".menu > a").get_text() for soup in soups.values()} == {name}
    assert all(soup.title.get_text().endswith(name) for soup in soups.values()) and soups["index.html"].title.get_text() == name
    assert f'title: "{name} ' in (ROOT / "CITATION.cff").read_text()


def test_the_first_page_and_the_menu_have_the_same_two_ways(soups):
    ways = [[f"{Path(lesson.notebook).stem}.html" for lesson in lessons] for _, lessons in by_way()]
    listed = soups["index.html"].select(".way")
    assert [[link["href"] for link in cards.select("a")] for cards in listed] == ways[:2] and "next" in listed[0]["class"]
    for cards, way in zip(listed, WAYS, strict=True):
        title = cards.find_previous("strong", string=re.compile(re.escape(way.title)))
        assert title and title.find_next(class_="way") is cards
    menu = soups["questions.html"].select_one(".menu nav[aria-label='All lessons']")
    assert [heading.get_text() for heading in menu.select("p")] == [title for title, _ in by_way()]
    assert [[link["href"] for link in listed.select("a")] for listed in menu.select("ul")] == ways


def test_an_exercise_says_what_came_before_it_to_who_is_led_to_it(soups):
    led = [soups[link["href"].partition("#")[0]].find(id=link["href"].partition("#")[2]) for link in soups["index.html"].select(".done-here a")]
    assert led and all(len(exercise.select_one(".came").get_text()) > 80 and exercise.select_one(".came a[href$='.html']") for exercise in led)
    for card in soups["index.html"].select(".done-here > li"):
        assert re.search(r"\d minutes, \d+ versions · lesson \d\d", card.get_text())


def test_each_program_of_the_first_page_has_a_link_above_it_and_the_harder_one_says_what_a_gpu_printed(soups):
    plays = soups["index.html"].select_one(".plays")
    links = plays.select("nav > a")
    assert [link["href"] for link in links] == [f"#{program['id']}" for program in plays.find_all(recursive=False) if program.name != "nav"]
    pytorch, of_the_page = plays.find(id="late-block"), " ".join((ROOT / "docs" / "from-pytorch.md").read_text().split())
    sentence = "these lines printed the ones in 60 runs of 60"
    assert sentence in of_the_page and sentence in pytorch.select_one(".told").get_text(" ", strip=True)
    assert not any(re.search(r"\d+ runs of \d+", link.get_text()) for link in links), "how often it is right would be half the answer"
    assert pytorch.select_one(".onward a[href='from-pytorch.html']")


def test_the_first_page_of_a_published_course_is_the_same(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "website"))
    import front
    import pages
    import publish
    readme, lesson = (ROOT / "README.md").read_text(), pages.page(ROOT, "notebooks/16_who_comes_first.ipynb")

    def promised(text):
        return " ".join(front.front(text, [(lesson, BY_TOPIC["order"])], "(programs)", "(board)").split()).replace(
            "git clone https://github.com/some-one/a.course cd a.course ", "")
    assert promised(publish.readme(readme, "https://github.com/some-one/a.course", "v1.2.3")) == promised(readme)


def test_a_lesson_of_a_published_course_is_a_page_with_the_same_names(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "website"))
    import pages
    import publish
    import render
    name = "notebooks/10_several_addresses_of_one_memory.ipynb"
    (tmp_path / "notebooks").mkdir()
    (tmp_path / name).write_text(publish.notebook((ROOT / name).read_text(), "https://github.com/some-one/a.course", "v1.2.3"))
    page = pages.page(tmp_path, name)
    html, *_ = render.Renderer([page]).render(page)
    assert "Imports, <code>size</code>, <code>new_mapping</code>" in html


def test_a_lesson_says_how_long_it_takes_and_where_on_its_way_it_is(soups):
    notes = {lesson: soups[f"{Path(lesson.notebook).stem}.html"].select_one(".sets-up > .note > span").get_text() for lesson in LESSONS}
    assert all(re.match(r"\d+ minutes\b", words) for words in notes.values())
    places = {lesson.number: words.partition(" · ")[2] for lesson, words in notes.items() if way_of(lesson.topic)}
    assert places == {"16": "from the puzzles, 1 of 2", "19": "from the puzzles, 2 of 2",
                      **{number: f"on the short road, {place} of 5" for place, number in enumerate(("00", "05", "06", "07", "11"), 1)}}
    assert {words.partition(" · ")[2] for lesson, words in notes.items() if not way_of(lesson.topic)} == {"", "side trip"}


def test_what_a_reader_need_not_see_of_a_lesson_is_folded_imports_and_cells_that_are_filled_in_elsewhere(soups):
    codes = [code for soup in soups.values() for code in soup.select(".lesson .code")]
    folded = [code for code in codes if code.find_parent("details")]
    assert any("import numpy" in code.get_text() for code in folded) and any("exercises.check(" in code.get_text() for code in folded)
    for code in codes:
        lines = code.get_text().strip().splitlines()
        assert code in folded or sum(line.startswith(("import ", "from ")) for line in lines) <= 3, lines
        assert code in folded or "exercises.check(" not in code.get_text()


def test_the_question_of_the_readme_is_a_box_as_all_others_are(soups):
    boxes = soups["index.html"].select(".question")
    assert [box.p.get_text() for box in boxes] == ["Predict"] * 2
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


@pytest.mark.parametrize("name, programs, played", [("questions", 5, ".course-follow[data-steps]"), ("from-pytorch", 1, "#do-with-a-cure")])
def test_each_of_the_five_questions_and_who_comes_from_pytorch_has_a_program_and_its_cell(name, programs, played, soups):
    cells = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / f"{name}.md").read_text(), flags=re.DOTALL)
    page = soups[f"{name}.html"]
    assert len(page.select(played)) == len(cells) == programs
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
    kernels = [line for code in soups["13_memory_that_moves.html"].select(".highlight") if "void step(" in code.get_text()
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
    pages = {lesson: Path(lesson.notebook).stem for lesson in LESSONS}
    assert read == [page for lesson, page in pages.items() if lesson.number]
    for lesson, page in pages.items():
        links = {link["href"] for link in soups[f"{page}.html"].select(".beside a")}
        assert {f"{other}.html" for trip, other in pages.items() if trip.of == lesson.topic} <= links
        assert not lesson.of or f"{pages[BY_TOPIC[lesson.of]]}.html" in links


def test_a_lesson_of_a_way_leads_to_the_next_one_of_it(soups):
    ways = [[f"{Path(BY_TOPIC[topic].notebook).stem}.html" for topic in way.topics] for way in WAYS]
    leads = {name: {link["href"] for link in soup.select(".beside a")} for name, soup in soups.items()}
    steps = [step for way in ways for here, there in zip(way, way[1:]) for step in ((here, there), (there, here))]
    ends = [(way[-1], other[0]) for way, other in zip(ways, reversed(ways))]
    assert [(here, there) for here, there in steps + ends if there not in leads[here]] == []


def test_a_command_that_clones_the_course_names_the_repository_that_the_site_was_made_from(soups):
    for name in ("index.html", "contributing.html", "install.html", "teachers-guide.html"):
        assert "git clone https://github.com/some-one/a.course" in soups[name].get_text() and "<this repository>" not in soups[name].get_text()


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


def test_a_caption_has_a_line_of_its_program_and_a_step_there(monkeypatch):
    for folder in ("tools", "tools/website"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    import players
    program = FollowedProgram("", "x = 1\ndel x", [], Outcome())
    program.steps = [Step(1, sentence="a"), Step(1, sentence="b"), Step(2, sentence="c")]
    assert players.captioned(program, [{"line": "x =", "step": 2, "says": "B"}, {"line": "del", "says": "C", "decides": True}]) == {2: "del"}
    assert [step.sentence for step in program.steps] == ["a", "B", "C"]
    for nowhere in ({"line": "y ="}, {"line": "x =", "step": 3}):
        with pytest.raises(players.NotAPage, match="no such step"):
            players.captioned(program, [{**nowhere, "says": "D"}])


def test_a_program_of_the_first_page_has_the_addresses_of_its_pictures_in_the_readme_and_the_host_s_are_others(soups):
    for name, picture in (("opening", "opening"), ("late-block", "late_block")):
        program = soups["index.html"].select_one(f"#{name} [data-steps]")["data-steps"]
        on_page, in_readme = (set(re.findall(r"0x[0-9a-f]{12}", words)) for words in (program, (ROOT / "docs" / f"{picture}_answer.svg").read_text()))
        assert on_page == in_readme and all(address.startswith(("0x5f", "0x7b")) for address in on_page)
    cured = soups["from-pytorch.html"].select_one("[data-choices]")["data-choices"]
    assert on_page < set(re.findall(r"0x[0-9a-f]{12}", cured)) and all("512 bytes" in words for words in (program, cured))


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


@pytest.mark.parametrize("note, topic", [(STARTER, "views"), (NOT_SOLVED, "stream-order")])
def test_nobody_is_told_that_a_starter_is_still_the_starter_or_a_solution_not_theirs(note, topic, soups):
    assert note in (ROOT / "notebooks" / BY_TOPIC[topic].notebook).read_text()
    assert [name for name in NOTEBOOKS if note in soups[f"{name}.html"].get_text()] == []


def test_a_question_leads_to_the_text_that_explains_it(soups):
    explained = {name: soup.select("details[id^=why-]") for name, soup in soups.items() if name.removesuffix(".html") in NOTEBOOKS}
    assert all(explained.values())
    for name, folds in explained.items():
        assert [fold.summary.get_text() for fold in folds] == ["Explain"] * len(folds)
        assert {f"#{fold['id']}" for fold in folds} == {link["href"] for link in soups[name].select(".to-why a")}


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


def test_of_the_options_of_a_question_one_is_right_and_is_told_how_the_reason_begins(soups):
    reasons = 0
    for name in NOTEBOOKS:
        for question in soups[f"{name}.html"].select(".question"):
            if "data-at" in question.attrs:     # of a program that is stepped through: it says more
                assert len(question.select(".right")) == 1 < len(question.select("details"))
                continue
            answers = [fold.p.get_text() for fold in question.select("details")]
            [right] = (answer for answer in answers if answer.startswith(RIGHT))
            assert len(answers) > 1, question.get_text()[:200]
            why = soups[f"{name}.html"].find(id=question["id"].replace("ask-", "why-"))
            begins = right.removeprefix(RIGHT).strip()
            assert begins in " ".join(why.get_text().split()) if why else not begins, question["id"]
            reasons += bool(begins)
    assert reasons > 60


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


def test_make_site_renders_it(project, replaced):
    bootstrap.main(project, ["site", "folder"])
    (command, _), = replaced
    assert command == [str(project.python), "tools/website", "folder"]
