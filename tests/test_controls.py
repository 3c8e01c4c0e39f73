"""Controls of the course's widgets."""
import re
from pathlib import Path

from course_lib.notebook import controls

ROOT = Path(controls.__file__).parent.parent


def test_one_of_several_is_chosen_or_none_at_first():
    assert controls.choice(["equal", "different"]).value is None
    assert controls.choice([("one", 1), ("two", 2)], 2).value == 2


def test_buttons_stand_in_a_row_or_one_below_the_other():
    assert controls.choice(["a", "b"]).style.button_width == "auto"
    below = controls.choice(["a", "b"], width="30em")
    assert below.style.button_width == "30em" and "30em" in below.layout.width


def test_no_widget_has_only_controls_that_jupyterlab_keeps_the_arrow_keys_from():
    pattern = r"widgets\.(RadioButtons|Dropdown|Select|SelectMultiple|Combobox)\b"
    used = {path.name: kinds for path in ROOT.rglob("*.py") if (kinds := re.findall(pattern, path.read_text()))}
    assert used == {"views.py": ["Select"]}    # with buttons beside it that do the same
