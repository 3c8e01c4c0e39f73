"""ipywidgets, imported when the first widget is made: `from ..notebook import widgets`, then `widgets.Button(...)`.

The sandbox's processes import the exercises and show nothing. Without ipywidgets and IPython they start in two thirds
of the time.
"""


def __getattr__(name):
    import ipywidgets
    return getattr(ipywidgets, name)
