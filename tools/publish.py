"""Write the course's public address into everything that names it: notebooks, README, citation, package.

    python3 tools/publish.py https://github.com/OWNER/NAME TAG

TAG is the version that notebooks are to fetch: from then on a notebook and what it imports are of one version. Then
commit what it changed, tag the commit with TAG, and push both. Run it again for each version, or in a fork.

Until it has run no file says where the course lies. Afterwards

- a notebook's first cell fetches the course in Google Colab, and outside Colab says what it says now;
- the README begins with a link to the pages that can be played and with one to Colab for each of the two ways, and has badges and a link
  to Colab for each lesson; it and the guides have the address in their commands;
- CITATION.cff and pyproject.toml name the repository.
"""
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from course_files import NotOurs, refuse_link, write_whole  # noqa: E402

GITHUB = re.compile(r"https://github\.com/([A-Za-z0-9][\w.-]*)/([\w.-]+?)(?:\.git)?/?", re.ASCII)
TAG = re.compile(r"(?!.*\.\.)\w[\w.-]*(?<!\.)(?<!\.lock)", re.ASCII)     # what git takes for a tag, and no program for an option
PLAY = re.compile(r"^\*\*(?:\[Play it in your browser\]|Play right here:)(?:.+\n)+", re.MULTILINE)     # the README's lines about playing
# Its pictures of what can be played, with the words above them that lead there
PLAYED = [("late_block.svg", "Step through it yourself", "#late-block"),
          ("board.svg", "Move them yourself", "#orders")]
FIRST_LINE = "# Set-up: run this cell first."

CELL = FIRST_LINE + '''
try:
    import courseware    # attaches a CUDA driver, so it comes before PyCUDA
except ModuleNotFoundError as missing:
    import os
    if "COLAB_RELEASE_TAG" not in os.environ:    # Google Colab fetches the course; elsewhere it is there
        print(f"This Python has no {{missing.name}}. Open the course with `make lab`, in its own folder.")
        raise
    !git -c advice.detachedHead=false clone -q --depth 1 --branch {tag} {address} course
    !python course/tools/colab_install.py
    import courseware'''


