"""Every widget of the course, used by keys alone, read in both of JupyterLab's themes, and heard."""
from courseware.exercises.catalogue import find

import pytest

from . import axe, contrast, gallery, using


@pytest.fixture(scope="module")
def opened(server, show):
    """The gallery, all cells run. Each test uses a widget of its own."""
    lab = show(gallery.write(server.notebooks))
    lab.run_all()
    yield lab
    lab.set_theme("light")


@pytest.fixture
def lab(opened):
    """The gallery; what a test does there leads to no error."""
    yield opened
    assert opened.errors() == [] and opened.complaints == []


def tab_to(lab, words):
    """Press Tab until the control with these words (its own, or its label's) has the focus."""
    focused_words = ""
    for _ in range(60):
        lab.page.keyboard.press("Tab")
        focused_words = lab.page.evaluate("""() => { const one = document.activeElement;
            const labels = [...one.labels ?? []].map(label => label.innerText);
            return [one.innerText, one.title, one.ariaLabel, one.placeholder, ...labels].filter(Boolean).join(' ') }""")
        if words in focused_words:
            return
    raise AssertionError(f"Tab does not lead to {words!r}; at last it was at {focused_words!r}")


def start_in(lab, name):
    """Put the focus where Tab enters the first control of a widget, and return the widget."""
    widget = lab.widgets().nth(gallery.NAMES.index(name))
    widget.scroll_into_view_if_needed()
    widget.evaluate("one => { one.tabIndex = -1; one.focus(); }")
    return widget


# Of every control when it has the focus: the line around it, and the grounds that this is drawn on.
FOCUS = """controls => [...document.querySelectorAll('.jp-OutputArea-output ' + controls)].filter(one => one.checkVisibility()).map(one => {
    one.focus();
    const style = getComputedStyle(one), grounds = [];
    for (let part = one; part; part = part.parentElement) grounds.push(getComputedStyle(part).backgroundColor);
    return [one.outerHTML, style.outlineStyle, style.outlineColor, grounds];
})"""


def focused(lab):
    """The text of what has the focus."""
    return lab.page.evaluate("document.activeElement.innerText")


def press(lab, key):
    lab.page.keyboard.press(key)
    lab.wait_until_idle()


def test_each_cell_of_the_gallery_shows_its_widget(lab):
    assert lab.widgets().count() == len(gallery.NAMES)


def test_an_address_is_typed_by_name_by_number_and_wrongly(lab):
    widget = start_in(lab, "address")
    tab_to(lab, "variable")
    for typed, shown in (("host + 5", "number 5 of 400"), ("on_device", "DEVICE_MEMORY"), ("0", "NULL"),
                         ("nothing", "the notebook has no variable nothing"), ("((", "cannot be read")):
        lab.page.keyboard.press("Control+a")
        lab.page.keyboard.type(typed)
        press(lab, "Enter")
        assert shown in widget.inner_text()


def test_arrow_keys_go_around_the_buttons_of_a_row_and_leave_the_notebook_where_it_is(lab):
    start_in(lab, "copy or zero-copy")
    tab_to(lab, "coalesced")
    before = lab.active_cell()
    reached = []
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp"):
        lab.page.keyboard.press(key)
        reached.append(focused(lab).strip("○● "))
    assert reached == ["strided", "random", "coalesced", "random", "strided"]
    assert lab.active_cell() == before


def test_a_size_is_chosen_by_keys(lab):
    widget = start_in(lab, "copy or zero-copy")
    tab_to(lab, "16 MiB")
    press(lab, "Space")
    assert "16 MiB of pinned memory, read once" in widget.inner_text() and "NVIDIA" in widget.inner_text()
    assert "● 16 MiB" in focused(lab)


def test_predictions_are_made_by_keys_and_the_last_uncovers_what_happened(lab):
    cell = lab.page.locator(".jp-CodeCell").last.locator(".jp-OutputArea")
    asks = start_in(lab, "prediction")
    tab_to(lab, "different")
    press(lab, "Space")
    assert "● different" in focused(lab)
    assert "You predicted: different" in cell.inner_text() and "Here it is." not in cell.inner_text()
    lab.page.keyboard.press("Space")    # a second press takes nothing back, and moves nothing
    lab.wait_until_idle()
    assert "● different" in focused(lab) and "You predicted: different" in cell.inner_text()
    number = start_in(lab, "number")
    lab.page.keyboard.press("Tab")
    for typed, shown in (("fast", "it takes a number"), ("12.5", "You predicted: 12.5 GB/s")):
        lab.page.keyboard.press("Control+a")
        lab.page.keyboard.type(typed)
        press(lab, "Enter")
        assert shown in number.inner_text()
    assert "You predicted: 12.5 GB/s" in cell.inner_text() and "Here it is." in cell.inner_text()
    heard = asks.aria_snapshot()
    in_order = ["Are they", 'button "○ equal" [disabled]', 'button "● different"', "You predicted: different"]
    places = [heard.find(words) for words in in_order]
    assert -1 not in places and places == sorted(places), heard
    assert "alert:" in cell.aria_snapshot()


def test_hints_come_one_by_one_and_the_solution_after_them(lab):
    widget = start_in(lab, "exercise")
    tab_to(lab, "Hint")
    seen = set()
    for _ in range(2):
        press(lab, "Space")
        seen.add(widget.inner_text())
    solution = find("to-device").solution.strip()
    assert len(seen) == 2 and not any(solution in shown for shown in seen)
    tab_to(lab, "Show a solution")
    press(lab, "Space")
    assert solution in widget.inner_text()


