"""The glossary has every term that a notebook explains, and says where.

In a notebook's Markdown, bold is for terms, with these exceptions:

- bold that ends in a full stop, a colon or a question mark is a label: "**Explain.**";
- so is what belongs to the cycle of a lesson, or to its controls: LABELS;
- bold in a table marks the row that one is in.
"""
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = [*sorted((ROOT / "notebooks").glob("*.ipynb")), *sorted((ROOT / "notebooks").glob("*/*.ipynb"))]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")

LABELS = {"hint"}


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def markdown(path):
    return "\n\n".join("".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "markdown")


def shown(path):
    """All text of a notebook: what is in its cells, and under them."""
    texts = []
    for cell in cells(path):
        texts.append("".join(cell["source"]))
        for output in cell.get("outputs", ()):
            texts.append("".join(output.get("text", "")) + "".join(output.get("data", {}).get("text/plain", "")))
    return "\n".join(texts)


def bold_terms(text):
    """The terms in a Markdown text, lower case, in order."""
    prose = re.sub(r"```.*?```|`[^`\n]*`|^\|.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    terms = [" ".join(bold.split()) for bold in re.findall(r"\*\*(.+?)\*\*", prose, flags=re.DOTALL)]
    return [bold.lower() for bold in terms
            if bold[-1] not in ".:?" and bold.lower() not in LABELS]


def entries(section):
    """{names of an entry, as a tuple: the notebook that it links to} of a section of the glossary, in order."""
    text = GLOSSARY.split(f"## {section}\n")[1].split("\n## ")[0]
    links = {}
    for entry in re.findall(r"^- (.+(?:\n  .+)*)", text, flags=re.MULTILINE):
        names, link = entry.split(":")[0], re.findall(r"\]\(\.\./notebooks/(\S+)\)", entry)
        assert len(link) == 1, f"one link: {entry}"
        links[tuple(name.strip("*`") for name in names.split(", "))] = link[0]
    return links


TERMS, NAMES = entries("Terms"), entries("CUDA's names")


def entry_of(term):
    """The names of the entry for a term, also for its plural; None where there is none."""
    return next((names for names in TERMS if {term, term.removesuffix("s")} & {name.lower() for name in names}), None)


FIRST = {}      # names of an entry -> the first notebook that has one of them in bold
for path in NOTEBOOKS:
    for term in bold_terms(markdown(path)):
        FIRST.setdefault(entry_of(term) or (term,), str(path.relative_to(ROOT / "notebooks")))


@pytest.mark.parametrize("names", FIRST, ids=lambda names: names[0])
def test_a_term_that_a_notebook_explains_is_in_the_glossary_with_a_link_to_it(names):
    assert names in TERMS, f"{FIRST[names]} has **{names[0]}** in bold"
    assert TERMS[names] == FIRST[names]


@pytest.mark.parametrize("names", TERMS, ids=lambda names: names[0])
def test_a_term_of_the_glossary_is_in_the_notebook_that_it_links_to(names):
    words = " ".join(shown(ROOT / "notebooks" / TERMS[names]).lower().split())
    assert [name for name in names if name.lower() not in words] == []


@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0])
def test_a_name_of_cuda_is_linked_to_the_first_notebook_that_has_it(names):
    having = [str(path.relative_to(ROOT / "notebooks")) for path in NOTEBOOKS
              if re.search(rf"(?<![A-Za-z]){names[0]}(?![A-Za-z])", shown(path))]
    assert having and NAMES[names] == having[0]


@pytest.mark.parametrize("terms", [TERMS, NAMES], ids=["terms", "names"])
def test_the_glossary_is_in_alphabetical_order(terms):
    first = [names[0].lower() for names in terms]
    assert first == sorted(first) and len(set(first)) == len(first)


def test_the_exceptions_are_needed():
    """An exception that no notebook uses any more would hide the next word of that sound."""
    bold = {" ".join(bold_text.split()).lower() for path in NOTEBOOKS
            for bold_text in re.findall(r"\*\*(.+?)\*\*", markdown(path), flags=re.DOTALL)}
    assert LABELS <= bold


@pytest.mark.parametrize("text, terms", [
    ("A **page** is a unit. **Explain.** It is.", ["page"]),
    ("*Found on the web*: a listing. A **hint** helps.", []),
    ("| **00 Two views** | a row |\n\nits **primary\ncontext**", ["primary context"]),
    ("```c\n/** no term **/\n```\n`a ** b ** c`", []),
], ids=["label", "cycle", "table", "code"])
def test_a_term_is_told_from_other_bold(text, terms):
    assert bold_terms(text) == terms
