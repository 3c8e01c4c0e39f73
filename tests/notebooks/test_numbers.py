"""A number with a unit in a lesson's prose is one that the lesson shows, or one whose source is named here."""
import json
import re

from courseware import bandwidth

import pytest

from .rules import without_code
from .test_notebooks import NOTEBOOKS

UNITS = ("GB/s|GiB/s|µs|microseconds?|ms|milliseconds?|ns|nanoseconds?|seconds?|KiB|MiB|GiB|TiB|PiB|KB|MB|GB|TB|bytes?|"
         "times|percent|%|fold|threads|blocks|words|elements")
NUMBER = r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?"
MEASURED = re.compile(rf"({NUMBER})(?:,? (?:to|and|or) ({NUMBER}))?[\s-]*(?:{UNITS})\b")
# What no cell of the lesson shows: the words as the lesson has them -> where the number comes from.
ELSEWHERE = {
    "04": {"Jonas is 17.6 ms behind": "37.6 less the 20 ms between two batches",
           "With pages of 4 KiB, registering 512 MiB took 25 to 33 ms": "the control to the recording: the same calls "
            "with pages of 4 KiB, on an H200. No recording has it",
           "registering 64 MiB of ordinary memory takes 4.7 ms": "the recording's \"host memory cost\" at 64 MiB"},
    "05": {"On an H200, the batch takes 4.69 ms": "lesson 04, from pinned memory",
           "The cache of an H200 holds 60 MiB": "the device's attribute L2_CACHE_SIZE",
           "at least 28 other bytes": "the rest of 32"},
    "08": {"took 4.6 ms": "events around a launch, on an H200; the lesson says how often and when",
           "0.02 ms": "the same",
           "medians of 25 launches, with one call per thread (of 64": "what was launched"},
    "14": {"At lesson 04's 55.6 GB/s, that takes at least 0.3 s": "twice 8 GiB at that rate"},
    "15": {"the link between the host and one GPU carried 55.6 GB/s from pinned memory": "lesson 04, at 512 MiB"},
}


def lesson(path):
    """"00" of a lesson on the road; a side trip's name."""
    return path.name.partition("_")[0] if path.name[0].isdigit() else path.stem


def numbers_shown(cells):
    """Every number in the code of a notebook and in what its cells show, as text without commas."""
    text = []
    for cell in cells:
        if cell["cell_type"] == "code":
            text.append("".join(cell["source"]))
            for output in cell["outputs"]:
                data = output.get("data", {})
                text += ["".join(part) for part in (output.get("text", ""), data.get("text/plain", ""), data.get("text/html", ""))]
    return {number.replace(",", "") for number in re.findall(NUMBER, "\n".join(text))}


def is_shown(number, seen):
    """Whether a number is among those shown, or is one of them rounded to its own decimal places."""
    places = len(number.partition(".")[2])
    return number in seen or places > 0 and any(f"{float(shown):.{places}f}" == number for shown in seen)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_number_in_prose_is_shown_or_has_a_source(path):
    cells, sources = json.loads(path.read_text())["cells"], ELSEWHERE.get(lesson(path), {})
    prose = "\n\n".join(re.sub(r"\]\([^)]*\)", "]", without_code("".join(cell["source"])))
                        for cell in cells if cell["cell_type"] == "markdown")
    prose = re.sub(r"\s*\n(?!\n)\s*", " ", prose)
    assert [words for words in sources if words not in prose] == [], "the source of words that the lesson does not have any more"
    seen = numbers_shown(cells)
    for words in sources:
        prose = prose.replace(words, "")
    unknown = [prose[max(0, measured.start() - 50):measured.end() + 20] for measured in MEASURED.finditer(prose)
               for number in measured.groups() if number and not is_shown(number.replace(",", ""), seen)]
    assert unknown == []


def test_what_lesson_15_says_of_two_devices_is_so_in_the_recording():
    recording, = bandwidth.peer_recordings()[:1]

    def medians(experiment, what, by=None):
        series, = recording.find(experiment, what=what, by=by)
        return {point.x: point.median for point in series.points}
    cells = json.loads(next(path for path in NOTEBOOKS if lesson(path) == "15").read_text())["cells"]
    prose = " ".join("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown").replace("\n> ", "\n").split())
    direct, detour = (medians("peer bandwidth", f"{what}, 0 to 1", "copy engine") for what in ("write", "without access"))
    in_place = medians("peer bandwidth", "read, 0 to 1", "kernel")
    claims = {"two H200s joined by a direct link, NVLink": recording.machine.peer_link.startswith("NVLink"),
              "Without it, the copy probably goes through the host": detour[512 << 20] < recording.machine.link_limit < direct[512 << 20],
              "reads the array in place, nearly ten times as fast as a copy without":
                  9.5 < in_place[512 << 20] / detour[512 << 20] < 10}
    assert [words for words, holds in claims.items() if words not in prose or not holds] == []