def test_a_puzzle_is_put_in_order_by_keys(lab):
    widget = start_in(lab, "puzzle")
    lines = widget.locator("option")
    before = lines.all_inner_texts()
    tab_to(lab, "Line below")
    press(lab, "Space")
    tab_to(lab, "Move down")
    press(lab, "Space")
    assert lines.all_inner_texts() == [before[0], before[2], before[1], *before[3:]]
    heard = widget.aria_snapshot()
    assert 'listbox "lines"' in heard and f'is now line 3 of {len(before)}.' in heard.partition("alert:")[2]
    shown = widget.inner_text()
    tab_to(lab, "Check")
    press(lab, "Space")
    assert len(widget.inner_text()) > len(shown) + 20       # what the driver says of this order


def test_the_exam_is_taken_by_keys(lab):
    widget = start_in(lab, "exam")
    focus = """() => { const one = document.activeElement, line = one.matches('.widget-toggle-button') && one.parentElement;
        return [one.innerText, line && line.querySelector('.mod-active') === null] }"""
    for _ in range(30):
        lab.page.keyboard.press("Tab")
        words, is_open = lab.page.evaluate(focus)
        if is_open or words == "Hand in listing 1":
            press(lab, "Space")
        if words == "Hand in listing 1":
            break
    assert "you predicted" in widget.inner_text() and "Listing 1: " in widget.inner_text()
    assert focused(lab) == "Hand in listing 1"      # whoever goes by keys is still there
    heard = widget.aria_snapshot()
    assert [f'heading "Listing {number} (lesson ' in heard for number in range(1, 10)] == [True] * 8 + [False]
    assert heard.count("alert:") == 1 and "Listing 1: " in heard.partition("alert:")[2]


@pytest.mark.parametrize("name", ["prediction", "number", "exercise", "puzzle", "exam"])
def test_tab_leads_through_all_of_a_widget_in_reading_order_and_out_of_it(lab, name):
    widget = start_in(lab, name)
    reached = """one => [...one.querySelectorAll('button, input, select, summary, a[href], [tabindex="0"]')]
        .filter(part => part.checkVisibility() && !part.disabled).indexOf(document.activeElement)"""
    places = []
    while not places or places[-1] != -1:
        lab.page.keyboard.press("Tab")
        places.append(widget.evaluate(reached))
    assert len(places) > 1 and places == [*range(len(places) - 1), -1]


def test_axe_finds_nothing_wrong(lab):
    assert axe.complaints(lab.page, axe.OUTPUTS) == []


def test_on_a_laptop_no_map_and_no_listing_has_to_be_scrolled_to_the_side(lab):
    before, outputs = lab.page.viewport_size, ".jp-RenderedHTML.jp-OutputArea-output"
    lab.page.set_viewport_size({"width": 1366, "height": 768})
    lab.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = false; })")
    try:
        assert lab.page.locator(outputs, has_text="PTX for compute_90").count() == 1
        assert lab.page.evaluate(f"""() => [...document.querySelectorAll('{outputs}, {outputs} *')]
            .filter(one => one.checkVisibility() && !one.closest('pre, svg') && one.scrollWidth > one.clientWidth + 1
                    && getComputedStyle(one).overflowX === 'auto').map(one => one.outerHTML.slice(0, 200))""") == []
    finally:
        lab.page.set_viewport_size(before)


def test_on_a_phone_no_button_and_no_map_is_cut_off(lab):
    before = lab.page.viewport_size
    lab.page.evaluate("() => { const shell = window.jupyterapp.shell; shell.collapseLeft(); shell.collapseRight?.(); }")
    lab.page.set_viewport_size({"width": 390, "height": 844})
    try:
        assert lab.cut_off() == []
        wide = """() => [...document.querySelectorAll('.jp-OutputArea-output :is(.widget-html, .widget-toggle-button)')].filter(one =>
            one.getBoundingClientRect().right > one.closest('.jp-OutputArea-output').getBoundingClientRect().right + 1).length"""
        assert lab.page.evaluate(wide) == 0
        maps = lab.page.locator(".jp-OutputArea-output .mm-frame")
        assert maps.count() == 3 and maps.locator(".mm-wide:visible").count() == 0
        for picture in maps.locator(".mm-narrow").all():
            assert picture.is_visible() and picture.evaluate("picture => picture.scrollWidth <= picture.clientWidth")
    finally:
        lab.page.set_viewport_size(before)


def test_no_button_cuts_off_its_text(lab):
    assert lab.cut_off() == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_text_of_the_widgets_stands_out_from_its_ground_and_so_does_what_has_the_focus(lab, keep, theme):
    lab.set_theme(theme)
    keep(lab, f"gallery-{theme}")
    weak = [text for text in contrast.texts(lab) if text.ratio < contrast.ENOUGH]
    assert weak == []
    start_in(lab, "address")
    lab.page.keyboard.press("Tab")      # from here on the focus is shown, as for all who use keys
    focused = lab.page.evaluate(FOCUS, f":is({using.CONTROLS})")
    assert [control for control, line, colour, grounds in focused if line == "none" or not stands_out(colour, grounds)] == []


def stands_out(colour, grounds):
    ground = contrast.flatten([contrast.rgba(ground_) for ground_ in grounds])
    return contrast.ratio(contrast.over(contrast.rgba(colour), ground), ground) >= contrast.ENOUGH_FOR_LINES
