"""Where things are in the picture: whatever the scene, nothing overlaps, all is inside, and lengths are true."""
import doctest

from course_lib.pointers.address_facts import Kind
from courseware.memory_map.picture import layout, scale
from courseware.memory_map.scene import Reservation, Scene

import pytest
from hypothesis import given, settings, strategies as st

from .made_up import block
from .random_scenes import SIZES, scenes


def overlap(one, other):
    return (one.x < other.right and other.x < one.right
            and one.y < other.y + other.height and other.y < one.y + one.height)


def written(number, pitch):
    """Where the letters of an address are, as a Box: they stand on its y, and the sign before them belongs to them."""
    sign, height = (11 if number.same else 0), 0.75 * pitch.digit / 0.6
    return layout.Box(number.tier, "text", number.x - sign, number.y - height, number.width + sign, height, (), number.row)


def ways(picture):
    """The straight pieces of the forward calls and the ways back, each as a Box without extent on one side."""
    for arrow in picture.arrows:
        if arrow.how in ("forward", "back", "no way back"):
            for (x1, y1), (x2, y2) in zip(arrow.points, arrow.points[1:]):
                yield arrow, layout.Box("", "line", min(x1, x2), min(y1, y2), abs(x1 - x2), abs(y1 - y2), (), arrow.row)


@settings(max_examples=60)
@given(scenes())
def test_no_box_overlaps_another_and_all_are_inside(scene):
    picture = layout.layout(scene)
    for number, box in enumerate(picture.boxes):
        assert layout.HOST <= box.x and box.right <= picture.width and layout.HEAD <= box.y
        assert box.y + box.height <= picture.height
        assert not any(overlap(box, other) for other in picture.boxes[:number])
        assert all(box.x < cut < box.right for cut in box.cuts)
    for arrow in picture.arrows:
        assert all(0 < x < picture.width and layout.HEAD <= y <= picture.height for x, y in arrow.points)


@settings(max_examples=60)
@given(scenes())
def test_each_box_of_addresses_has_its_number_and_nothing_covers_it(scene):
    picture = layout.layout(scene)
    numbers = [written(one, picture.pitch) for one in picture.numbers]
    assert [(one.tier, one.row) for one in numbers] == [(one.tier, one.row) for one in picture.boxes if one.tier != "memory"]
    for place, (number, drawn) in enumerate(zip(numbers, picture.numbers)):
        assert drawn.words == f"0x{getattr(scene.blocks[number.row], number.tier):012x}"
        assert 0 < number.x and number.right < layout.RESERVATIONS
        assert layout.HEAD <= number.y and number.y + number.height <= picture.height
        assert not any(overlap(number, other) for other in (*picture.boxes, *numbers[:place]))
        assert not any(overlap(number, line) for _, line in ways(picture))


@settings(max_examples=60)
@given(scenes(most=9))
def test_what_stands_along_a_way_covers_nothing(scene):
    picture = layout.layout(scene)
    if not picture.roomy:
        return
    others = [*picture.boxes, *(written(one, picture.pitch) for one in picture.numbers), *(line for _, line in ways(picture))]
    for words, x, y, anchor in (arrow.label for arrow in picture.arrows if arrow.label):
        width = 6 * len(words)
        place = layout.Box("", "text", x - width if anchor else x, y - 8, width, 8, (), 0)
        assert not any(overlap(place, other) for other in others), words


@settings(max_examples=60)
@given(scenes())
def test_no_way_across_lies_on_another(scene):
    lines = list(ways(layout.layout(scene)))
    for place, (arrow, line) in enumerate(lines):
        for other, that in lines[:place]:
            if other is not arrow:
                along = (line.x, line.width) == (that.x, that.width) == (line.x, 0) or (
                    line.y, line.height) == (that.y, that.height) == (line.y, 0)
                apart = (line.y > that.y + that.height or that.y > line.y + line.height
                         or line.x > that.right or that.x > line.right)
                assert apart or not along


def test_the_number_that_is_the_same_on_both_sides_has_a_sign():
    scene = Scene((block(0, Kind.PINNED), block(1, Kind.PINNED, host=64), block(2)))
    assert [(one.tier, one.row) for one in layout.layout(scene).numbers if one.same] == [("device", 0)]


