"""What a plot shows is what was measured, and it says on what and when."""
import base64
import dataclasses
import functools
import io

from course_lib.core.errors import WrongArgument
from courseware import bandwidth
from courseware.bandwidth import NotMeasured, files, plots
from courseware.bandwidth.plots import ladder_plots
from courseware.bandwidth.plots.axes import legend_columns
from courseware.bandwidth.plots.picture import GROUND, INK
from courseware.notebook.palette import LOOKS

import matplotlib
import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib.colors import to_hex
from PIL import Image

from ..browser.contrast import ratio
from . import example

PEERS = [
    *(example.series("peer bandwidth", f"{action}, {way}", "device", {64: [small, 2 * small], 1 << 29: large}, by)
      for way, more in (("0 to 1", 1), ("1 to 0", 1.5))
      for action, by, small, large in (("read", "copy engine", 0.1 * more, 300 * more), ("read", "kernel", 0.3, 320 * more),
                                       ("write", "copy engine", 0.1, 310 * more), ("write", "kernel", 0.4, 330 * more))),
    example.series("peer bandwidth", "without access, 0 to 1", "device", {64: 0.01, 1 << 29: 25})]
TWO = {"devices": 2, "peer_link": "NVLink, 9 links", "peer_limit": 225.0}
RECORDING = example.recording(
    *PEERS,
    *example.sweep(), *example.sweep("device to host", 0.5),
    example.series("kernel access", "read, coalesced", "pinned", {1 << 20: [50, 51, 52]}, "kernel"),
    example.series("kernel access", "read, coalesced", "device", {1 << 20: [4000, 4100, 4200]}, "kernel"),
    example.series("growth", "in place", "mapped reservation", {4 << 20: 0.1, 8 << 20: 0.1}, "driver"),
    example.series("growth", "reallocate and copy", "device", {4 << 20: 0.05, 8 << 20: 0.3}, "driver"),
    *(example.series("managed to device", what, memory, {1 << 16: [small, 2 * small], 1 << 30: large}, "kernel")
      for what, memory, small, large in (("first touch", "managed", 0.7, 11), ("prefetch", "managed", 1, 48),
                                         ("prefetch and read", "managed", 1, 46), ("copy and read", "pinned", 3, 55),
                                         ("read again", "managed", 18, 4000))),
    *example.ladder(),
    timelines=[example.timeline("pinned", ("stream 1", "host to device", 0, 2), ("stream 1", "kernel", 2, 4),
                                ("stream 2", "host to device", 2, 4), ("stream 2", "kernel", 4, 6)),
               example.timeline("pageable", ("stream 1", "host to device", 0, 5), ("stream 2", "kernel", 5, 7))])
HERE = example.recording(*example.sweep(scale=0.4), *example.sweep("device to host", 0.2), device="Own GPU",
                         date="2001-03-04T00:00:00Z", link_limit=25.0)
EVERY_PLOT = plots.sweep, plots.growth, plots.managed, plots.peers, plots.ladder, plots.timeline
every_plot = pytest.mark.parametrize("plot", EVERY_PLOT, ids=lambda plot: plot.__name__)


@functools.cache
def drawn(plot):
    """(a plot of RECORDING, what a notebook gets of it, the pixels in that): drawn once for all tests that look at it."""
    picture = plot(RECORDING)
    soup = BeautifulSoup(picture._repr_html_(), "html.parser")
    png = base64.b64decode(soup.img["src"].removeprefix("data:image/png;base64,"))
    return picture, soup, Image.open(io.BytesIO(png)).convert("RGBA")


def lines(figure, axes=0):
    """The curves of a plot: {label: line}; those of a second source have the labels of the first, with a *."""
    by_label = {}
    for line in figure.axes[axes].lines:
        if not line.get_label().startswith("_"):
            by_label[line.get_label() + "*" * (line.get_label() in by_label)] = line
    return by_label


def words_of(figure):
    """All the text of a figure."""
    return "\n".join(text.get_text() for text in figure.findobj(matplotlib.text.Text))


