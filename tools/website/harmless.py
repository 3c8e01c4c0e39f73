"""Takes out of HTML what a browser would run. A page's policy forbids it as well; a page that was copied elsewhere has none."""
import re

from bs4.element import PreformattedString

# What shows something. Another element goes with its content.
ELEMENTS = set("""
a abbr b blockquote br caption cite code col colgroup dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 header hr i img ins
kbd li main mark nav ol p picture pre q s samp section small source span strong style sub summary sup table tbody td tfoot th thead tr u
ul var circle defs desc ellipse g line lineargradient marker path pattern polygon polyline rect stop svg symbol text title tspan
""".split())
# At the beginning of an address. A browser overlooks blanks and control characters in it.
RUNS = re.compile(r"(?:javascript|vbscript|data(?!:image/)):", re.IGNORECASE)


def harmless(soup):
    """The parsed piece of a page, without what would run; it is changed in place."""
    for text in soup.find_all(string=lambda text: isinstance(text, PreformattedString)):     # comments, which parsers end differently
        text.extract()
    for element in soup.find_all(lambda element: element.name not in ELEMENTS or element.name == "style" and "<" in element.get_text()):
        element.decompose()
    for element in soup.find_all(True):
        for name, value in list(element.attrs.items()):
            address = re.sub(r"[\x00-\x20\x7f-\xa0]", "", value if isinstance(value, str) else " ".join(value))
            if name.startswith("on") or name == "srcdoc" or RUNS.match(address):
                del element[name]
    return soup
