"""Exercises that are done on a page: programs with places, and pieces to choose from for each, of which every version is run when the
site is made.

A lesson's choices.toml has them: {id: a program in which <<name>> marks a place, and for each name its pieces, or one line that may stand
at each of its places, or for each of these the line that may stand there}. A version is followed over the simulated driver
(courseware/follow). Whether it is right says the check of the exercise that its functions answer, or what it prints in each of the ways in
which it is run: with the work of each stream as late and as early as a GPU may do it, and on each system that is named. A reader sees the
first way in which it goes wrong, and can have each of the others played.

The program may be a kernel in CUDA C++: one of several of the exercise. Nothing is drawn of it, and a reader sees what its check has found.
`because` says why a right one is right.

One that has `endings` is no exercise: nothing in it is wrong, it begins with the first of each place's pieces, and a reader looks for the
ways in which it can end. {how it ends: why, or {number of the first place's piece: why}}

One that has `buttons`, {the name of a version: what is said of it}, is no exercise either, and shows a version when its button is pressed.
With `asks`, the HTML of a question, an answer presses the first of them.

What a step of such a program says a person may have written (`captions`: players.py). `of` has the numbers of the pieces with which it is
said.

One that has `pytorch` is shown in PyTorch, which has a line for each of the program's, or none; what ran is behind a switch.

Not here: what is chosen, and how a version is shown (choices.js, which hands its steps to the player).
"""
import ast
import copy
import functools
import html
import itertools
import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from courseware.course import LESSONS, tomllib
from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.feedback import in_words
from courseware.exercises.judge import judge_all
from courseware.follow import follow_source, page
from courseware.follow.sentences import UNWRITTEN
from courseware.notebook.display import code, paragraphs

from colours import cuda_lines
from IPython.core.inputtransformer2 import TransformerManager
from pages import NotAPage
from players import PATIENCE, captioned, clean, data

SCRIPT, STYLE = (Path(__file__).with_name(f"choices.{ending}").read_text("utf-8") for ending in ("js", "css"))
SCRIPTS = {"choices.js", "follow.js"}
PLACE = re.compile(r"<<(\w+)>>")
KERNEL = re.compile(r"__global__ void (\w+)")
REMARK = re.compile(r'(.*\S)( +<span class="c">.*)')       # a comment behind code: on a phone it stands above it
BREAK = re.compile(r"(?<=\))(?=\.)|(?<=\()(?=\w+\.)")       # where a long line is broken, rather than within a name
REMARKED = r'<span class="ch-does">\1</span><span class="ch-says">\2</span>'
NUMBER = re.compile(r"-?\d+")
AT_LINE = re.compile(r"\bat line (\d+)")       # of a finding
NOTHING_FOUND = "The numbers are right, and nothing was found."
OPEN = '<option value="" selected disabled>choose …</option>'
LANGUAGES = ('<div class="languages" role="group" aria-label="Language" hidden><button type="button" value="pytorch">PyTorch</button>'
             '<button type="button" value="pycuda">Python, with PyCUDA</button></div>')
NO_SCRIPT = "To run what you choose, this page needs JavaScript."


@dataclass(frozen=True)
class Way:
    """A way in which a program was run, and what came of it there."""

    program: object     # the FollowedProgram
    right: bool | None
    system: str = ""    # on which; "" where all were the same
    streams: str = ""   # which were late, and which early; "" where none has a name
    decisive: dict = field(default_factory=dict)        # {number of a step that decides: words of its line}

    @property
    def end(self):
        """The number of the step in which that is seen: what is printed may come before the last, and memory may change after it."""
        printing = [number for number, step in enumerate(self.program.steps) if step.printed and self.program.outcome.ok]
        return printing[-1] if printing else len(self.program.steps) - 1

    @property
    def ended(self):
        """How it ended, or what it printed, after "it"."""
        if self.program.outcome.ok:
            printed = NUMBER.sub(lambda number: "?" if number[0] in UNWRITTEN else number[0], self.program.outcome.printed)
            return "prints " + " and ".join(f"`{' '.join(line.split())}`" for line in printed.splitlines())
        return self.program.steps[-1].ending.removeprefix("Here the program ").partition(":")[0].rstrip(".")


