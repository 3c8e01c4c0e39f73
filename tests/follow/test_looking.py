"""A look at memory while a program is followed: what it asks the driver, and when."""
from course_lib import driver
from courseware.follow import looking

import numpy as np
import pycuda.driver as cuda
import pytest

pytestmark = pytest.mark.skipif(not driver.attached.simulated, reason="a program is followed over the simulated driver")


@pytest.fixture
def looks(monkeypatch):
    """The scenes that the driver was asked for."""
    asked, scene = [], looking.observe.scene
    monkeypatch.setattr(looking.observe, "scene", lambda gather: asked.append(scene(gather)) or asked[-1])
    return asked


def test_where_nothing_has_changed_the_driver_is_asked_again_only_if_the_program_has_called_it(looks):
    array, looker = np.zeros(4, np.int32), looking.Looking("")
    first = looker.look({"array": array})
    assert looker.look({"array": array}, called=False) is first and len(looks) == 1
    looker.look({"array": array})
    assert len(looks) == 2


@pytest.mark.parametrize("change", ["a number of an array", "a byte of the device's", "another name"])
def test_a_change_that_the_host_sees_is_looked_at_without_any_call(looks, change):
    array, device, looker = np.zeros(4, np.int32), cuda.mem_alloc(16), looking.Looking("")
    looker.look(names := {"array": array, "device": device})
    if change == "a number of an array":
        array[3] = 7
    elif change == "a byte of the device's":
        cuda.memset_d8(device, 7, 16)
    else:
        names["again"] = device
    looker.look(names, called=False)
    assert len(looks) == 2