# -- what is drawn -----------------------------------------------------------------------------------------------------

def test_a_curve_goes_through_the_medians_at_their_sizes():
    curves = lines(plots.sweep(RECORDING, what="device to host").figure)
    assert set(curves) == {"pageable", "pinned", "registered"}
    for series in RECORDING.find("copy sweep", what="device to host"):
        x, y = curves[series.memory].get_data()
        assert list(x) == [point.x for point in series.points] and list(y) == [point.median for point in series.points]


def test_the_band_around_a_curve_reaches_from_quartile_to_quartile():
    figure = plots.sweep(RECORDING, memory="pinned").figure
    band = figure.axes[0].collections[0].get_paths()[0].vertices
    series, = RECORDING.find("copy sweep", memory="pinned", what="host to device")
    for point in series.points:
        assert {point.low, point.high} <= set(band[band[:, 0] == point.x][:, 1])


def test_a_sweep_may_begin_at_a_size_and_then_says_nothing_of_smaller_ones():
    whole, large = plots.sweep(RECORDING), plots.sweep(RECORDING, least=1 << 20)
    for label, line in lines(whole.figure).items():
        assert line.get_xdata().min() < 1 << 20
        assert lines(large.figure)[label].get_xdata().tolist() == [x for x in line.get_xdata() if x >= 1 << 20]
    assert "4 B" in repr(whole) and "4 B" not in repr(large)


def test_a_kind_of_memory_has_its_colour_and_its_marker():
    for kind, line in lines(plots.sweep(RECORDING).figure).items():
        assert to_hex(line.get_color()).upper() == LOOKS[kind].colour and line.get_marker() == LOOKS[kind].marker


def test_a_label_has_what_tells_a_curve_from_the_others_and_nothing_that_they_share():
    recording = example.recording(*(example.series("copy sweep", "host to device", "pinned", {4096: 0.1}, by) for by in ("driver", "CPU")))
    assert set(lines(plots.sweep(recording).figure)) == {"by driver", "by CPU"}


def test_no_two_curves_of_a_plot_have_one_look():
    for plot in EVERY_PLOT[:-1]:
        for axes in plot(RECORDING).figure.axes:
            drawn = [line for line in axes.lines if not line.get_label().startswith("_")]
            looks = [(line.get_color(), line.get_marker()) for line in drawn]
            assert len(looks) == len(set(looks))


@pytest.mark.parametrize("points, marked", [(11, 11), (28, 14)])
def test_each_of_few_points_has_its_marker_and_of_many_the_curves_take_turns(points, marked):
    recording = example.recording(*(
        example.series("growth", what, memory, {2 << 20 + k: value for k in range(points)}, "driver")
        for what, memory, value in (("in place", "mapped reservation", 0.1), ("reallocate and copy", "device", 0.2))))
    drawn = lines(plots.growth(recording).figure).values()
    places = [set(range(points)[line.get_markevery()]) for line in drawn]
    assert [len(own) for own in places] == [marked, marked]
    assert set.union(*places) == set(range(points))


@pytest.mark.parametrize("labels, count", [
    ([19 * "a"] * 4, 4), ([20 * "a"] * 4, 3), ([28 * "a"] * 3, 3), ([29 * "a"] * 3, 2), ([47 * "a"] * 2, 2), ([48 * "a"] * 2, 1), (["a"], 1), (["a"] * 9, 4),
    ([73 * "a", *4 * "b"], 4), ([74 * "a", *4 * "b"], 3)])
def test_a_legend_has_as_many_columns_as_have_room(labels, count):
    assert legend_columns(labels) == count


def test_sizes_are_written_so_that_they_can_be_read():
    axes = plots.sweep(RECORDING).figure.axes[0]
    ticks = [axes.xaxis.get_major_formatter()(x, 0) for x in axes.get_xticks()]
    assert ticks[:3] == ["4 B", "64 B", "1 KiB"] and len(ticks) <= 10
    assert axes.get_xscale() == axes.get_yscale() == "log"


