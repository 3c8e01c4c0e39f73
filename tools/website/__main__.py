"""Render the course as pages to read: every lesson and every document that was committed, into .build/site.

    .venv/bin/python tools/website [folder]     what git has as HEAD; what differs from it here is named, and not shown
    .venv/bin/python tools/website --draft      this checkout as it lies, into .build/draft: to look at before a commit

The pages are made beside the old ones and take their place at the end, in a folder that is empty or has pages of this
command (course_files). They ask nothing of the network; without JavaScript a program to step through is a table of its steps,
and there is no search. How they are made is in build.py.
"""
import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import committed  # noqa: E402
from publish import GITHUB  # noqa: E402

from course_files import NotOurs, folder_anew, refuse_changed_folder  # noqa: E402

SIMULATOR = Path("packages/cuda-simulator/src")
# What git does not have, since it is compiled; importing the course needs it.
COMPILED = [SIMULATOR / "cuda_simulator" / name for name in ("libcuda/libcuda.so.1", "libcuda/other_name.so", "ptx/lanes.so")]


def repository():
    """The address of the repository on GitHub that this checkout is a clone of; "" if it is of another, or of none."""
    origin = subprocess.run(["git", "-C", ROOT, "remote", "get-url", "origin"], capture_output=True, text=True).stdout.strip()
    address = GITHUB.fullmatch(re.sub(r"^git@github\.com:", "https://github.com/", origin))
    return "https://github.com/{}/{}".format(*address.groups()) if address else ""


def render(source, folder):
    """Make the pages of the course in `source` in an empty folder, by that course's own code."""
    environment = {**os.environ, "COURSE_DRIVER": "simulated", "COURSE_PROGRESS": "off", "COURSE_REPOSITORY": repository(),
                   "PYTHONPATH": os.pathsep.join(map(str, (source, source / SIMULATOR, source / "tools")))}
    # The texts are UTF-8 whatever the locale says.
    subprocess.run([sys.executable, "-X", "utf8", str(source / "tools" / "website" / "build.py"), str(folder)], cwd=source,
                   env=environment, check=True)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="make site", description="Render the course as pages to read.", allow_abbrev=False)
    parser.add_argument("folder", nargs="?", type=Path, help="an empty folder, a new one, or one of earlier pages (default: .build/site)")
    parser.add_argument("--draft", action="store_true", help="this checkout as it lies, into .build/draft: not to be published")
    options = parser.parse_args(arguments)
    if options.draft and options.folder:
        parser.error("a draft is made in .build/draft")
    target = options.folder or ROOT / ".build" / ("draft" if options.draft else "site")
    try:
        refuse_changed_folder(target)
        with contextlib.ExitStack() as stack:
            source = ROOT
            if options.draft:
                print("A draft, with whatever was run or written here. Do not publish it.")
            else:
                source = stack.enter_context(committed.folder(ROOT))
                for path in COMPILED:
                    shutil.copy(ROOT / path, source / path)
                if changed := committed.differing(ROOT):
                    print("The pages show what was committed. In this checkout these files differ:", *changed, sep="\n  ")
            folder = stack.enter_context(folder_anew(target))
            render(source, folder)
    except committed.NotCommitted as error:
        return f"{error} Or look at a draft: make site ARGS=--draft"
    except NotOurs as error:
        return str(error)
    except OSError as error:
        return f"No pages were made: {error.strerror or error} ({error.filename or target}). What was there before is there still."
    except subprocess.CalledProcessError:
        return "No pages were made: the reason is above. What was there before is there still."
    print(f"open {target / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
