"""What a cell shows, covered until a question is answered: then it appears in its place, and stays there when the
notebook is saved.

    cover = Cover()
    cover.put_on()          # from here on what the cell shows is taken
    places = cover.take_off()
    places.show()           # an empty place for each thing that the cell showed
    places.fill()           # and there it is

The places are outputs with a display_id, Jupyter's way to change an output later: it works in JupyterLab, VS Code and
Colab, and what is saved are plain outputs. ipywidgets' own Output would be lost with its kernel.

Not here: the question (session.py).
"""
import io
import sys
import uuid

EMPTY = {"text/plain": "", "text/html": ""}


def shell():
    """This notebook's IPython shell; None outside of one."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


class OutputPlace:
    """An output that can be filled later, and again."""

    def __init__(self):
        self._id = uuid.uuid4().hex

    def show(self, bundle=EMPTY):
        """Make the output. bundle: {mime type: content}"""
        shell().display_pub.publish(bundle, transient={"display_id": self._id})

    def fill(self, bundle, metadata=None):
        """Put something else there."""
        shell().display_pub.publish(bundle, metadata, transient={"display_id": self._id}, update=True)


class OutputPlaces:
    """Places for what a cell showed."""

    def __init__(self, outputs):
        self._outputs = [(OutputPlace(), data, metadata) for data, metadata in outputs]

    def show(self):
        """Make the places, empty."""
        for place, _, _ in self._outputs:
            place.show()

    def fill(self):
        """Fill them."""
        for place, data, metadata in self._outputs:
            place.fill(data, metadata)


class Cover:
    """Takes what a cell shows, from `put_on` to `take_off`: text, pictures and tables, in their order."""

    def put_on(self):
        """Begin to take; before a cell runs, or while it does."""
        from IPython.core.displayhook import CapturingDisplayHook
        from IPython.core.displaypub import CapturingDisplayPublisher
        ipython, trap = shell(), shell().display_trap
        self._before = sys.stdout, sys.stderr, ipython.display_pub, trap.hook
        ipython.display_pub = CapturingDisplayPublisher()
        self._shown = ipython.display_pub.outputs
        runs = sys.displayhook is trap.hook
        trap.hook = CapturingDisplayHook(ipython, self._shown)
        if runs:
            sys.displayhook = trap.hook
        sys.stdout = sys.stderr = _Stream(self._shown)

    def take_off(self):
        """End it, and return what was taken as OutputPlaces."""
        ipython = shell()
        sys.stdout, sys.stderr, ipython.display_pub, ipython.display_trap.hook = self._before
        outputs, named = [], {}
        for message in self._shown:    # one that was changed later is taken as it was last
            name = (message.get("transient") or {}).get("display_id")
            if message.get("update"):
                if name in named:
                    outputs[named[name]] = message["data"], message["metadata"]
                continue
            named[name] = len(outputs)
            outputs.append((message["data"], message.get("metadata")))
        return OutputPlaces(outputs)


class _Stream(io.TextIOBase):
    """A file for `print`. Its texts lie among the other outputs; those in a row are one."""

    def __init__(self, outputs):
        self._outputs = outputs

    def write(self, text):
        if not text:        # it would be an empty output
            return 0
        if not (self._outputs and self._outputs[-1].get("printed")):
            self._outputs.append({"data": {"text/plain": ""}, "printed": True})
        self._outputs[-1]["data"]["text/plain"] += text
        return len(text)
