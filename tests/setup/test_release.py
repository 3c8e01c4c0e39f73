"""A release: version and day go into each file that names them, and nothing else changes."""
import shutil

import pytest
import release  # in tools/, where test_bootstrap has led
import yaml

from .test_bootstrap import ROOT


@pytest.fixture
def checkout(tmp_path):
    for name in release.CHANGES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_each_file_has_the_version(checkout):
    release.change(checkout, "7.8.9", "2031-02-03")
    assert [name for name in release.CHANGES if "7.8.9" not in (checkout / name).read_text()] == []
    citation = yaml.safe_load((checkout / "CITATION.cff").read_text())
    assert (citation["version"], str(citation["date-released"])) == ("7.8.9", "2031-02-03")
    assert "## [Unreleased]\n\n## [7.8.9] - 2031-02-03\n\n###" in (checkout / "CHANGELOG.md").read_text()


def test_what_changed_in_a_release_stays_written_down(checkout):
    before = (checkout / "CHANGELOG.md").read_text().partition("### Added")[2]
    release.change(checkout, "7.8.9", "2031-02-03")
    assert (checkout / "CHANGELOG.md").read_text().endswith(before)


def test_a_file_without_a_place_leaves_all_as_they_were(checkout):
    (checkout / "CHANGELOG.md").write_text("nothing of the kind\n")
    with pytest.raises(ValueError, match="Nothing was changed"):
        release.change(checkout, "7.8.9", "2031-02-03")
    assert "7.8.9" not in (checkout / "CITATION.cff").read_text()


@pytest.mark.parametrize("said", [[], ["v1.2.3"], ["1.2"], ["1.2.3", "now"]])
def test_what_is_no_version_changes_nothing(said):
    assert "python3 tools/release.py" in release.main(said)
