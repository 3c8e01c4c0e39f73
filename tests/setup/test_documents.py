"""What the documents and the CI name is there. Their commands: test_commands.py."""
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_link_within_the_project_leads_somewhere(name):
    text = re.sub(r"(?ms)^```.*?^```$", "", (ROOT / name).read_text())
    links = re.findall(r"\]\(([^)#\s]+)\)", text)
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


def test_ci_runs_make_test():
    assert "make test" in (ROOT / ".ci" / "run").read_text()
    assert ".ci/run" in (ROOT / ".github" / "workflows" / "ci.yml").read_text()
