"""``pytest --nbval notebooks`` needs no further option: conftest.py has what nbval is to overlook, and how long a cell may take."""
import pytest

import conftest


@pytest.fixture
def option(pytestconfig):
    if not pytestconfig.option.nbval:
        pytest.skip("this run of pytest checks no notebooks")
    return pytestconfig.option


def test_addresses_and_pictures_are_overlooked(option):
    assert option.nbval_sanitize_with == str(conftest.SANITISE)
    assert conftest.SANITISE.is_file()


def test_cells_run_in_this_python_and_not_for_ever(option):
    assert option.nbval_current_env
    assert option.nbval_cell_timeout <= conftest.CELL_SECONDS
