"""The picture as a page gets it: well-formed, alone, and legible."""
import re
import xml.etree.ElementTree as ElementTree

from course_lib.pointers.address_facts import Kind
from courseware.memory_map import MemoryMap
from courseware.memory_map.descriptions import details
from courseware.memory_map.picture import frame, layout, still
from courseware.memory_map.scene import Block, Scene

import pytest
from hypothesis import given, settings

from .made_up import block
from .random_scenes import scenes

XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")    # letters that no XML can hold


def drawn(scene):
    """The <svg> elements, parsed: the wide one and the narrow one."""
    return [ElementTree.fromstring(XML.sub("", svg)) for svg in re.findall(r"<svg.*?</svg>", still.html(scene), re.DOTALL)]


@settings(max_examples=40)
@given(scenes(most=20))
def test_it_is_well_formed_whatever_the_names(scene):
    assert [element.get("class") for element in drawn(scene)] == ["mm", "mm"]


def test_a_page_has_one_of_the_two_pictures_by_its_width():
    assert re.search(r"@container \(max-width: \d+px\) \{ .mm-frame > .mm-wide \{ display: none \} .mm-frame > .mm-narrow \{ display: block \} \}",
                     frame.FRAME)


def test_where_styles_are_taken_away_a_sentence_stands_for_the_picture():
    text = MemoryMap(Scene((block(0),)))._repr_html_()
    assert '<div hidden="hidden" class="mm-frame">' in text and f'<p class="mm-not-run">{frame.NOT_RUN}</p>' in text
    assert ".mm-frame { display: block !important" in text and ".mm-not-run, .mm-frame > .mm-narrow { display: none }" in text


def test_it_needs_no_script_no_other_file_and_no_identifier():
    text = MemoryMap(Scene(tuple(block(number, kind) for number, kind in enumerate(layout.LOOK_OF))))._repr_html_()
    assert "<script" not in text and not re.search(r"\son\w+=|\sid=|url\(", text)
    assert set(re.findall(r'https?://[^"\s]+', text)) == {"http://www.w3.org/2000/svg"}     # the namespace


def test_names_with_html_in_them_stay_text():
    text = MemoryMap(Scene((block(0, names=("<b>bold</b>",)), block(1, names=('"><script>',)))))._repr_html_()
    assert "<b>bold" not in text and "<script" not in text and "&lt;b&gt;bold&lt;/b&gt;" in text


def test_a_pill_tells_all_that_the_driver_says_when_it_is_pointed_at():
    wide, narrow = drawn(Scene((block(0, Kind.PINNED, 4096, names=("host",), flags=("portable", "devicemap")),)))
    for picture in (wide, narrow):
        titles = [element.text for element in picture.iter() if element.tag.endswith("title")]
        assert len(titles) == 2 and all(fact in titles[0] for fact in (
            "host", "pinned memory", "4 KiB", "0x000010000000", "portable, devicemap", "way back: yes", "forward call: the same number"))


@pytest.mark.parametrize("made, says", [
    (block(0), ("letter names",)), (block(0, access=False), ("A dotted line ends at memory that kernels may not use.", "letter names")),
    (block(0, Kind.PINNED), ("letter names",)), (block(0, forward=0x10000000), ("was asked with that number", "letter names")),
    (Block(("old",), Kind.FREED, 10, None, 16), ())])
def test_of_how_to_read_a_map_only_that_is_said_which_is_seen_in_it(made, says):
    notes = still.notes(Scene((made,)))
    for sentence in ("A dotted line", "letter names", "was asked with that number"):
        assert (sentence in notes) == any(sentence in words for words in says), notes


@pytest.mark.parametrize("made, line", [
    (Block(("old",), Kind.FREED, 10, None, 16), "nothing behind it: it was given back"),
    (Block(("old",), Kind.FREED, 10, None, 16, no_way_back="it was freed"), "nothing behind it: it was freed"),
    (Block(("space",), Kind.RESERVED, 10, None, 16, walked=False), "physical memory: not all looked at; none was seen"),
    (Block(("old",), Kind.PAGEABLE, 10, 16, None, unregistered=True), "the registration was given back; its memory is pageable again"),
    (block(0, forward=0x10000000), "forward call: asked with the device address: the same number"), (block(0, forward=0x70), "forward call: asked with the device address: 0x000000000070"),
    (block(0, Kind.PINNED), "forward call: the same number"), (block(0, Kind.PINNED, forward=0x70), "forward call: 0x000000000070"),
    (block(0, no_way_back="it is device memory"), "way back: none, it is device memory"), (block(0, Kind.PINNED), "device address 0x000010000000, the same number"),
    (block(0, Kind.PINNED, device=0x70), "device address 0x000000000070"), (block(0, flags=("portable", "devicemap")), "flags: portable, devicemap")])
def test_what_is_known_of_a_block_is_told_fact_by_fact(made, line):
    assert line in details(Scene((made,)), made)


def test_views_of_one_memory_name_each_other():
    first = block(0)
    second = block(1, memory=first.memory)
    assert "the same memory: b1" in details(Scene((first, second)), first) and not any("the same memory" in line for line in details(Scene((first,)), first))


def test_how_to_read_a_map_is_said_beside_its_table():
    text = MemoryMap(Scene((block(0),)))._repr_html_()
    assert "A solid arrow" in text[text.index("<details>"):] and "A solid arrow" not in text[:text.index("<details>")]
    assert text.count("<tr") == 2 and ">physical memory</th>" in text and ">b0</" in text


def test_each_kind_of_arrow_has_dashes_of_its_own():
    dashes = [re.findall(rf"\.mm \.{name} \{{[^}}]*dasharray: ([^}}]+?) }}", still.STYLE) for name in ("forward", "back", "no-access", "way")]
    assert [len(dash) for dash in dashes] == [1, 1, 1, 0] and len(set(map(tuple, dashes))) == 4


def test_the_scene_itself_is_what_a_screen_reader_hears_first():
    for picture in drawn(Scene((block(0, names=("host",)),))):
        assert picture.get("role") == "img" and picture.get("aria-label") == "Memory map: host, device memory"