def test_a_timeline_has_a_row_for_each_stream_and_pageable_memory_above_pinned():
    figure = plots.timeline(RECORDING).figure
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "pageable host memory: 7 ms in all, a kernel and a copy at the same time in 0 % of it",
        "pinned host memory: 6 ms in all, a kernel and a copy at the same time in 33 % of it"]
    boxes = [path.get_extents() for part in figure.axes[1].collections for path in part.get_paths()]
    places = sorted((box.x0, box.x1, round(box.y0 + 0.38)) for box in boxes)
    assert places == [(0, 2, 0), (2, 4, 0), (2, 4, 1), (4, 6, 1)]


def test_a_timeline_with_little_of_the_width_is_drawn_again_enlarged():
    short, long = (example.timeline(memory, ("stream 1", "kernel", 0, end)) for memory, end in (("pinned", 2), ("pageable", 9)))
    *parts, enlarged = plots.timeline(example.recording(timelines=[short, long])).figure.axes
    assert [axes.get_title(loc="left").split(":")[0] for axes in parts] == ["pageable host memory", "pinned host memory"]
    assert enlarged.get_title(loc="left") == "pinned host memory, enlarged"
    assert all(axes.get_xlim()[1] > 9 for axes in parts) and enlarged.get_xlim()[1] < 3


def growing(in_place, copied):
    """A recording of both ways to grow, at 4, 8, 16 and 32 MiB; milliseconds."""
    ways = ("in place", "mapped reservation", in_place), ("reallocate and copy", "device", copied)
    return example.recording(*(
        example.series("growth", what, memory, {4 << 20 + place: value for place, value in enumerate(values)}, "driver")
        for what, memory, values in ways))


def test_the_crossing_is_marked_where_growing_in_place_comes_to_take_clearly_less_time():
    figure = plots.growth(growing((2, 3, 4, 5), (1, 2, 8, 16))).figure
    assert "from 16 MiB on" in words_of(figure)
    assert [16 << 20] * 2 in [list(line.get_xdata()) for line in figure.axes[0].lines]
    assert "on\n" not in words_of(plots.growth(growing((2, 3, 4, 5), (20, 21, 22, 23))).figure)


def test_of_two_recordings_the_crossing_of_the_first_is_marked():
    first, second = growing((2, 3, 4, 5), (1, 2, 8, 16)), growing((2, 3, 4, 5), (1, 2, 3, 16))
    assert "from 16 MiB on" in words_of(plots.growth(first, second).figure)


def test_what_a_lesson_asks_of_two_curves_is_what_its_plot_marks_and_its_sentence_says():
    picture = plots.growth(bandwidth.recorded("H200"))
    assert [16 << 20] * 2 in [list(line.get_xdata()) for line in picture.figure.axes[0].lines]
    assert picture.summary.startswith("From 16 MiB on, growing in place takes clearly less time than ")


@pytest.mark.parametrize("recording", (*files.recordings(), *files.peer_recordings()), ids=lambda recording: recording.title)
@every_plot
def test_every_recording_of_the_course_can_be_drawn(plot, recording):
    if (plot is plots.peers) != (recording.machine.devices == 2):
        assert plot(recording).figure is None
        return
    picture = plot(recording)
    titles = [recording.title, *(recording.dated(experiment).title for experiment in recording.later)]
    words = words_of(picture.figure)
    assert any(title in words for title in titles) and "Nothing was measured" not in picture.summary


def test_the_ways_are_drawn_and_their_parts_where_they_are_asked_for():
    assert set(lines(plots.managed(RECORDING).figure)) == {"on demand", "prefetch and read", "copy and read", "read again"}
    assert set(lines(plots.managed(RECORDING, what=["prefetch", "on demand"]).figure)) == {"prefetch", "on demand"}


