"""How code looks on a page: its colours, which are Python's, and CUDA C++'s within a string that holds a kernel; and its lines, of which
one that is too long goes on below, to the right of where it began."""
import itertools
import re

from pygments import highlight
from pygments.filter import Filter
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer, PythonLexer
from pygments.token import String

CUDA = re.compile(r"__global__|__device__|__shared__|threadIdx")
# A listing by Pygments, which ends each element within its line; a comment at the end of a line.
LISTING = re.compile(r"(<pre>(?:<span></span>)?)(.*?)(</pre>)", re.DOTALL)
MARGIN = re.compile(r'^<span class="w">( +)</span>')
BEHIND = re.compile(r'(.*\S.*?)<span class="(c1?)">([^<]*)</span>(\n?)$', re.DOTALL)


class KernelStrings(Filter):
    """Colours the strings of Python that are CUDA C++."""

    def filter(self, lexer, stream):
        for in_string, tokens in itertools.groupby(stream, key=lambda token: token[0] in String):
            tokens = list(tokens)
            text = "".join(value for _, value in tokens)
            yield from CudaLexer(stripnl=False, ensurenl=False).get_tokens(text) if in_string and CUDA.search(text) else tokens


def coloured(source):
    """The HTML of a code cell's source."""
    return in_lines(highlight(source or " ", PythonLexer(filters=[KernelStrings()]), HtmlFormatter(cssclass="highlight")))


def cuda_lines(source):
    """The HTML of each line of CUDA C++. Each is read by itself: behind a place for a line, an `if` looks like a function."""
    lexer, formatter = CudaLexer(stripnl=False), HtmlFormatter(nowrap=True)
    return [MARGIN.sub(r"\1", highlight(line, lexer, formatter).rstrip("\n")) for line in source.splitlines()]


def in_lines(html):
    """HTML whose listings have each line as an element that knows its margin, and comments behind code as such."""
    return LISTING.sub(lambda listing: f"{listing[1]}{''.join(map(_line, listing[2].splitlines(True)))}{listing[3]}", html)


def _line(html):
    words, behind = _text(html), BEHIND.match(html)
    if behind and _text(behind[1]).strip():
        html = f'{behind[1]}<span class="{behind[2]} behind">{behind[3]}{behind[4]}</span>'
    return f'<span class="line" style="--margin: {len(words) - len(words.lstrip(" "))}">{html}</span>'


def _text(html):
    return re.sub("<[^>]*>", "", html)