def notebook(text, address, tag):
    """A notebook's text with a first code cell, up to an empty line, that fetches the course; as JupyterLab writes it.

    A notebook that does not begin as the course's do is somebody's own, and stays as it is. Raises ValueError for what is no notebook.
    """
    parsed = json.loads(text)
    cells = parsed.get("cells") if isinstance(parsed, dict) else None
    if not isinstance(cells, list):
        raise ValueError("it has no cells")
    cell = next((cell for cell in cells if cell["cell_type"] == "code"), {"source": ""})
    before, blank, below = "".join(cell["source"]).partition("\n\n")
    if not before.startswith(FIRST_LINE):
        return text
    cell["source"] = (CELL.format(address=address, tag=tag) + blank + below).splitlines(keepends=True)
    return json.dumps(parsed, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def in_colab(address, tag, path):
    """The address at which Google Colab opens a notebook of a GitHub repository; `path` is relative to its root."""
    return f"{address.replace('https://github.com', 'https://colab.research.google.com/github')}/blob/{tag}/{path}"


def in_binder(address, tag, path):
    """The address at which mybinder.org builds the repository and opens a notebook in JupyterLab."""
    return f"{address.replace('https://github.com', 'https://mybinder.org/v2/gh')}/{tag}?urlpath=lab/tree/{path}"


def in_pages(address):
    """The address at which GitHub Pages puts the site."""
    owner, name = GITHUB.fullmatch(address).groups()
    return f"https://{owner.lower()}.github.io/{name}/"


def badges(address, tag, first_notebook):
    """A line of pictures that are links; `first_notebook` is the one that they open."""
    ci = f"{address}/actions/workflows/ci.yml"
    return " ".join(f"[![{says}]({picture})]({target})" for says, picture, target in (
        ("ci", f"{ci}/badge.svg", ci),
        ("Open In Colab", "https://colab.research.google.com/assets/colab-badge.svg", in_colab(address, tag, first_notebook)),
        ("Binder", "https://mybinder.org/badge_logo.svg", in_binder(address, tag, first_notebook))))


def document(text, address, tag):
    """A document's text with the address in its commands."""
    text = re.sub(r"git clone (<this repository>|https://\S+)", f"git clone {address}", text)
    return re.sub(r'"git\+(<this repository>|https://[^"@]+)@[^"#]+', f'"git+{address}@{tag}', text)


def cloned(text, address):
    """The README's text with commands for the clone before the first `make lab`: two lines, as a phone has room for."""
    return re.sub(r"(?m)^(?:git clone .*\ncd .*\n)?make lab$", f"git clone {address}\ncd {GITHUB.fullmatch(address)[2]}\nmake lab", text)


def readme(text, address, tag):
    """The README's text with badges below its title, links to the site above and below its pictures, a command for the clone, and Colab
    beside each lesson.
    """
    first_notebook, beginning = re.findall(r"(?m)^\n- \[.*?\((notebooks/\w+\.ipynb)\)", text)[:2]      # of the two ways
    title, body = cloned(text, address).split("\n", 1)
    body = re.sub(r"\A\n*(\[!\[.*\n\n)?", lambda _: f"\n{badges(address, tag, first_notebook)}\n\n", body)
    body = PLAY.sub(f"**[Play it in your browser]({in_pages(address)})** with nothing to install, or right here: guess, and open "
                    f"a fold. In Colab, go on [from these puzzles]({in_colab(address, tag, first_notebook)}) or "
                    f"[from the beginning]({in_colab(address, tag, beginning)}). Or [test your own program](#test-your-own-program) on "
                    "its simulated GPU.\n", body, count=1)
    for picture, says, place in PLAYED:
        body = re.sub(rf'(?: \[{says}\]\(\S+\)\.)?(\n\n(?:<picture>\n(?:  <source .*\n)*  )?<img src="docs/{picture}")',
                      rf" [{says}]({in_pages(address)}{place}).\1", body)
    return re.sub(r"(?m)^(- \**\[.*?\]\((notebooks/[\w/]+\.ipynb)\)[^·\n]*?)(?: · \[Colab\]\(\S+\))?$",
                  lambda line: f"{line[1]} · [Colab]({in_colab(address, tag, line[2])})", f"{title}\n{body}")


def citation(text, address, tag):
    """CITATION.cff's text with the repository."""
    return re.sub(r"repository-code: .*\n", "", text).rstrip("\n") + f"\nrepository-code: {address}\n"


def package(text, address, tag):
    """pyproject.toml's text with the repository."""
    text = re.sub(r"\[project\.urls\]\n(?:\w+ = .*\n)*\n", "", text)
    urls = f'[project.urls]\nRepository = "{address}"\nIssues = "{address}/issues"\n\n'
    return text.replace("[tool.", urls + "[tool.", 1)


CHANGES = {"notebooks/**/*.ipynb": notebook, "README.md": readme, "CONTRIBUTING.md": document, "docs/*.md": document,
           "packages/cuda-simulator/docs/*.md": document, "CITATION.cff": citation,
           "pyproject.toml": package}


def main(root, address, tag):
    """Change every file below `root`; returns the names of those that changed.

    Nothing is changed before all files have been read. Raises ValueError for another address, and for a file that is not as it
    should be, OSError and NotOurs as writing does: then the same command goes on from there.
    """
    repository = GITHUB.fullmatch(address)
    if not repository:
        raise ValueError(f"{address} is not the address of a repository as Colab and mybinder.org open it: "
                         "https://github.com/OWNER/NAME")
    if not TAG.fullmatch(tag):
        raise ValueError(f"{tag!r} is not a tag: a name such as v0.1.0")
    address, changed = "https://github.com/{}/{}".format(*repository.groups()), {}
    for pattern, change in CHANGES.items():
        for path in sorted(root.glob(pattern)):
            if ".ipynb_checkpoints" in path.parts:
                continue
            refuse_link(path)
            try:
                text = path.read_text(encoding="utf-8")
                after = change(text, address, tag)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ValueError(f"{path.relative_to(root)} cannot be read ({error}). Nothing was changed.") from None
            if after != text:
                changed[path] = after
    for path, text in changed.items():
        write_whole(path, text)
    return [str(path.relative_to(root)) for path in changed]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        changed = main(Path(__file__).resolve().parent.parent, *sys.argv[1:])
    except (ValueError, NotOurs, OSError) as error:
        sys.exit(str(error))
    print(f"Changed {len(changed)} files. Commit them, then: git tag {sys.argv[2]} && git push origin HEAD {sys.argv[2]}")
