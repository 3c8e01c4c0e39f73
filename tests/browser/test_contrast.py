"""The measure of contrast itself, against values that WCAG's authors give."""
import pytest

from . import contrast


@pytest.mark.parametrize("text, paper, expected", [
    ((255, 255, 255), (0, 0, 0), 21), ((255, 255, 255), (255, 255, 255), 1), ((118, 118, 118), (255, 255, 255), 4.54),
    ((119, 119, 119), (255, 255, 255), 4.48), ((0, 0, 255), (255, 255, 255), 8.59),
])
def test_ratios_are_those_of_wcag(text, paper, expected):
    assert contrast.ratio(text, paper) == contrast.ratio(paper, text) == pytest.approx(expected, abs=0.005)


def test_half_transparent_colours_are_mixed_with_what_is_behind():
    grounds = [contrast.rgba("rgba(0, 0, 0, 0.5)"), contrast.rgba("rgb(255, 255, 255)")]
    assert contrast.flatten(grounds) == (127.5, 127.5, 127.5)
    assert contrast.faded("rgb(1, 2, 3)", 0.5) == (1, 2, 3, 0.5)


def test_text_counts_by_its_worst_ground():
    text = {"text": "a", "colour": "rgb(255, 255, 255)", "opacity": 1, "hatching": ["rgb(250, 250, 250)"],
            "grounds": [{"colour": "rgb(0, 0, 0)", "opacity": 1}]}
    assert contrast.measured(text).ratio < 1.1
    assert contrast.measured({**text, "hatching": []}).ratio == 21