def test_the_ways_are_told_at_the_smallest_and_at_the_largest_size():
    assert plots.managed(RECORDING, what=["prefetch", "copy and read"]).summary == (
        "At 64 KiB: prefetch 1.5 GB/s, copy and read 4.5 GB/s. At 1 GiB: prefetch 48 GB/s, copy and read 55 GB/s.")


def test_what_a_kernel_reads_of_the_hosts_has_the_links_limit_and_what_it_reads_again_has_none():
    assert "limit of the link" in words_of(plots.managed(RECORDING).figure)
    assert "limit" not in words_of(plots.managed(RECORDING, what="read again").figure)


# -- two devices -------------------------------------------------------------------------------------------------------

def test_what_goes_from_device_0_to_device_1_has_its_curves_by_engine_and_by_kernel():
    assert set(lines(plots.peers(RECORDING).figure)) == {"without peer access, by copy engine", *(
        f"{action}, by {by}" for action in ("read", "write") for by in ("copy engine", "kernel"))}
    by_kernel = plots.peers(RECORDING, by="kernel")
    assert set(lines(by_kernel.figure)) == {"read", "write"} and by_kernel.title.endswith(", by kernel")
    write = lines(by_kernel.figure)["write"]
    assert list(write.get_xdata()) == [64, 1 << 29] and write.get_ydata() == pytest.approx([0.6, 330])


def test_the_limit_between_two_devices_is_their_links():
    words = words_of(plots.peers(example.recording(*PEERS, **TWO)).figure)
    assert "limit of the link, NVLink, 9 links: 225 GB/s" in words and "PCIe" not in words
    unknown = example.recording(*PEERS, devices=2)
    assert "limit" not in words_of(plots.peers(unknown).figure)


def test_a_recording_of_two_devices_says_so():
    picture = plots.peers(example.recording(*PEERS, **TWO))
    assert "recorded: 2 Example GPU, 2001-02-03" in words_of(picture.figure) and "NVLink, 9 links" in repr(picture)
    assert picture.summary == ("At 512 MiB: read by copy engine 300 GB/s, read by kernel 320 GB/s, write by copy engine 310 GB/s, "
                               "write by kernel 330 GB/s, without peer access by copy engine 25 GB/s.")


def test_the_newest_recording_of_two_devices_is_shown_where_none_is_given(monkeypatch):
    two = example.recording(*PEERS, **TWO)
    monkeypatch.setattr(files, "peer_recordings", lambda: (two, RECORDING))
    assert plots.peers().tables == plots.peers(two).tables
    assert "2 Example GPU" not in words_of(plots.sweep().figure)


# -- how far away memory is ---------------------------------------------------------------------------------------------

def rungs(figure):
    """What is written beside a picture, from the top."""
    return [text.get_text() for text in sorted(figure.axes[0].texts, key=lambda text: -text.xyann[1])]


def test_the_steps_of_the_ladder_are_named_beside_it_and_told_in_the_sentence():
    picture = plots.ladder(example.recording(*example.ladder(), l2_bytes=1 << 21))
    assert rungs(picture.figure) == ["host memory: 1,300 ns, 2,600 cycles", "device memory: 340 ns, 680 cycles",
                                     "L2: 140 ns, 280 cycles", "L1: 16 ns, 32 cycles", "shared memory: 14 ns, 28 cycles"]
    assert picture.summary.startswith(
        "Shared memory, 1 KiB to 4 KiB: 14 ns, 28 cycles; L1, 1 KiB to 128 KiB: 16 ns, 32 cycles; L2, 1 KiB")


def test_of_the_ladder_some_kinds_of_memory_can_be_shown():
    picture = plots.ladder(RECORDING, memory="device")
    assert set(lines(picture.figure)) == {"device memory, through L1", "device memory, past L1"}
    assert not any("host" in rung for rung in rungs(picture.figure)) and "host" not in picture.summary
    assert set(lines(plots.ladder(RECORDING).figure)) > {"host memory, past L1", "shared memory"}


