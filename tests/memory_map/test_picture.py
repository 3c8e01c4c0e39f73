"""The picture as a page gets it: well-formed, alone, legible, and reachable with the keyboard."""
import re
import xml.etree.ElementTree as ElementTree

from course_lib.pointers.address_facts import Kind
from courseware.memory_map import MemoryMap
from courseware.memory_map.picture import rows, svg
from courseware.memory_map.scene import Block, Reservation, Scene
from courseware.notebook.palette import LOOKS

from hypothesis import given, settings

from .made_up import block
from .random_scenes import scenes

XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")    # letters that no XML can hold


def drawn(scene):
    """The <svg> element, parsed."""
    return ElementTree.fromstring(XML.sub("", svg.svg(scene, "map-0")))


def texts(element):
    return " ".join(element.itertext())


@settings(max_examples=40)
@given(scenes(most=20))
def test_it_is_well_formed_whatever_the_names(scene):
    assert drawn(scene).tag.endswith("svg")


@settings(max_examples=10)
@given(scenes(most=20))
def test_each_row_takes_the_keyboards_focus_and_says_its_facts(scene):
    rows = [one for one in drawn(scene).iter() if "row" in (one.get("class") or "").split()]
    assert len(rows) == len(scene.blocks)
    assert all(row.get("tabindex") == "0" and row.get("role") == "img" and row.get("aria-label") for row in rows)


@settings(max_examples=40)
@given(scenes(most=20))
def test_no_identifier_stands_twice_in_a_map(scene):
    found = re.findall(r' id="([^"]*)"', MemoryMap(scene).html)
    assert len(set(found)) == len(found)


def test_two_maps_in_one_page_share_no_identifier():
    seen = MemoryMap(Scene((block(0), block(1, Kind.REGISTERED))))
    first, second = (set(re.findall(r'(?:id|class)="(map-[^"]*)"', seen.html)) for _ in range(2))
    assert first and second and not first & second


def test_its_style_reaches_nothing_outside():
    root = drawn(Scene((block(0), block(1, Kind.PINNED))))
    [style] = [one.text for one in root.iter() if one.tag.endswith("style")]
    style = re.sub(r"@container [^{]*\{([^@]*?\})\s*\}", r"\1", style)
    selectors = [part.strip() for rule in style.split("}") if "{" in rule for part in rule.split("{")[0].split(",")]
    assert selectors and all(re.match("[.#]map-0", part) for part in selectors)


def test_where_styles_are_taken_away_a_sentence_stands_for_the_picture():
    text = MemoryMap(Scene((block(0),))).html
    [name] = re.findall(r'<div hidden="hidden" class="([^"]+)">', text)
    style = text[text.index("<style>"):text.index("</style>")]
    assert f".{name} {{ display: block !important" in style and f".{name}-not-run {{ display: none" in style
    assert f'<p class="{name}-not-run">The picture appears here when you run this cell.</p>' in text


def test_it_needs_no_script_and_no_other_file():
    scene = Scene(tuple(block(number, kind) for number, kind in enumerate(rows.LOOK_OF)))
    text = MemoryMap(scene).html
    assert "<script" not in text and not re.search(r"\son\w+=", text)
    assert set(re.findall(r'https?://[^"\s]+', text)) == {"http://www.w3.org/2000/svg"}     # the namespace
    identifiers = {one.get("id") for one in drawn(scene).iter()}
    assert all(name in text for name in re.findall(r"url\(#([^)]+)\)", text)) and identifiers


def test_what_it_refers_to_is_there():
    text = svg.svg(Scene(tuple(block(number, kind) for number, kind in enumerate(rows.LOOK_OF))), "map-0")
    identifiers = set(re.findall(r'id="([^"]+)"', text))
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= identifiers


def test_each_kind_of_memory_looks_different_without_colour():
    kinds = [name for name in rows.LOOK_OF.values()] + ["write-combined"]
    hatches = [LOOKS[name].hatch for name in kinds]
    assert len(set(hatches)) == len(hatches)


def test_names_with_html_in_them_stay_text():
    text = MemoryMap(Scene((block(0, names=("<b>bold</b>",)), block(1, names=('"><script>',))))).html
    assert "<b>bold" not in text and "<script" not in text and "&lt;b&gt;bold&lt;/b&gt;" in text


def test_the_details_have_address_size_kind_flags_and_way_back():
    root = drawn(Scene((block(0, Kind.PINNED, 4096, names=("host",), flags=("portable", "devicemap")),)))
    [tip] = [one for one in root.iter() if one.get("class") == "tip"]
    for fact in ("host", "pinned memory", "4 KiB", "0x000010000000", "portable, devicemap", "way back: yes",
                 "forward call: the same number"):
        assert fact in texts(tip)
    assert tip.get("display") == "none"     # until its row is pointed at, or has the focus


@settings(max_examples=40)
@given(scenes(most=20))
def test_all_details_have_one_place_below_the_rows_and_fit(scene):
    root, picture = drawn(scene), svg.place.layout(scene)
    height = float(root.get("viewBox").split()[3])
    tips = [list(one) for one in root.iter() if one.get("class") == "tip"]
    assert len(tips) == len(scene.blocks) and len({lines[0].get("y") for lines in tips}) == 1
    for line in (line for lines in tips for line in lines):
        assert picture.height < float(line.get("y")) <= height - 4
        assert float(line.get("x")) + svg.LETTER * len(line.text or "") <= picture.width


