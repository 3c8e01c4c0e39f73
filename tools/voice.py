"""Where to read prose again, in notebooks and Markdown documents: python tools/voice.py notebooks/05*.ipynb README.md

Counts the marks of sentences that lost the word which joins them, per 1,000 words, beside those of The Rust Book, and in notebooks the
long code cells. It finds places to read aloud, and no mark to reach: a text does not get better by scoring better, and no test asks for it.
"""
import json
import re
import statistics
import sys
from pathlib import Path

# what -> (how it is written, per 1,000 words of The Rust Book's chapters on ownership, lifetimes and threads)
MARKS = {
    "colon before a clause": (r": (?=[^.:;|\n]*\b(?:is|are|was|has|have|does|can|may|\w+[^s]s|\w+ed)\b)", 0.9),
    "because, since": (r"\b(?:because|since|the reason)\b", 3.6),
    "but, although, instead": (r"\b(?:but|although|instead|unlike|yet)\b", 8.7),
    "so, therefore": (r"\b(?:so|therefore)\b", 2.7),
    "for example, that is": (r"\b(?:for example|that is,|imagine)", 0.8),
    "both, none, the other as nouns": (
        r"\b(?:both|neither|none|the (?:other|first|second))\b(?= ?[.,;:?]| (?:is|are|was|of|has|have)\b)", 2.4),
    "genitive without its noun": (r"\b\w+'s\b(?= ?[.,;:?])", 0.2),
    ", too": (r", too\b", 0.0),
    "whoever, somebody, nobody": (r"\b(?:whoever|somebody|nobody)\b", 0.0),
    "where for if": (r"(?:^|[.?!] )Where (?!(?:is|are|does|do|did|can|will)\b)", 0.5),
    "you, your": (r"\byour?\b", 10.2),
}
LONG = 15       # lines of a code cell that want a look


def prose(markdown):
    """Sentences alone: without listings, tables, tags, headings, the links to other lessons and where links go."""
    text = re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)
    text = re.sub(r"^(?:Previous|Next): .*(?:\n.+)*", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\|.*$|<summary>.*</summary>|<[^>]+>|^#+ .*$|!\[[^]]*\]\([^)]*\)", "", text, flags=re.MULTILINE)
    return re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", text))


def counters(text):
    """The lines that are printed of some prose."""
    words = len(re.findall(r"[A-Za-z0-9][\w'.-]*", text)) or 1
    sentences = re.split(r"(?<=[.?!])[)*_\"]*\s+|\n\n", text)
    lengths = [length for length in (len(sentence.split()) for sentence in sentences) if length > 1] or [0]
    yield f"{words} words, {statistics.mean(lengths):.1f} in a sentence, spread {statistics.pstdev(lengths):.1f} (19.3 and 8.9)"
    for mark, (pattern, book) in MARKS.items():
        count = len(re.findall(pattern, text, flags=re.MULTILINE | re.IGNORECASE))
        yield f"{count * 1000 / words:5.1f}  {mark} ({book})"


def cells_of(path):
    """[(type, text)] of a notebook's cells; a Markdown document is one cell of text."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [("markdown", text)]
    if path.suffix != ".ipynb":
        sys.exit(f"{path} is neither a notebook (.ipynb) nor a Markdown document (.md).")
    return [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]


def main(paths):
    """None, or what this is for, where no file is named."""
    if not paths or paths[0].startswith("-"):
        return __doc__
    for path in map(Path, paths):
        cells = cells_of(path)
        print(path.name)
        markdown = "\n\n".join(text for kind, text in cells if kind == "markdown")
        for line in counters(prose(markdown)):
            print(f"  {line}")
        for number, (kind, text) in enumerate(cells):
            lines = len(text.splitlines())
            if kind == "code" and lines > LONG:
                print(f"  cell {number}: {lines} lines of code")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