def test_the_ladders_table_can_have_the_sizes_that_are_asked_for_and_only_those_that_were_measured():
    table, = plots.ladder(RECORDING, memory="device", sizes=("64 MiB", "1 KiB")).tables
    assert [row[0] for row in table.rows] == ["1 KiB", "64 MiB"]
    with pytest.raises(WrongArgument, match="3 KiB.*size that was measured"):
        plots.ladder(RECORDING, sizes=("3 KiB",))


def test_the_ladder_tells_its_method_in_short_or_leaves_it_out():
    machine, method = plots.ladder(RECORDING).about
    assert "Example GPU" in machine and method == ladder_plots.IN_SHORT and len(method) < 250
    assert plots.ladder(RECORDING, about=False).about == ()


def test_names_beside_a_picture_do_not_meet_and_keep_their_order():
    sizes = 1 << 10, 1 << 11, 1 << 12
    crowd = [example.series("latency ladder", "read", memory, dict.fromkeys(sizes, value), "kernel")
             for memory, value in (("shared", 14), ("constant", 14.2), ("pinned", 14.1), ("device", 900))]
    texts = sorted(plots.ladder(example.recording(*crowd)).figure.axes[0].texts, key=lambda text: text.xyann[1])
    places = [text.xyann[1] for text in texts]
    assert all(next_place - place > 0.05 for place, next_place in zip(places, places[1:])) and 0 <= places[0] and places[-1] <= 1
    assert [text.get_text().split(":")[0] for text in texts][0] == "shared memory"


def test_a_curve_that_ends_on_no_step_has_its_end_told():
    rising = example.series("latency ladder", "read past L1", "device",
                            {1 << 10: 5, 1 << 11: 5, 1 << 12: 5, 1 << 20: 7, 1 << 21: 9}, "kernel")
    picture = plots.ladder(example.recording(rising, l2_bytes=1 << 30))
    assert rungs(picture.figure) == ["2 MiB: 9 ns", "L2: 5 ns"]
    assert picture.summary == "L2, 1 KiB to 4 KiB: 5 ns; at 2 MiB: 9 ns."


def test_the_newest_recording_that_has_the_experiment_is_shown_where_none_is_given(monkeypatch):
    without, ladder = example.recording(*example.sweep(), device="Newer"), example.recording(*example.ladder())
    monkeypatch.setattr(files, "recordings", lambda: (without, ladder))
    assert "Example GPU" in words_of(plots.ladder().figure) and "Newer" in words_of(plots.sweep().figure)


# -- which machine, and when -------------------------------------------------------------------------------------------

@every_plot
def test_the_title_has_the_device_and_the_date(plot):
    assert "recorded: Example GPU, 2001-02-03" in words_of(plot(RECORDING).figure)


def test_what_was_added_to_a_recording_later_has_its_own_date_and_the_rest_keeps_theirs():
    grown = dataclasses.replace(RECORDING, later={"managed to device": "2002-05-06T00:00:00Z"})
    for plot, date in ((plots.managed, "2002-05-06"), (plots.sweep, "2001-02-03")):
        picture = plot(grown)
        assert f"recorded: Example GPU, {date}" in words_of(picture.figure) and date in repr(picture.tables[0])
        assert ("2002" in repr(picture)) == (date[:4] == "2002")


def test_what_was_measured_here_is_drawn_solid_over_the_recorded():
    figure = plots.sweep(RECORDING, here=HERE).figure
    drawn = lines(figure)
    solid, dashed = sorted((drawn["pinned"], drawn["pinned*"]), key=lambda line: -line.get_zorder())
    assert solid.get_ydata()[-1] == 22 and dashed.get_ydata()[-1] == 55
    assert solid.get_linestyle() == "-" and dashed.get_linestyle() != "-"
    assert solid.get_linewidth() > dashed.get_linewidth()
    text = words_of(figure)
    assert "measured here: Own GPU, 2001-03-04" in text and "recorded: Example GPU, 2001-02-03" in text


def test_what_was_measured_here_is_shown_once_even_if_it_is_given_as_a_recording_too():
    assert set(lines(plots.sweep(HERE, here=HERE).figure)) == {"pageable", "pinned", "registered"}