def test_a_row_with_many_names_has_them_all_below_the_picture_in_lines_that_fit():
    names = tuple(f"a_variable_with_number_{number}" for number in range(12))
    scene = Scene((block(0, names=names),))
    [tip] = [one for one in drawn(scene).iter() if one.get("class") == "tip"]
    told = [line for line in tip if line.get("class") == "told"]
    assert len(told) > 1 and all(name in " ".join(line.text for line in told) for name in names)
    assert all(float(line.get("x")) + svg.LETTER * len(line.text) <= svg.place.RIGHT for line in told)


def test_how_to_read_a_map_is_said_beside_its_table_and_not_in_the_picture():
    text = MemoryMap(Scene((block(0),))).html
    folded = text[text.index("<details>"):]
    assert "The length of a box" in folded and "The length of a box" not in text[:text.index("<details>")]


def test_what_is_not_there_is_said():
    said = texts(drawn(Scene((block(0), block(1, Kind.PAGEABLE), Block(("old",), Kind.FREED, 10, None, 16),
                              Block(("space",), Kind.RESERVED, 10, None, 64, reservation=Reservation(64, 10, ()))))))
    for words in ("no host address", "no device address", "no way back", "points nowhere", "nothing behind"):
        assert words in said


def test_each_kind_of_arrow_has_dashes_of_its_own():
    style = svg.svg(Scene((block(0),)), "map-0")
    dashes = {name: re.findall(rf"#map-0 \.{name}\b[^{{]*{{[^}}]*dasharray: ([^}} ][^}}]*?) }}", style)
              for name in ("forward", "back", "no-access", "follow")}
    assert [len(found) for found in dashes.values()] == [1, 1, 1, 0]
    assert len(set(map(tuple, dashes.values()))) == 4


def test_what_a_sign_means_stands_at_the_sign_and_so_a_map_needs_no_legend():
    scene = Scene((block(0, Kind.PINNED), block(1)))
    said = [one.text for one in drawn(scene).iter() if one.tag.endswith("text")]
    assert [said.count(words) for words in ("forward", "back", "no way back", svg.SAME)] == [1, 1, 1, 0]
    folded = MemoryMap(scene).html.partition("<details>")[2]
    for words in ("A solid arrow", "cuMemHostGetDevicePointer", "HOST_POINTER", f"= before a device address: {svg.SAME}"):
        assert words in folded


@settings(max_examples=40)
@given(scenes(most=30))
def test_where_many_rows_leave_no_room_a_legend_explains_each_sign_that_is_drawn_and_no_other(scene):
    picture = svg.place.layout(scene)
    said = " ".join(one.text or "" for one in drawn(scene) if one.tag.endswith("text"))      # not those of the rows
    for how, words in svg.LEGEND.items():
        assert (f" {words} " in f" {said} ") == (not picture.roomy and any(one.how == how for one in picture.arrows))
    assert (svg.SAME in said) == (not picture.roomy and any(one.same for one in picture.numbers))
    assert (svg.NOTHING in said) == (not picture.roomy and any(one.shape == "reserved" for one in picture.boxes))


def test_a_narrow_page_has_the_facts_of_each_row_as_a_card_in_the_pictures_place():
    scene = Scene((block(0, Kind.PINNED), block(1)))
    text = MemoryMap(scene).html
    cards = re.findall(r"<li>(.*?)</li>", text)
    assert [re.sub("<.*?>", "\n", card).split("\n")[1:] for card in cards] == [
        [first, "", *lines] for first, *lines in ([line for line in svg.details(scene, one)] for one in scene.blocks)]
    [narrow] = re.findall(r"@container \(max-width: 600px\) \{(.*)\}", text)
    assert re.search(r"> ul \{ display: block \}", narrow) and re.search(r"#map-\w+ \{ display: none \}", narrow)


@settings(max_examples=40)
@given(scenes(most=20))
def test_no_line_below_the_rows_is_cut_off_and_none_is_below_the_picture(scene):
    picture = svg.place.layout(scene)
    height = float(drawn(scene).get("viewBox").split()[3])
    below = [one for one in drawn(scene) if one.tag.endswith("text") and float(one.get("y")) > picture.height]
    assert below
    for one in below:
        assert float(one.get("x")) + svg.LETTER * len(one.text or "") <= picture.width and float(one.get("y")) + 4 <= height


def test_many_blocks_are_drawn_compactly():
    few, many = (svg.svg(Scene(tuple(block(number) for number in range(count))), "map-0") for count in (10, 40))
    heights = [float(re.search(r'viewBox="\S+ \S+ \S+ (\S+)"', text)[1]) for text in (few, many)]
    assert heights[1] < 2 * heights[0]


def test_the_table_beside_it_has_the_same_blocks():
    scene = Scene(tuple(block(number, kind) for number, kind in enumerate(rows.LOOK_OF)))
    html = MemoryMap(scene).html
    table = html[html.index("<table>"):]
    assert all(f">{one.name}<" in table and f">{one.kind_text}<" in table for one in scene.blocks)
    assert table.count("<tr>") == 1 + len(scene.blocks)
