"""The commands that the documents tell a reader to type: which texts are looked at, and what counts as a command there.

Looked at are the Markdown files, the docstrings that open modules, the notebooks, and the comments and `run:` lines of the
files that configure something. Not here: what runs the commands (test_commands.py).
"""
import ast
import json
import re

import yaml

FOLDERS = ("course_lib", "tools", "benchmarks", "tests", "notebooks", "docs", "binder")
SHELLS = ("sh", "bash", "shell", "console")

# In a block that is the shell's, every line is a command; elsewhere, what begins with a program and goes on.
PROGRAMS = ("make", r"(?:\.venv/bin/)?(?:python3?|pip|pytest|jupyter)", "git", "conda", "mamba", "uv", "bash", "sh", "sudo",
            "apt", "apt-get", "dnf", "npm", "docker", "ssh", "curl")
COMMAND = re.compile(rf"!?(?:[A-Z_]+=\S+ )*(?:{'|'.join(PROGRAMS)}) \S|\.ci/\w")
FENCED = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", flags=re.MULTILINE | re.DOTALL)


def documents(root):
    """{name: the commands in it, in their order} of every document of a checkout that has one."""
    found = {path: list(map(unaddressed, commands_in(path))) for path in texts(root)}
    return {str(path.relative_to(root)): commands for path, commands in found.items() if commands}


def unaddressed(command):
    """A command as it was before tools/publish.py wrote into it where the course lies."""
    return re.sub(r"(git clone .*)https://github\.com/\S+", r"\1<this repository>", command)


def texts(root):
    """The files that are looked at."""
    for pattern in ("*.md", "*.py", "requirements*.in", "Makefile", "environment.yml", ".ci/run", ".github/workflows/*.yml"):
        yield from sorted(root.glob(pattern))
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            # A learner's own files may lie beside the notebooks.
            own = ".ipynb_checkpoints" in path.parts or path.name == "course-certificate.md"
            if path.suffix in (".md", ".py", ".ipynb") and not own:
                yield path


def commands_in(path):
    """The commands of one file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from in_prose(ast.get_docstring(ast.parse(text), clean=False) or "")
    elif path.suffix == ".md":
        yield from in_prose(text)
    elif path.suffix == ".ipynb":
        for cell in json.loads(text)["cells"]:
            source = "".join(cell["source"])
            yield from in_prose(source) if cell["cell_type"] == "markdown" else in_code(source)
    else:
        yield from in_prose("\n".join(re.findall(r"^ *# ?(.*)$", text, flags=re.MULTILINE)))
        if path.suffix == ".yml" and path.parent.name == "workflows":
            for job in yaml.safe_load(text)["jobs"].values():
                for step in job["steps"]:
                    yield from in_shell(step.get("run", ""))
        elif path.parent.name == ".ci":
            yield from filter(COMMAND.match, in_shell(text))


def in_prose(text):
    """The commands in blocks of code, in indented lines, and in backquotes."""
    for _, language, block in FENCED.findall(text):
        if language in SHELLS:
            yield from in_shell(block)
        else:
            yield from filter(COMMAND.match, in_shell(block)) if not language else in_code(block)
    rest = FENCED.sub("", text)
    yield from filter(COMMAND.match, map(bare, re.findall(r"^ {4}(\S.*)$", rest, flags=re.MULTILINE)))
    for paragraph in re.split(r"\n\s*\n", rest):
        yield from in_backquotes(paragraph)


def in_shell(block):
    """The commands of a script: its lines, but a loop is one command."""
    for line in re.findall(r"^ *(for .*?^ *done|[^\s#][^\n]*)$", block.replace("\\\n", " "), flags=re.MULTILINE | re.DOTALL):
        yield bare(line.removeprefix("$ "))


def in_code(source):
    """The commands in a cell: of the shell, and those that a message names."""
    yield from map(bare, re.findall(r"^ *(!.+)$", source, flags=re.MULTILINE))
    yield from in_backquotes(source)


def in_backquotes(text):
    spans = (" ".join(span.split()) for _, span in re.findall(r"(?<!`)(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)", text, flags=re.DOTALL))
    yield from filter(COMMAND.match, spans)


def bare(line):
    """A line without what is said about it: a comment, or words in a column of their own."""
    return " ".join(re.sub(r"\s+#\s.*|\s{2,}(?!\[).*", "", line.strip(), flags=re.DOTALL).split())