def test_two_recordings_are_told_apart_in_the_legend():
    figure = plots.sweep(RECORDING, example.recording(*example.sweep(scale=0.1), device="Third GPU")).figure
    assert [text.get_text() for text in figure.legends[0].get_texts()][-2:] == ["Example GPU", "Third GPU"]


def test_a_recording_that_lacks_what_is_shown_is_not_in_the_title():
    figure = plots.growth(RECORDING, HERE).figure
    assert "Own GPU" not in words_of(figure) and "Example GPU" in words_of(figure)


def test_the_limit_of_the_link_is_a_labelled_line():
    figure = plots.sweep(RECORDING).figure
    assert [60, 60] in [list(line.get_ydata()) for line in figure.axes[0].lines]
    assert "limit of the link, PCIe 9.0 x16: 60 GB/s" in words_of(figure)


def test_two_machines_have_a_limit_each():
    both = words_of(plots.sweep(RECORDING, here=HERE).figure)
    assert "limit of the link of Own GPU, PCIe 9.0 x16: 25 GB/s" in both
    assert "limit of the link of Example GPU, PCIe 9.0 x16: 60 GB/s" in both


def test_what_does_not_cross_the_link_has_no_limit():
    picture = plots.sweep(RECORDING, what="read, coalesced", memory="device")
    assert "limit" not in words_of(picture.figure) and "limit" not in picture.summary


def test_kernels_that_read_host_and_device_memory_have_the_links_limit_drawn_and_no_share_of_it_said():
    picture = plots.sweep(RECORDING, what="read, coalesced")
    assert "limit of the link" in words_of(picture.figure) and "link's" not in picture.summary


def test_a_machine_whose_link_is_unknown_has_no_limit():
    unknown = example.recording(*example.sweep(), link=None, link_limit=None)
    assert "limit" not in words_of(plots.sweep(unknown).figure)


def test_how_it_was_measured_is_said():
    text = repr(plots.sweep(RECORDING))
    assert "How copy sweep was made up." in text and "driver 1.2.3" in text and "PCIe 9.0 x16" in text


# -- without data, with few, with wrong ones ---------------------------------------------------------------------------

@every_plot
def test_without_a_recording_there_is_a_sentence_and_no_picture(plot, monkeypatch):
    monkeypatch.setattr(files, "recordings", lambda: ())
    monkeypatch.setattr(files, "peer_recordings", lambda: ())
    picture = plot()
    assert picture.figure is None and picture.png() is None and "no recording" in repr(picture)


@every_plot
def test_a_recording_that_lacks_the_experiment_gives_a_sentence(plot):
    picture = plot(example.recording())
    assert picture.figure is None and "not measured (recorded: Example GPU, 2001-02-03)" in picture.summary


@pytest.mark.parametrize("plot", [plots.sweep, plots.managed], ids=lambda plot: plot.__name__)
def test_on_the_simulated_driver_the_recording_is_shown_and_the_refusal_said(plot):
    picture = plot(RECORDING, here=NotMeasured("no measurement here: the simulated driver has no times"))
    assert picture.figure is not None
    assert "No measurement here: the simulated driver has no times." in repr(picture)


def test_points_left_out_are_told_with_the_reason():
    left_out = example.recording(example.series("copy sweep", "host to device", "pinned", {4: 1},
                                                left_out=[(8, "No room."), (16, "No room.")]))
    assert "Left out: pinned at 8 B and 16 B. No room." in plots.sweep(left_out).notes


def test_a_series_without_points_is_noted_and_the_others_are_drawn():
    empty = example.series("copy sweep", "host to device", "write-combined", {}, left_out=[(4, "Not here.")])
    some = example.recording(*example.sweep(), empty)
    picture = plots.sweep(some)
    assert "write-combined" not in lines(picture.figure) and "pinned" in lines(picture.figure)
    assert "Left out: write-combined at 4 B. Not here." in picture.notes


