"""What a notebook shows of measurements: a picture, a sentence that says what it shows, and its numbers as a table.

All of it is HTML: an output that is an image has no text in JupyterLab for whoever does not see it. The sentence is the
image's text, and stands in a fold with the table: who sees the picture is not served its numbers again. The two hold
all that it holds. Not here: what is drawn (__init__.py).
"""
import base64
import html
import io
from dataclasses import dataclass

import matplotlib.style
from PIL import Image  # comes with matplotlib, which needs it itself

PIXELS_PER_INCH = 100       # as a browser shows it; the file has twice as many, for sharp screens
COLOURS = 256
# As the drawn pictures: dark on a light ground that the picture brings, so that it is read on any page. Where a page
# keeps styles, a dark one turns light into dark, and each colour into itself.
INK, GROUND = "#1d2b36", "#fcfcfc"
DARK = ("<style>:is([data-jp-theme-light=false], .vscode-dark, [theme=dark]) .course-plot "
        "{ filter: invert(.9) hue-rotate(180deg) }</style>")
STYLE = ["default", {        # whatever style the notebook has set for its own plots
    "font.size": 10, "axes.titlesize": 11, "xtick.labelsize": 9.5, "ytick.labelsize": 9.5, "legend.fontsize": 9.5,
    "axes.spines.top": False, "axes.spines.right": False, "axes.titlelocation": "left", "axes.axisbelow": True,
    "grid.color": INK, "grid.alpha": 0.3, "grid.linewidth": 0.7, "hatch.linewidth": 1.2,
    "figure.constrained_layout.use": True,
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), GROUND),
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK)}]


@dataclass(frozen=True, eq=False)
class Picture:
    """A notebook shows it when it is the last line of a cell. Printing it gives the sentence and the table."""

    title: str
    summary: str                # what the picture shows, in a sentence for each recording
    tables: tuple = ()          # of tables.PlotTable: the numbers
    notes: tuple = ()           # sentences: points that were left out, what was not measured here and why
    about: tuple = ()           # sentences: how and on what it was measured
    figure: object = None       # matplotlib's; None where there is nothing to draw

    def png(self):
        """The picture as the bytes of a PNG file; None where there is nothing to draw."""
        if self.figure is None:
            return None
        with matplotlib.style.context(STYLE):
            drawn = io.BytesIO()    # as bare pixels: to pack them first takes as long as to draw them
            self.figure.savefig(drawn, format="rgba", dpi=2 * PIXELS_PER_INCH)
        width = int(self.figure.get_figwidth() * 2 * PIXELS_PER_INCH)
        pixels = drawn.getvalue()
        # A table of 256 colours instead of four bytes a pixel: notebooks keep their pictures, and this is a third.
        content = io.BytesIO()
        # Laid on its ground: a height that is no whole number of pixels leaves a last row that nothing was drawn on.
        bare = Image.frombytes("RGBA", (width, len(pixels) // (4 * width)), pixels)
        Image.alpha_composite(Image.new("RGBA", bare.size, GROUND), bare).convert("RGB") \
            .quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(content, "png", optimize=True)
        return content.getvalue()

    def __repr__(self):
        paragraphs = [self.title, "\n".join([self.summary, *self.notes]), *map(str, self.tables), "\n".join(self.about)]
        return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)

    def _repr_html_(self):
        lines = [f"<p><strong>{html.escape(self.title)}</strong></p>" if self.figure is None else self._image()]
        summary, *notes = (f"<p>{html.escape(sentence)}</p>" for sentence in (self.summary, *self.notes))
        numbers = summary + "".join(table._repr_html_() for table in self.tables)
        if self.figure is not None:
            numbers = f"<details><summary>In words and numbers</summary>{numbers}</details>"
        lines += [*notes, numbers]
        if self.about:
            items = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in self.about)
            lines.append(f"<details><summary>How it was measured</summary><ul>{items}</ul></details>")
        return "".join([*lines, DARK])

    def _image(self):
        width = round(self.figure.get_figwidth() * PIXELS_PER_INCH)
        return (f'<img class="course-plot" src="data:image/png;base64,{base64.b64encode(self.png()).decode()}" '
                f'width="{width}" alt="{html.escape(f"{self.title}. {self.summary}")}">')
