"""How well text stands out from what is behind it, as WCAG 2 counts it.

https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio
"""
import functools
import json
import re
from dataclasses import dataclass

ENOUGH = 4.5        # WCAG 2, level AA, for text of ordinary size
ENOUGH_FOR_LINES = 3    # the same, for what is no text

# Each piece of text that can be seen in an output of the notebook, with its colour and the grounds behind it, nearest
# first. In an SVG a ground is a shape that was drawn before the text and lies around its middle; a hatched one has the
# hatching's colour too.
COLLECT = """() => {
    const found = [], nothing = {grounds: [], opacity: 1}, TRANSPARENT = 'rgba(0, 0, 0, 0)';
    const around = (box, x, y) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
    const alpha = (colour, opacity) => ({colour, opacity: Number(opacity)});
    const drawn = new Map();    // a picture -> its shapes, last first: asked of each text in it
    const shapes = svg => drawn.get(svg) ?? drawn.set(svg, [...svg.querySelectorAll('rect, path, circle')].reverse()
        .filter(shape => !shape.closest('defs') && getComputedStyle(shape).fill !== 'none')
        .map(shape => ({shape, style: getComputedStyle(shape), box: shape.getBoundingClientRect()}))).get(svg);
    const known = new Map();    // an element -> what is behind its text, nearest first, and how much shines through all of it
    const behind = one => known.get(one) ?? known.set(one, (() => {
        const {backgroundColor, opacity} = getComputedStyle(one), rest = one.parentElement ? behind(one.parentElement) : nothing;
        const grounds = backgroundColor === TRANSPARENT ? rest.grounds : [alpha(backgroundColor, 1), ...rest.grounds];
        return {grounds, opacity: Number(opacity) * rest.opacity};
    })()).get(one);
    for (const output of document.querySelectorAll('.jp-OutputArea-output')) {
        output.querySelectorAll('details').forEach(one => { one.open = true; });
        const walker = document.createTreeWalker(output, NodeFilter.SHOW_TEXT);
        for (let node; node = walker.nextNode();) {
            const parent = node.parentElement, box = parent.getBoundingClientRect(), style = getComputedStyle(parent);
            const text = node.textContent.trim();
            if (!text || !box.width || !box.height || style.visibility !== 'visible') continue;
            if (parent.closest('script, style, title')) continue;
            const x = box.left + box.width / 2, y = box.top + box.height / 2;
            const grounds = [], hatching = [], svg = parent.closest('svg');
            if (svg) for (const {shape, style, box} of shapes(svg)) {
                if (!around(box, x, y) || !(shape.compareDocumentPosition(parent) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
                const pattern = style.fill.match(/url\\("#(.*)"\\)/);
                const hatch = pattern && document.getElementById(pattern[1]).firstElementChild;
                if (hatch) hatching.push(getComputedStyle(hatch).stroke);
                else grounds.push(alpha(style.fill, style.fillOpacity));
            }
            const {grounds: further, opacity} = behind(parent);
            grounds.push(...further);
            const colour = svg ? style.fill : style.color, disabled = Boolean(parent.closest(':disabled'));
            found.push({text, colour, grounds, hatching, opacity, disabled});
        }
    }
    return found;
}"""


@dataclass(frozen=True)
class Text:
    """A piece of text and its contrast, from 1 to 21."""

    text: str
    colour: str
    ground: str
    ratio: float


def texts(lab):
    """All text that the notebook's outputs show, as Text. Text of disabled controls is left out, as WCAG does."""
    for text in collected(lab.page):
        if not text["disabled"]:
            yield measured(text)


def collected(page, within=".jp-OutputArea-output"):
    """What COLLECT finds in the elements of a page that this selector names."""
    code = COLLECT.replace(".jp-OutputArea-output", within)
    return json.loads(page.evaluate(f"() => JSON.stringify(({code})())"))     # as text: Playwright takes thousands of objects apart slowly


def measured(text):
    """The Text for what COLLECT found: its smallest contrast, where the ground has several colours."""
    grounds = tuple((layer["colour"], layer["opacity"]) for layer in text["grounds"])
    smallest, behind = looks(text["colour"], text["opacity"], grounds, tuple(text["hatching"]))
    return Text(text["text"][:60], text["colour"], behind, smallest)


@functools.cache
def looks(colour, opacity, grounds, hatching):
    """(the smallest contrast, its ground) of a text that looks like this: a page has thousands of texts, and a few dozen looks."""
    ground = flatten([faded(*layer) for layer in grounds])
    text = over(faded(colour, opacity), ground)
    smallest, behind = min((ratio(text, layer), layer) for layer in (ground, *(over(rgba(line), ground) for line in hatching)))
    return round(smallest, 2), str(behind)


def faded(text, opacity):
    """A computed colour with an opacity besides its own -> (red, green, blue, alpha)."""
    *parts, alpha = rgba(text)
    return (*parts, alpha * opacity)


@functools.cache
def rgba(text):
    """"rgb(1, 2, 3)" or "rgba(1, 2, 3, 0.5)" -> (1.0, 2.0, 3.0, 0.5), as Chromium's computed styles write colours."""
    numbers = [float(number) for number in re.findall(r"[\d.]+", text)]
    return (*numbers, 1.0) if len(numbers) == 3 else tuple(numbers)


def over(colour, ground):
    """A colour with its alpha on an opaque ground -> (red, green, blue)."""
    *parts, alpha = colour
    return tuple(alpha * part + (1 - alpha) * behind for part, behind in zip(parts, ground))


def flatten(grounds):
    """Grounds on top of each other, nearest first, on white -> (red, green, blue)."""
    seen = (255.0, 255.0, 255.0)
    for ground in reversed(grounds):
        seen = over(ground, seen)
    return seen


def ratio(first, second):
    """The contrast of two opaque colours: 1 for equal ones, 21 for black on white."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour):
    parts = (part / 255 for part in colour)
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
