"""CITATION.cff and CHANGELOG.md say what the package says, in the forms that their readers know."""
import re

import course_lib

import pytest
import yaml

from .test_bootstrap import ROOT

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
PROJECT = (ROOT / "pyproject.toml").read_text()

# The keys of Citation File Format 1.2.0 (its schema-guide.md), and those that it requires.
KEYS = set("abstract authors cff-version commit contact date-released doi identifiers keywords license license-url message "
           "preferred-citation references repository repository-artifact repository-code title type url version".split())
REQUIRED = {"authors", "cff-version", "message", "title"}


def test_the_citation_has_what_its_format_requires_and_nothing_else():
    assert REQUIRED <= set(CITATION) <= KEYS
    assert CITATION["cff-version"] == "1.2.0" and CITATION["type"] in ("software", "dataset")


@pytest.mark.parametrize("author", CITATION["authors"], ids=str)
def test_an_author_is_an_entity_or_a_person(author):
    assert "name" in author or {"family-names", "given-names"} <= set(author)


def test_the_authors_are_those_of_the_licence():
    assert all(author["name"] in (ROOT / "LICENSE").read_text() for author in CITATION["authors"])


def test_version_and_licence_are_the_packages():
    assert str(CITATION["version"]) == course_lib.__version__
    assert CITATION["license"] == re.search(r'^license = "(.*)"', PROJECT, flags=re.MULTILINE)[1]


def test_the_changelog_speaks_of_this_version():
    assert course_lib.__version__ in CHANGELOG


def test_the_changelogs_headings_are_those_of_keep_a_changelog():
    sections = re.findall(r"^## (.*)", CHANGELOG, flags=re.MULTILINE)
    assert sections[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", section) for section in sections[1:])
    kinds = set(re.findall(r"^### (.*)", CHANGELOG, flags=re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Known limits"}