@dataclass(frozen=True)
class Version:
    """A program with a piece at each place, and what came of it."""

    chosen: tuple       # of each place the number of its piece, or of the place where its line stands
    source: str
    right: bool | None  # None where nothing is
    ways: list          # each Way in which it was run
    says: str           # how it ended, for `paragraphs`
    mistake: object     # what tells one wrong version's fault from another's


class Choices:
    """One of these exercises. `versions` runs all of them, once."""

    def __init__(self, lesson, name, table):
        self.lesson, self.id = lesson, name
        self.title, self.text, self.asks = table["title"], table.get("text", ""), table.get("asks", "")
        self.invites, self.came, self.minutes, self.concludes = map(table.get, ("invites", "came", "minutes", "concludes"))
        self.program = table["program"].strip("\n")
        places = Counter(PLACE.findall(self.program))
        self.moving = [place for place in table["places"] if places[place] > 1]        # the lines
        self.places = _pieces(table["places"], places)
        self.exercise, self.prints, self.endings = EXERCISES.get(table.get("exercise")), table.get("prints"), table.get("endings")
        self.kernel = begins[1] if (begins := KERNEL.match(self.program)) else ""      # its name
        self.after, self.replies, self.because = table.get("after"), table.get("replies", {}), table.get("because", "")
        self.pytorch, self.ran = table.get("pytorch", {}).copy(), table.get("ran", "")
        self.program_in_pytorch = self.pytorch.pop("program", "").strip("\n")
        self.pytorch = _pieces(self.pytorch, places)
        self.folded = self.program.split("\n").index("") if self.program_in_pytorch else -1      # the number of the last line that is
        self.buttons, self.early = table.get("buttons", {}), table.get("early", [])     # early: numbers of streams, for follow_source
        self.captions = table.get("captions", [])
        self.streams, self.systems = table.get("streams", []), table.get("systems", {"": ""})
        exercises = {called: EXERCISES[id_] for called, id_ in table.get("names", {}).items()}
        self.names = {called: exercise.answer(exercise.solution) for called, exercise in exercises.items()}

    def source(self, chosen, in_pytorch=False):
        """The program with these pieces."""
        numbers, passed, lines = dict(zip(self.places, chosen)), Counter(), []
        program, pieces = (self.program_in_pytorch, self.pytorch) if in_pytorch else (self.program, self.places)
        for line in program.splitlines():
            stands = True
            for place in PLACE.findall(line):
                if place in self.moving:
                    stands = passed[place] == numbers[place]
                    passed[place] += 1
                line = line.replace(f"<<{place}>>", pieces[place][numbers[place]])
            lines += [line] * stands
        return "\n".join(lines)

    @functools.cached_property
    def versions(self):
        """{what is chosen: Version} of all that can be."""
        sources = {chosen: self.source(chosen) for chosen in itertools.product(*(range(len(pieces)) for pieces in self.places.values()))}
        if self.endings or self.buttons:
            return {chosen: self.seen(chosen) for chosen in sources}
        if not self.exercise:
            return {chosen: self._tried(chosen, source) for chosen, source in sources.items()}
        verdicts = dict(zip(sources, judge_all(self.exercise, list(map(self.answer, sources.values())))))
        if self.kernel:
            return {chosen: self._examined(chosen, source, verdicts[chosen]) for chosen, source in sources.items()}
        ways = {chosen: self._way(source, verdicts[chosen].solved) for chosen, source in sources.items()}
        right_end = next(way.ended for way in ways.values() if way.right)
        return {chosen: self._judged(chosen, source, ways[chosen], verdicts[chosen], right_end) for chosen, source in sources.items()}

    def answer(self, source):
        """What the exercise's check judges of a version: its functions; or a kernel, from line 1 on, and a solution's others."""
        if not self.kernel:
            return self.exercise.answer(definitions(source))
        others = [kernel for kernel in self.exercise.solution.split("\n\n") if KERNEL.match(kernel)[1] != self.kernel]
        return self.exercise.answer("\n\n".join([source, *others]))

    def _followed(self, source, system, early=()):
        return follow_source(source, self.names, PATIENCE, early, system or None)

    def _way(self, source, right):
        """The only Way of a program that is run on one system, with all work as late as may be."""
        return Way(self._followed(source, next(iter(self.systems)), self.early), right)

    def seen(self, chosen):
        """The Version of a program in which nothing is wrong."""
        source = self.source(chosen)
        way = self._way(source, None)
        captions = [caption for caption in self.captions if chosen[0] in caption.get("of", chosen)]
        way = replace(way, decisive=captioned(way.program, captions))
        why = list(self.buttons.values())[chosen[0]] if self.buttons else self.endings[way.ended]
        why = why if isinstance(why, str) else why[str(chosen[0])]
        return Version(chosen, source, None, [way], f"It {way.ended}.\n\n{why}", "")

    def _judged(self, chosen, source, way, verdict, right_end):
        """The Version, as the exercise's check judges it. right_end: what a right version comes to on the page"""
        says, replies = in_words(self.exercise, verdict), self._replies(chosen)
        if not way.right and way.ended != right_end:      # what is seen comes first, and needs no case of the check's
            says = "\n\n".join([f"It {way.ended}. A right version {right_end}.", *(replies or [verdict.reason])])
        elif not way.right and replies:
            says = "\n\n".join([f"It {way.ended}, as a right version does, but the check finds what is wrong with it.", *replies])
        return Version(chosen, source, way.right, [way], says, replies or verdict.mistake or verdict.reason)

    def _examined(self, chosen, source, verdict):
        """The Version of a kernel. A wrong one is told first what was found, in the lines that it has on the page."""
        if verdict.solved:
            return Version(chosen, source, True, [], f"{NOTHING_FOUND}\n\n{self.because}", "")
        found, replies = verdict.example.outcome.printed.partition(". ")[0], self._replies(chosen)
        return Version(chosen, source, False, [], "\n\n".join([f"{_capital(found)}.", *replies]), replies)

    def _replies(self, chosen):
        """What is said of the pieces among those chosen: of the wrong ones, and if the lesson has it, of the right ones."""
        return [_capital(reply) for place, number in zip(self.places, chosen)
                if (reply := self.replies.get(place, {}).get(str(number)))]

    def _tried(self, chosen, source):
        """The Version, run in each way: on each system, and there with any of the streams early and the others late."""
        numbers = range(len(self.streams))
        orders = [early for count in range(len(numbers) + 1) for early in itertools.combinations(numbers, count)]
        ways = []
        for (system, called), early in itertools.product(self.systems.items(), orders):
            program = self._followed(source, system, early)
            way = Way(program, None, called, ", ".join(f"{name} {'early' if number in early else 'late'}"
                                                       for number, name in enumerate(self.streams)))
            ways.append(replace(way, right=way.ended == f"prints `{self.prints}`"))
        wrong, replies = sum(not way.right for way in ways), self._replies(chosen)
        verdict = f"Wrong in each of the {len(ways)} ways in which it was run."
        if len({way.ended for way in ways}) == 1:
            verdict = f"It {ways[0].ended} in each of the {len(ways)} ways in which it was run."
        elif wrong < len(ways):
            others = "others" if wrong < len(ways) - 1 else "other"
            verdict = f"Wrong in {wrong} of the {len(ways)} ways in which it was run, and right by luck only in the {others}."
        says = [verdict, *replies[:1]]
        return Version(chosen, source, not wrong, ways, "\n\n".join(says), replies[0] if wrong else "")

    def first(self, version):
        """The number of its Way that is shown first: one that goes wrong, and if none does, the one in which most others go wrong."""
        numbers = range(len(version.ways))
        wrong = (number for number in numbers if not version.ways[number].right)
        others = self.versions.values()
        return next(wrong, max(numbers, default=0, key=lambda number: sum(not other.ways[number].right for other in others)))

    def right_piece(self, place, number):
        """Is there a right version with this piece?"""
        position = list(self.places).index(place)
        return any(version.right and version.chosen[position] == number for version in self.versions.values())

    def blamed(self, version):
        """A place of a wrong version whose piece is in no right one; "" if there is none. Of several it is the one of which the reply
        speaks, as far as can be told: the version with all else right gets the same."""
        wrong = [place for place, number in zip(self.places, version.chosen) if not self.right_piece(place, number)]
        alike = [candidate for candidate in self.versions.values() if candidate.mistake == version.mistake]
        for position, place in enumerate(self.places):
            for candidate in alike if place in wrong else ():
                other_pieces = [(name, number) for name, number in zip(self.places, candidate.chosen) if name != place]
                same_here = candidate.chosen[position] == version.chosen[position]
                if same_here and all(self.right_piece(*piece) for piece in other_pieces):
                    return place
        return wrong[0] if wrong else ""

    # -- on the page ---------------------------------------------------------------------------------------------------

    def data(self):
        """All versions as data for the page: steps, markups and pieces that versions share are given once."""
        tables, versions = {"markups": {}, "pieces": {}, "steps": {}}, {}

        def number(table, entry):
            return tables[table].setdefault(entry, len(tables[table]))

        def shown(way):
            played = data(way.program)
            markups = [number("markups", clean(markup)) for markup in played["markups"]]
            pieces = [number("pieces", (*piece, markups[markup])) for *piece, markup in played["pieces"]]
            steps = [{**step, "at": [[pieces[piece] for piece in drawn] for drawn in step["at"]]} for step in played["steps"]]
            return {"steps": [number("steps", json.dumps(step, ensure_ascii=False)) for step in steps],
                    "end": way.end, "widths": played["widths"], "heights": played["heights"], "right": way.right,
                    "system": code(way.system), "streams": code(way.streams), "ended": code(html.escape(way.ended))}

        for chosen, version in self.versions.items():
            says, _, why = version.says.partition("\n\n")
            versions[",".join(map(str, chosen))] = {
                "ways": list(map(shown, version.ways)), "first": self.first(version), "right": version.right,
                "found": [int(line) for line in AT_LINE.findall(says)] if self.kernel else [],
                "says": paragraphs(says), "why": paragraphs(why), "blamed": self.blamed(version) if version.right is False else ""}
        return {"steps": list(map(json.loads, tables["steps"])), "markups": list(tables["markups"]), "pieces": list(tables["pieces"]),
                "places": list(self.places), "versions": versions}

    def html(self):
        """The exercise as HTML. Without a script it is its statement, and the program with its pieces; of one with buttons each version."""
        versions, title = html.escape(json.dumps(self.data(), ensure_ascii=False, separators=(",", ":"))), html.escape(self.title)
        return (f'<section class="choices" id="{self.anchor}" aria-label="{title}" data-choices="{versions}">'
                f'{"" if self.buttons else f"<h3>{title}</h3>"}{self._came()}{paragraphs(self.text, wrapped=True)}'
                f'<div class="course-follow"><div class="cf-player" role="group" aria-label="{title}">'
                f'<div class="cf-column">{LANGUAGES if self.program_in_pytorch else ""}{self._legend()}{self._set_up()}'
                f'<ol class="cf-code">{"".join(self._lines())}</ol>'
                f'{self.asks}<p class="ch-run">{self._run()} <span role="status"></span></p>'
                f'<div class="ch-ends" role="status"></div>{self._onward()}</div>'
                f'</div>{self._without_script()}</div>{paragraphs(self.ran, wrapped=True)}</section>')

    @property
    def anchor(self):
        """What a link to it names."""
        return f"do-{self.id}"

    def _came(self):
        """What came before it, for who is led here from elsewhere: choices.css shows it only to them."""
        if not self.came:
            return ""
        return (f'<div class="came">{paragraphs(self.came, wrapped=True)}'
                f'<p><a href="{Path(self.lesson.notebook).stem}.html">Lesson {self.lesson.number} from its start</a></p></div>')

    def _onward(self):
        """What leads on when all right versions are found, or all endings: to the exercise that the first page has after this one, or
        where the program says."""
        if self.concludes:
            says, leads_to, called = (self.concludes[key] for key in ("says", "leads_to", "called"))
            return f'<div class="ch-onward onward" hidden>{paragraphs(says)}<a href="{leads_to}">{html.escape(called)}</a></div>'
        order = sorted(all_choices(), key=lambda choices: -LESSONS.index(choices.lesson)) if self.lesson else []
        following = next((after for choices, after in itertools.pairwise(order) if choices is self), None)
        if not following:
            return ""
        leads_to = f"{Path(following.lesson.notebook).stem}.html#{following.anchor}"
        title = html.escape(following.title.partition(": ")[2])
        return f'<p class="ch-onward onward" hidden><a href="{leads_to}">The next exercise: {title}</a></p>'

    def _run(self):
        """The button that runs what is chosen, or those of which each runs a version."""
        if not self.buttons:
            return '<button type="button" hidden>Run</button>'
        [place] = self.places
        return '<b>Run it:</b> ' + "".join(
            f'<button type="button" data-place="{place}" value="{number}" aria-pressed="false" hidden>{code(name)}</button>'
            for number, name in enumerate(self.buttons))

    def _without_script(self):
        if not self.buttons:
            return f'<p class="note no-script">{NO_SCRIPT}</p>'
        tables = ""
        for name, (chosen, version) in zip(self.buttons, self.versions.items(), strict=True):
            program = copy.copy(version.ways[0].program)
            program.source = self.source(chosen, in_pytorch=True)       # line by line the same
            tables += f'<details class="no-script"><summary>{code(name)}</summary>{paragraphs(version.says)}{page.table(program)}</details>'
        return tables

    def _set_up(self):
        """The fold for the first lines, if it is shown in PyTorch."""
        programs = {"pytorch": self.program_in_pytorch, "pycuda": self.program} if self.program_in_pytorch else {}
        names = "".join(f'<span data-in="{language}">{code(set_up("".join(program.splitlines(True)[:self.folded])))}</span>'
                        for language, program in programs.items())
        return names and f'<details class="ch-setup"><summary>{names}</summary></details>'

    def _legend(self):
        """Which lines move, if they have no place yet, and are the same at each."""
        lines = [set((self.pytorch or self.places)[place]) for place in self.moving]
        same = [] if self.endings or self.buttons else [line for line, *others in lines if not others]
        moving = [line.partition("(")[0].rpartition(".")[2] for line in same]
        called = " and one for ".join(f"<code>{html.escape(name)}</code>" for name in moving)
        return f'<p class="ch-legend">Choose one place for {called}.</p>' if moving else ""

    def _lines(self):
        passed, in_pytorch = Counter(), self._in_pytorch()
        highlighted = cuda_lines if self.kernel else page.highlighted
        for number, line in enumerate(highlighted(PLACE.sub(r"place_\1", self.program))):
            moves = stands = ""
            for place, pieces in self.places.items():
                if f"place_{place}" not in line:
                    continue
                if place in self.moving:
                    nth = passed[place]
                    passed[place] += 1
                    stands = f' data-of="{place}" data-nth="{nth}"'
                    checked = " checked" if self.endings and not nth else ""
                    moves = "" if self.buttons else (f'<input type="radio" name="{self.id}-{place}" data-place="{place}" value="{nth}" '
                                                     f'autocomplete="off"{checked}>')
                    shown = BREAK.sub("<wbr>", "".join(highlighted(pieces[nth])))
                else:
                    options = "".join(f'<option value="{number}">{html.escape(piece)}</option>' for number, piece in enumerate(pieces))
                    number = list(self.places).index(place) + 1
                    shown = (f'<select data-place="{place}" aria-label="Place {number} of {len(self.places)}" autocomplete="off">'
                             f'{"" if self.endings else OPEN}{options}</select>')
                line = line.replace(f"place_{place}", shown)
            margin = len(line) - len(line.lstrip(" "))
            shown = f'<span class="cf-margin">{" " * margin}</span>{line[margin:] or " "}'
            shown = f"<code{' data-in=pycuda hidden' if in_pytorch else ''}>{REMARK.sub(REMARKED, shown)}</code>"
            if in_pytorch:
                shown = f"<code data-in=pytorch>{in_pytorch[number]}</code>{shown}"
            # Within <pre>, because elsewhere nbconvert makes one blank of several.
            kind = "ch-moves" if moves else "ch-early" * (number <= self.folded)
            shown = f"<label>{moves}{shown}</label>" if moves else shown
            yield f'<li class="{kind}"{stands} style="--cf-margin: {margin}"><pre>{shown}</pre></li>'

    def _in_pytorch(self):
        """The HTML of each line in PyTorch, which is empty if the program's has none there; [] if it is not shown in PyTorch."""
        if not self.program_in_pytorch:
            return []
        pieces = {place: iter(lines) for place, lines in self.pytorch.items()}
        shown = page.highlighted(PLACE.sub(lambda place: next(pieces[place[1]]), self.program_in_pytorch))
        return [BREAK.sub("<wbr>", line) or ("" if runs else " ") for line, runs in zip(shown, self.program.splitlines(), strict=True)]


