"""Where things are in the picture: whatever the scene, nothing overlaps, all is inside, and what is known of a block is there."""
import re

from course_lib.pointers.address_facts import Kind
from courseware.memory_map.picture import layout
from courseware.memory_map.scene import Block, PhysicalMemory, ReservedRange, Scene

import pytest
from hypothesis import given, settings

from .made_up import block
from .random_scenes import scenes

WIDTHS = (layout.WIDE, layout.NARROW)
BOX = re.compile(r'<rect class="(pill|card|cell)[^"]*" width="([\d.]+)" height="([\d.]+)"')


def boxes(pieces, kind):
    """(x, y, right, bottom) of the pills, cards or cells."""
    for piece in pieces:
        for shape, width, height in BOX.findall(piece.markup):
            if shape == kind:
                yield piece.x, piece.y, piece.x + float(width), piece.y + float(height)


def overlap(first, second):
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def words(pieces):
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", "".join(piece.markup for piece in pieces)))


@pytest.mark.parametrize("width", WIDTHS)
@settings(max_examples=40)
@given(scene=scenes())
def test_no_box_overlaps_another_and_all_are_inside(width, scene):
    pieces, height = layout.draw(scene, width)
    drawn = [*boxes(pieces, "pill"), *boxes(pieces, "card")]
    assert len(drawn) == sum((block.host is not None) + (block.device is not None) for block in scene.blocks) + len(scene.letters)
    for number, box in enumerate(drawn):
        assert 0 <= box[0] and box[2] <= width.total and width.top <= box[1] and box[3] <= height
        assert not any(overlap(box, other) for other in drawn[:number])


@pytest.mark.parametrize("width", WIDTHS)
@settings(max_examples=40)
@given(scene=scenes())
def test_each_address_stands_in_its_pill(width, scene):
    text = words(layout.draw(scene, width)[0])
    assert all(f"0x{number:012x}" in text for block in scene.blocks for number in (block.host, block.device) if number is not None)


