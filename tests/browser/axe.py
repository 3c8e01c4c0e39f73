"""What axe-core finds wrong with a page for whoever uses it without eyes or without a mouse.

https://github.com/dequelabs/axe-core, as the package axe-playwright-python brings it: a script for the page itself. It knows
WCAG 2.1's rules of levels A and AA as far as a machine can judge them, and good practice beside them: headings of tables,
landmarks, the order of headings. Its two rules about colours are left out: they would be most of the time, contrast.py measures
how well text stands out, in drawings too, and that a link is underlined is asked here. One rule is asked that axe-core calls
experimental: that what a control is called has what is written on it, for whoever speaks to it.
"""
import json
from importlib import resources

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"], "resultTypes": ["violations"],
         "rules": {"color-contrast": {"enabled": False}, "link-in-text-block": {"enabled": False}, "label-content-name-mismatch": {"enabled": True}},
         "preload": False}      # it asks for no style sheet a second time
RUN = """async ([where, rules]) => {
    const found = await axe.run({include: where.map(one => [one])}, rules);
    const plain = where.flatMap(one => [...document.querySelectorAll(`${one} p a`)])
        .filter(one => getComputedStyle(one).textDecorationLine !== 'underline');
    return JSON.stringify([...found.violations.flatMap(({help, nodes}) => nodes.map(({html}) => [help, html.slice(0, 300)])),
                           ...plain.map(one => ['Links in a text are underlined', one.outerHTML])]);
}"""
# What is the course's of a notebook in JupyterLab: what its cells show. All around it is JupyterLab's.
OUTPUTS = ".jp-OutputArea-output"


def open_folds(page):
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")


def complaints(page, *within):
    """[rule, element] for each element that breaks a rule, in all of the page or within these (CSS selectors); folds are opened."""
    open_folds(page)
    page.evaluate((resources.files("axe_playwright_python") / "axe.min.js").read_text())
    return json.loads(page.evaluate(RUN, [within or ["html"], RULES]))