@functools.cache
def all_choices():
    """The Choices of all lessons, in their order."""
    return [Choices(lesson, name, table) for lesson in LESSONS for name, table in lesson.read("choices.toml").items()]


def of_file(name, id_, **more):
    """The Choices of this name that a file beside this one has. more: what of it is from elsewhere"""
    return Choices(None, id_, {**tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))[id_], **more})


def of_page(page):
    """Those of a page of the site: none if it is no lesson's."""
    return [choices for choices in all_choices() if f"notebooks/{choices.lesson.notebook}" == page.source]


def statements(source):
    """The statements of a cell, as IPython reads it: that which fetches a published course has a line that begins with !"""
    return ast.parse(TransformerManager().transform_cell(source)).body


def defined(source):
    """The names that a piece of a program gives, in their order; those of its imports are left out."""
    names = []
    for node in statements(source):
        names += [node.name] if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else []
        names += [name.id for target in getattr(node, "targets", ()) for name in ast.walk(target)
                  if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)]
    return names


def set_up(source):
    """What a fold is called that has imports and what they are needed for."""
    return ", ".join(["Imports", *(f"`{name}`" for name in dict.fromkeys(defined(source)))])


def definitions(source):
    """What of a program answers an exercise: its imports and functions, and not the lines that try them."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    return "\n\n".join(ast.get_source_segment(source, node) for node in ast.parse(source).body if isinstance(node, kinds))


def place(notebook, choices):
    """Put an exercise where its lesson has it: below the cell that shows the exercise that it is, or what has the words of `after`.

    Returns {paragraph: HTML} for what stands within a text.
    """
    sign, html = f'exercises.show("{choices.exercise.id}")' if choices.exercise else choices.after, choices.html()
    cell = next((cell for cell in notebook.cells if sign in cell.source), None)
    if cell is None:
        raise NotAPage(f"{choices.lesson.notebook} has no place for {choices.id}: {sign!r} is nowhere.")
    if cell.cell_type == "code":
        cell.metadata["asked"] = cell.metadata.get("asked", "") + html
        return {}
    paragraph, position = f"(choices {choices.id})", cell.source.index(sign)
    before, onward = cell.source[:position], cell.source[position:]
    ends, gap, more = onward.partition("\n\n")
    cell.source = f"{before}{ends}\n\n{paragraph}{gap}{more}"
    return {paragraph: html}


def _pieces(table, places):
    """{place: its pieces} of what may be one line for each of its places. places: {place: how often it is in the program}"""
    return {place: [pieces] * places[place] if isinstance(pieces, str) else pieces for place, pieces in table.items()}


def _capital(words):
    """A sentence, unless it begins with code."""
    return words[:1].upper() + words[1:]