def test_after_Z_a_memory_has_two_letters():
    letters = list(Scene(tuple(block(number) for number in range(705))).letters.values())
    assert [letters[number] for number in (0, 25, 26, 27, 51, 52, 701, 702)] == ["A", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA"]


def test_the_names_of_the_two_memories_stand_at_one_height():
    pieces, _ = layout.draw(Scene((block(0, Kind.PINNED),)), layout.WIDE)
    heights = re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>the (?:host|device)’s<', "".join(piece.markup for piece in pieces))
    assert len(heights) == 2 and len(set(heights)) == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_the_words_of_a_call_stand_in_its_line_which_ends_as_far_below_a_pill_as_its_head_is_high(width):
    pieces, _ = layout.draw(Scene((block(0, Kind.PINNED),)), width)
    lines = [list(map(float, way)) for piece in pieces for way in re.findall(
        r'class="(?:forward|back)" d="M[\d.]+ ([\d.]+)V([\d.]+)H([\d.]+)M([\d.]+) [\d.]+H[\d.]+V([\d.]+)"', piece.markup)]
    labels = [piece for piece in pieces if words([piece]) in ("forward: a function", "back: a query")]
    assert len(lines) == len(labels) == 2
    for (begins, lane, breaks, goes_on, ends), label in zip(lines, labels):
        half = 3 * len(words([label]))
        assert ends - begins == 7 and lane < label.y < lane + 8
        assert min(breaks, goes_on) < label.x - half and label.x + half < max(breaks, goes_on)
    assert abs(lines[0][1] - lines[1][1]) > 16


@pytest.mark.parametrize("width", WIDTHS)
@settings(max_examples=20)
@given(scene=scenes())
def test_without_the_ways_across_the_picture_is_no_taller_and_has_everything_else(width, scene):
    (all_of_it, tall), (less, height) = layout.draw(scene, width), layout.draw(scene, width, more=layout.Details(scene.letters, {}, complete=True, ways=False))
    assert height <= tall and not re.search("a function|a query|no way back|itself", words(less))
    assert [len(list(boxes(less, kind))) for kind in ("pill", "card")] == [len(list(boxes(all_of_it, kind))) for kind in ("pill", "card")]


@settings(max_examples=40)
@given(scene=scenes())
def test_a_line_leads_to_memory_exactly_where_memory_is_behind_the_address(scene):
    pieces, _ = layout.draw(scene, layout.WIDE)
    drawn = "".join(piece.markup for piece in pieces)
    there = [block for block in scene.blocks if block.memory]
    assert drawn.count('class="forward end"') == sum(block.host is not None and None not in (block.device, block.forward) for block in there)
    assert len(re.findall('class="label"[^>]*>no way back<', drawn)) == sum(block.device is not None and (block.way_back is None or block.host is None) for block in there)
    assert len(re.findall('class="way no-access" d="M[^"]*C', drawn)) == sum(block.device is not None and not block.access for block in there)


def test_numbers_stand_in_their_card_and_one_that_nobody_has_written_is_a_question_mark():
    scene = Scene((block(0, Kind.PINNED),))
    for width in WIDTHS:
        pieces, _ = layout.draw(scene, width, more=layout.Details(scene.letters, {"A": ["3", "1", None, "15", "9", "2", "6", "5"]}))
        [card], cells = boxes(pieces, "card"), list(boxes(pieces, "cell"))
        assert len(cells) == 8 and all(card[0] <= cell[0] and cell[2] <= card[2] and cell[3] <= card[3] for cell in cells)
        assert "3 1 ? 15 9 2 6 5" in words(pieces) and "…" not in words(pieces)


@pytest.mark.parametrize("letters", range(1, 12))
def test_a_number_is_narrower_than_its_cell(letters):
    scene = Scene((block(0, Kind.PINNED),))
    for width in WIDTHS:
        pieces, _ = layout.draw(scene, width, more=layout.Details(scene.letters, {"A": ["8" * letters] * 4}))
        assert all(letters * width.digits * .602 + 4 <= right - left for left, _, right, _ in boxes(pieces, "cell")), "as DejaVu Sans Mono has it"


def test_memory_with_more_numbers_than_are_shown_says_so_behind_the_last_one():
    scene = Scene((block(0, Kind.PINNED),))
    for width in WIDTHS:
        details = layout.Details(scene.letters, {"A": ["3", "1", None, "15", "9", "2", "6", "5"]}, longer=frozenset("A"))
        pieces, _ = layout.draw(scene, width, more=details)
        sign, = (piece for piece in pieces if piece.name == "A-more")
        [card], cells = boxes(pieces, "card"), list(boxes(pieces, "cell"))
        assert words([sign]) == "…" and max(cell[2] for cell in cells) <= sign.x - 10 and sign.x <= card[2]
        assert max(cell[1] for cell in cells) < sign.y < max(cell[3] for cell in cells)


@pytest.mark.parametrize("width", [layout.WIDE_DEVICE, layout.NARROW_DEVICE])
def test_without_the_host_there_is_no_word_of_it_and_numbers_are_larger(width):
    scene, numbers = Scene((block(0), Block(("old",), Kind.FREED, 64, None, 0x1000))), {"A": ["3", "1", "4", "15"]}
    (with_host, _), (without, _) = (layout.draw(scene, width, more=layout.Details(scene.letters, numbers)) for width in (layout.WIDE, width))
    assert "host" in words(with_host) and "host" not in words(without)
    first, second = (next(boxes(pieces, "cell")) for pieces in (with_host, without))
    assert second[2] - second[0] > first[2] - first[0] and all(box[2] <= width.total for box in boxes(without, "pill"))
    assert layout.widths([scene]) == (layout.WIDE_DEVICE, layout.NARROW_DEVICE)
    for of_the_host in (block(0, Kind.PINNED), block(0, Kind.MAPPED_HOST, memory=PhysicalMemory((1,), "host", 64)),
                        Block(("handle",), Kind.MAPPED, 64, memory=PhysicalMemory((1,), "device", 64))):
        assert layout.widths([scene, Scene((of_the_host,))]) == (layout.WIDE, layout.NARROW)


@pytest.mark.parametrize("width", WIDTHS)
@settings(max_examples=40)
@given(scene=scenes())
def test_the_outline_of_memory_that_is_not_there_lies_on_no_card(width, scene):
    pieces, _ = layout.draw(scene, width)
    hollow = [(piece.x, piece.y, piece.x + width.card, piece.y + layout.PILL) for piece in pieces if 'class="hollow"' in piece.markup]
    assert not any(overlap(outline, card) for outline in hollow for card in boxes(pieces, "card"))


@pytest.mark.parametrize("width", (*WIDTHS, layout.WIDE_DEVICE, layout.NARROW_DEVICE))
def test_memory_that_is_freed_leaves_room_for_as_much_memory_at_its_address(width):
    there = Scene((block(0),))
    gone = Scene((Block(("b0",), Kind.FREED, None, None, there.blocks[0].device),))
    assert len({layout.draw(scene, width, more=layout.Details(scene.letters, {"A": ["3", "1"]}, ways=False))[1] for scene in (there, gone)}) == 1


def test_what_a_piece_stands_for_keeps_its_name_from_one_scene_to_the_next():
    names, first, second = layout.PieceNames(), block(0), block(1)
    before = {piece.name for piece in layout.draw(Scene((second,)), layout.WIDE, names)[0]}
    after = {piece.name for piece in layout.draw(Scene((first, second)), layout.WIDE, names)[0]}
    pills = {piece.name for piece in layout.draw(Scene((second,)), layout.WIDE, names)[0] if "pill" in piece.markup}
    assert pills and pills <= before & after


def test_work_that_is_not_done_is_a_number_at_each_address_that_it_will_use():
    scene = Scene((block(0, Kind.PINNED), block(1)))
    pieces, _ = layout.draw(scene, layout.WIDE, more=layout.Details(scene.letters, {}, badges=((7, scene.blocks[1].device + 8),)))
    assert [("badge" in piece.markup, ">7<" in piece.markup) for piece in pieces if "pill" in piece.markup] == [(False, False)] * 2 + [(True, True)]


def test_what_is_not_there_is_said():
    text = words(layout.draw(Scene((block(0), block(1, Kind.PAGEABLE), Block(("old",), Kind.FREED, 10, None, 16),
                                    Block(("space",), Kind.RESERVED, 10, None, 64, reservation=ReservedRange(64, 10, ())))), layout.WIDE)[0])
    for what in ("no host address", "no device address", "no way back", "freed", "nothing behind"):
        assert what in text


def test_a_reservation_in_pieces_has_a_bracket():
    space = ReservedRange(0, 128, ("space",))
    pieces = [block(number, Kind.MAPPED, reservation=space) for number in range(2)]
    assert "space: 128 bytes reserved" in words(layout.draw(Scene((block(5), *pieces)), layout.WIDE)[0])
    assert "reserved" not in words(layout.draw(Scene((block(5), pieces[0])), layout.WIDE)[0])


def test_each_kind_of_memory_looks_different_without_colour():
    signs = [layout.HATCH_OF.get(look, "") for look in [*dict.fromkeys(layout.LOOK_OF.values()), "write-combined"]]
    assert len(set(signs)) == len(signs)


@pytest.mark.parametrize("kind", [Kind.PAGEABLE])
def test_a_block_with_no_address_of_the_devices_has_no_way_and_so_no_room_for_one(kind):
    def height(ways):
        scene = Scene((block(0, kind), block(1, kind)))
        return layout.draw(scene, layout.WIDE, more=layout.Details(scene.letters, {}, complete=True, ways=ways))[1]
    assert height(True) == height(False)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_words_over_a_reservation_are_clear_of_what_is_said_of_the_address_above_it(width):
    space = ReservedRange(0x20000000, 4 << 20, ("space",))
    mapped = block(1, Kind.MAPPED, 2 << 20, names=(), reservation=space)
    pieces, _ = layout.draw(Scene((block(0), mapped, Block((), Kind.RESERVED, 2 << 20, None, 0x20200000, reservation=space))), width)
    above, over = (min(piece.y for piece in pieces if words([piece]) == sentence) for sentence in ("no way back", "space: 4 MiB reserved"))
    assert over - above >= 11


@pytest.mark.parametrize("kind", [kind for kind in layout.LOOK_OF])
@pytest.mark.parametrize("nbytes", [1, 64, 1000, 99_999, 1 << 20, 5_000_000])
@pytest.mark.parametrize("flags", [(), ("writecombined",)])
def test_what_a_card_says_of_its_kind_ends_before_its_size_begins(kind, nbytes, flags):
    card, = (piece.markup for piece in layout.draw(Scene((block(0, kind, nbytes, flags=flags),)), layout.WIDE)[0] if "card" in piece.markup)
    name, size = re.findall(r'<text class="kind" x="([\d.]+)"[^>]*>([^<]*)<', card)
    assert float(name[0]) + 6 * len(name[1]) < float(size[0]) - 5.7 * len(size[1])