def test_a_kind_that_was_asked_for_and_not_measured_is_named():
    assert "Not measured: managed memory." in plots.sweep(RECORDING, memory=["pinned", "managed"]).notes


def test_one_point_of_one_kind_is_drawn():
    picture = plots.sweep(example.recording(example.series("copy sweep", "host to device", "pinned", {4: 1})))
    assert picture.summary == "At 4 B: pinned memory 1 GB/s." and len(picture.png()) > 1000


@pytest.mark.parametrize("call, words", [
    (lambda: plots.sweep("h200.json"), "bandwidth.load"),
    (lambda: plots.sweep(RECORDING, what="sideways"), "host to device"),
    (lambda: plots.sweep(RECORDING, what=["host to device"]), "host to device"),
    (lambda: plots.sweep(RECORDING, memory="pined"), "pinned"),
    (lambda: plots.managed(RECORDING, what="first touches"), "first touch"),
    (lambda: plots.sweep(RECORDING, what="first touch"), "read, coalesced"),
    (lambda: plots.ladder(RECORDING, memory="texture"), "shared"),
    (lambda: plots.sweep(here=42), "int")])
def test_wrong_arguments_are_refused_with_what_there_is(call, words):
    with pytest.raises(WrongArgument, match=words):
        call()


# -- as a notebook shows it --------------------------------------------------------------------------------------------

@every_plot
def test_a_notebook_gets_the_picture_and_its_words_and_numbers_only_in_a_fold(plot):
    picture, soup, pixels = drawn(plot)
    image, fold, *_ = soup.find_all(recursive=False)
    assert image["alt"] == f"{picture.title}. {picture.summary}"
    assert fold.name == "details" and fold.p.get_text() == picture.summary and fold.table and not fold.has_attr("open")
    assert pixels.width == 2 * int(image["width"]) == 1600
    assert pixels.height / pixels.width == pytest.approx(picture.figure.get_figheight() / picture.figure.get_figwidth(), abs=0.001)
    assert picture.summary in repr(picture) and str(picture.tables[0]) in repr(picture)


@every_plot
def test_a_picture_brings_its_ground_and_its_text_stands_out_on_it(plot):
    picture, _, pixels = drawn(plot)
    ink, ground = ([255 * part for part in matplotlib.colors.to_rgb(colour)] for colour in (INK, GROUND))
    assert ratio(ink, ground) > 7
    assert {text.get_color() for text in picture.figure.findobj(matplotlib.text.Text) if text.get_text()} == {INK}
    pixels = np.asarray(pixels)
    assert (pixels[..., 3] == 255).all() and np.abs(pixels[0, 0, :3] - np.array(ground)).max() <= 3


@every_plot
def test_nothing_is_cut_off_and_no_letter_is_too_small(plot):
    figure = drawn(plot)[0].figure
    figure.draw_without_rendering()
    taken, room = figure.get_tightbbox(), figure.bbox_inches
    assert taken.x0 >= room.x0 and taken.y0 >= room.y0 and taken.x1 <= room.x1 and taken.y1 <= room.y1
    assert all(text.get_fontsize() >= 9 for text in figure.findobj(matplotlib.text.Text) if text.get_text())


@pytest.mark.parametrize("memory", [("shared", "device", "pinned"), ("device", "pinned")])
def test_no_legend_of_the_ladder_is_cut_off(memory):
    figure = plots.ladder(bandwidth.recorded("H200"), memory=memory).figure
    figure.draw_without_rendering()
    drawn, room = figure.get_tightbbox(), figure.bbox_inches
    assert room.x0 <= drawn.x0 and drawn.x1 <= room.x1


def test_the_notebooks_own_style_changes_nothing():
    before = plots.sweep(RECORDING).png()
    with matplotlib.style.context("dark_background"):
        after = plots.sweep(RECORDING).png()
    assert (np.asarray(Image.open(io.BytesIO(before))) == np.asarray(Image.open(io.BytesIO(after)))).all()