def test_where_only_the_device_has_an_address_the_forward_call_leads_from_it_to_itself():
    [loop] = [one for one in layout.layout(Scene((block(0, Kind.MAPPED, forward=1),))).arrows if one.how == "forward"]
    assert all(x >= layout.DEVICE for x, _ in loop.points)


@settings(max_examples=60)
@given(scenes())
def test_each_address_has_its_box_and_each_memory_one(scene):
    boxes = layout.layout(scene).boxes
    for tier, wanted in (("host", sum(one.host is not None for one in scene.blocks)),
                         ("device", sum(one.device is not None for one in scene.blocks)),
                         ("memory", len(scene.letters))):
        assert sum(box.tier == tier for box in boxes) == wanted


@settings(max_examples=60)
@given(scenes())
def test_an_arrow_can_be_followed_exactly_where_memory_is_behind_the_address(scene):
    arrows = layout.layout(scene).arrows
    for row, one in enumerate(scene.blocks):
        found = sorted(arrow.how for arrow in arrows if arrow.row == row)
        device, memory = one.device is not None, one.memory is not None
        follow = (one.host is not None) + (device and one.access) if memory else 0
        assert found.count("follow") == follow
        assert found.count("no access") == (memory and device and not one.access)
        assert found.count("forward") == (memory and device and one.forward is not None)
        assert found.count("back") == (memory and device and one.way_back is not None)
        assert found.count("no way back") == (memory and device and one.way_back is None)


@given(st.lists(SIZES, min_size=1, max_size=40))
def test_a_larger_block_is_never_shorter_and_none_is_longer_than_the_room(sizes):
    drawn = scale.Scale(sizes, room=112)
    lengths = [drawn.length(size) for size in sorted(sizes)]
    assert lengths == sorted(lengths)
    assert scale.SHORTEST <= lengths[0] and lengths[-1] <= 112.001


@given(st.lists(st.integers(100, 1000), min_size=1, max_size=20))
def test_sizes_that_are_near_each_other_are_drawn_to_scale(sizes):
    drawn = scale.Scale(sizes, room=112)
    assert not drawn.stretched and not any(drawn.cuts(size) for size in sizes)
    assert all(drawn.length(size) == pytest.approx(112 * size / max(sizes)) for size in sizes)


@given(st.lists(SIZES, min_size=1, max_size=40))
def test_after_the_last_zigzag_lengths_are_to_scale(sizes):
    drawn = scale.Scale(sizes, room=112)
    for stretch in drawn.stretches:
        tails = {size: drawn.length(size) - max(drawn.cuts(size), default=0) for size in stretch}
        shown = [size for size in stretch if tails[size] > scale.SHORTEST * 1.001]
        assert len({round(tails[size] / size * stretch[-1], 6) for size in shown}) <= 1


def test_a_hundred_gibibytes_beside_four_bytes():
    drawn = scale.Scale([4, 100 << 30], room=100)
    assert drawn.length(4) >= scale.SHORTEST and drawn.cuts(100 << 30) and not drawn.cuts(4)


def test_shared_memory_is_in_the_middle_of_its_views_and_no_way_back_runs_behind_it():
    first = block(0, Kind.REGISTERED)
    picture = layout.layout(Scene((first, block(1, Kind.REGISTERED, memory=first.memory))))
    [memory] = [box for box in picture.boxes if box.tier == "memory"]
    assert memory.y == sum(picture.rows) / 2
    lanes = [line for arrow, line in ways(picture) if arrow.how in ("forward", "back") and line.width >= layout.DEVICE - layout.HOST]
    assert len(lanes) == 4 and not any(overlap(line, memory) for line in lanes)


def test_a_reservation_in_pieces_has_a_bracket():
    space = Reservation(0, 128, ("space",))
    pieces = [block(number, Kind.MAPPED, reservation=space) for number in range(2)]
    picture = layout.layout(Scene((block(5), *pieces)))
    assert picture.brackets == ((space, picture.rows[1], picture.rows[2] + picture.pitch.box),)
    assert not layout.layout(Scene((block(5), pieces[0]))).brackets


def test_the_examples_are_true():
    assert doctest.testmod(scale).failed == 0 < doctest.testmod(scale).attempted
