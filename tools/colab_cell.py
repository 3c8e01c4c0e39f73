"""Give every notebook a first cell that fetches the course in Google Colab, once it lies at a public address.

    python3 tools/colab_cell.py ADDRESS TAG

ADDRESS is the repository as `git clone` takes it, TAG the version that is to be fetched: from then on a notebook and
what it imports are of one version. Outside Colab the cell says what it says now. The metadata asks Colab for a GPU
(a T4); without one the course attaches its simulated driver. Run it again for each version, and commit what it changed.
"""
import json
import sys
from pathlib import Path

CELL = '''\
try:
    import course_lib    # attaches a CUDA driver, so it comes before PyCUDA
except ModuleNotFoundError as missing:
    import os
    if "COLAB_RELEASE_TAG" not in os.environ:    # Google Colab fetches the course; elsewhere it is there
        print(f"This Python has no {{missing.name}}. Open the course with `make lab`, in its own folder.")
        raise
    !git clone -q --depth 1 --branch {tag} {address} course
    !python course/tools/colab_install.py
    import course_lib'''


def change(notebook, address, tag):
    """Change the first code cell of a notebook (the parsed JSON), up to an empty line, and what Colab is asked for."""
    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    _, blank, rest = "".join(cell["source"]).partition("\n\n")
    cell["source"] = (CELL.format(address=address, tag=tag) + blank + rest).splitlines(keepends=True)
    notebook["metadata"].update({"accelerator": "GPU", "colab": {"gpuType": "T4"}})
    return notebook


def main(folder, address, tag):
    """Change all notebooks of a folder, as JupyterLab would write them."""
    for path in sorted(folder.glob("*.ipynb")):
        notebook = change(json.loads(path.read_text()), address, tag)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(__file__).resolve().parent.parent / "notebooks", *sys.argv[1:])
