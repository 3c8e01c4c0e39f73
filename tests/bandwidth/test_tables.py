"""The table beside a plot has the plot's numbers, to a screen reader too."""
from html.parser import HTMLParser

from courseware.bandwidth import wording
from courseware.bandwidth.plots import curves, tables

from . import example


def tables_of(*all_series):
    return tables.of_curves(curves.pick(curves.sources_of([example.recording(*all_series)]), all_series[0].experiment))


class TableCells(HTMLParser):
    """The texts of a table's cells, row by row."""

    def __init__(self, source):
        super().__init__()
        self.rows = []
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def test_a_row_for_each_size_and_a_column_for_each_curve():
    table, = tables_of(*example.sweep())
    assert table.head == ("size", "pageable", "pinned", "registered")
    assert [row[0] for row in table.rows] == ["4 B", "4 KiB", "4 MiB", "4 GiB"]
    assert table.rows[-1] == ("4 GiB", "9 (8.55 to 9.45)", "55 (52.2 to 57.8)", "54 (51.3 to 56.7)")


def test_the_caption_names_the_unit_the_device_and_the_date():
    table, = tables_of(*example.sweep())
    assert table.caption == "GB/s, median (quartiles); recorded: Example GPU, 2001-02-03"


def test_a_size_that_one_kind_lacks_is_marked():
    table, = tables_of(example.series("copy sweep", "host to device", "pinned", {4: 1, 8: 2}),
                  example.series("copy sweep", "host to device", "pageable", {8: 3}))
    assert table.rows == (("4 B", "-", "1"), ("8 B", "3", "2"))


def test_of_many_sizes_a_table_has_a_few_up_to_the_largest_and_says_so():
    sizes = [step << doubling for doubling in range(28) for step in (4, 5, 6, 7)]
    table, = tables_of(example.series("copy sweep", "host to device", "pinned", dict.fromkeys(sizes, 1)))
    assert [row[0] for row in table.rows] == [wording.size(7 << shift) for shift in range(1, 28, 2)]
    assert table.caption.endswith("(14 of 112 points)")


def test_each_recording_has_a_table_of_its_own():
    here, other = example.recording(*example.sweep(scale=2)), example.recording(*example.sweep(), device="Another")
    first, second = tables.of_curves(curves.pick(curves.sources_of([other], here), "copy sweep"))
    assert "measured here: Example GPU" in first.caption and "recorded: Another" in second.caption
    assert first.rows[-1][1].startswith("18 ") and second.rows[-1][1].startswith("9 ")


def test_text_and_html_hold_the_same_cells():
    table, = tables_of(*example.sweep())
    assert TableCells(table._repr_html_()).rows == [list(table.head), *map(list, table.rows)]
    caption, head, *lines = str(table).splitlines()
    assert caption == table.caption and head.split() == list(table.head)
    assert [line.split("  ")[-1].strip() for line in lines] == [row[-1] for row in table.rows]


def test_columns_line_up_in_text():
    table = tables.PlotTable(("size", "left", "right"), (("4 B", "word", "1"), ("512 MiB", "w", "55.25")))
    assert str(table).splitlines() == ["   size  left  right", "    4 B  word      1", "512 MiB  w     55.25"]


def test_what_could_be_html_in_a_text_is_not():
    assert "<b>" not in tables.PlotTable(("<b>",), (("<b>",),), "<b>")._repr_html_()
