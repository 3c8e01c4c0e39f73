"""Put the drawn pictures into the notebooks:

    .venv/bin/python tools/draw_pictures.py [notebooks/00_two_views_of_one_memory.ipynb ...]

A notebook names a picture in its text, ``![what it shows](attachment:two_tables.png)``. It is drawn in docs/pictures/two_tables.svg,
and kept in the notebook as a PNG: an attachment is what JupyterLab, VS Code, Colab, nbviewer and GitHub all show, without a
network. Its ground is light, so that it can be read in a dark theme as well. A PNG carries the sum of the SVG that it was made
from; tests/notebooks/test_pictures.py says when it is out of date. Needs Chromium (CHROMIUM, or one on PATH).
"""
import base64
import hashlib
import io
import json
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from course_files import write_whole  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
NAMED = re.compile(r"\(attachment:([\w-]+)\.png\)")
WORDS = re.compile(r"!\[([^]]*)\]" + NAMED.pattern)
SCALE = 2       # pixels of the PNG for one of the SVG


def source_sum(name):
    """What tells one version of a picture's SVG from another."""
    return hashlib.sha256((PICTURES / f"{name}.svg").read_bytes()).hexdigest()


def kept_sum(png):
    """The sum that a PNG (bytes) carries; None without one."""
    from PIL import Image
    return Image.open(io.BytesIO(png)).info.get("source")


def drawn(page, name):
    """A picture as a PNG, by a page of Chromium."""
    from PIL import Image, PngImagePlugin
    page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{(PICTURES / f'{name}.svg').read_text()}")
    shot = Image.open(io.BytesIO(page.locator("svg").screenshot(omit_background=True))).convert("RGBA").quantize(256)
    note = PngImagePlugin.PngInfo()
    note.add_text("source", source_sum(name))
    png = io.BytesIO()
    shot.save(png, "PNG", pnginfo=note, optimize=True)
    return png.getvalue()


def attach(path, page):
    """Draw each picture that a notebook names anew, if its SVG has changed; returns [(its name, its words in the notebook)]."""
    notebook, changed = json.loads(path.read_text()), []
    for cell in notebook["cells"]:
        named = WORDS.findall("".join(cell["source"])) if cell["cell_type"] == "markdown" else []
        before, after = cell.pop("attachments", {}), {}
        for words, name in named:
            picture = before.get(f"{name}.png", {}).get("image/png")
            if picture is None or kept_sum(base64.b64decode(picture)) != source_sum(name):
                changed.append((name, words))
                picture = base64.b64encode(drawn(page, name)).decode()
            after[f"{name}.png"] = {"image/png": picture}
        if after:
            cell["attachments"] = after
    write_whole(path, json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    return changed


def main(paths):
    """None, or a sentence: why nothing was drawn."""
    if "--help" in paths:
        return __doc__
    paths = [Path(path) for path in paths] or sorted((ROOT / "notebooks").rglob("*.ipynb"))
    for path in paths:
        for name in NAMED.findall(path.read_text()):
            if not (PICTURES / f"{name}.svg").is_file():
                return f"{path.name} names {name}.png, and there is no docs/pictures/{name}.svg to draw it from"
    chromium = shutil.which(os.environ.get("CHROMIUM") or "chromium")
    if chromium is None:
        return "pictures are drawn by a Chromium, and there is none: sudo apt install chromium, or name one in CHROMIUM"
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(device_scale_factor=SCALE, reduced_motion="reduce")       # a picture that moves is kept still
        for path in paths:
            for name, words in attach(path, page):
                print(f"{path.name}: {name}. Are its words for who cannot see it still true? {words}")
        browser.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
