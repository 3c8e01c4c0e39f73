"""The colours of a cell's code on a page: Python's, and CUDA C++'s within a string that holds a kernel."""
import itertools
import re

from pygments import highlight
from pygments.filter import Filter
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer, PythonLexer
from pygments.token import String

CUDA = re.compile(r"__global__|__device__|__shared__|threadIdx")


class KernelStrings(Filter):
    """Colours the strings of Python that are CUDA C++."""

    def filter(self, lexer, stream):
        for in_string, tokens in itertools.groupby(stream, key=lambda token: token[0] in String):
            tokens = list(tokens)
            text = "".join(value for _, value in tokens)
            yield from CudaLexer(stripnl=False, ensurenl=False).get_tokens(text) if in_string and CUDA.search(text) else tokens


def coloured(source):
    """The HTML of a code cell's source."""
    return highlight(source or " ", PythonLexer(filters=[KernelStrings()]), HtmlFormatter(cssclass="highlight"))
