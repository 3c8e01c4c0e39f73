"""How well text stands out from what is behind it, as WCAG 2 counts it (https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio)."""
import re
from dataclasses import dataclass

ENOUGH = 4.5        # WCAG 2, level AA, for text of ordinary size

# Each piece of text that can be seen in an output of the notebook, with its colour and the grounds behind it, nearest first.
COLLECT = """() => {
    const found = [];
    for (const output of document.querySelectorAll('.jp-OutputArea-output')) {
        const walker = document.createTreeWalker(output, NodeFilter.SHOW_TEXT);
        for (let node; node = walker.nextNode();) {
            const parent = node.parentElement, box = parent.getBoundingClientRect(), style = getComputedStyle(parent);
            const text = node.textContent.trim();
            if (!text || !box.width || !box.height || style.visibility !== 'visible' || parent.closest('script, style')) continue;
            const grounds = [];
            let opacity = 1;
            for (let one = parent; one; one = one.parentElement) {
                grounds.push(getComputedStyle(one).backgroundColor);
                opacity *= Number(getComputedStyle(one).opacity);
            }
            const svg = parent.closest('svg');
            found.push({text, colour: svg ? style.fill : style.color, grounds, opacity, disabled: Boolean(parent.closest(':disabled'))});
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
    for found in lab.page.evaluate(COLLECT):
        if not found["disabled"]:
            ground = flatten([rgba(colour) for colour in found["grounds"]])
            red, green, blue, alpha = rgba(found["colour"])
            colour = over((red, green, blue, alpha * found["opacity"]), ground)
            yield Text(found["text"][:60], found["colour"], str(ground), round(ratio(colour, ground), 2))


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


def ratio(one, other):
    """The contrast of two opaque colours: 1 for equal ones, 21 for black on white."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour):
    red, green, blue = (part / 255 for part in colour)
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
