"""From parsed JSON to dataclasses, each field checked, and what is wrong said with the field's name.

A dataclass says with `checked` what each of its fields may hold; `read` makes one from a dict. A check is a function
``check(value, path) -> value`` that raises BadRecording. `path` is where the value stands, as "series[3].unit". Not
here: what a recording consists of (recording.py).
"""
import dataclasses
import datetime
import math

from course_lib.core.errors import Misuse

DATE = "%Y-%m-%dT%H:%M:%SZ"


class BadRecording(Misuse, ValueError):
    """A recording that is damaged or of an unknown make; the message names the file and the field."""


def checked(check, **default):
    """A field of a dataclass, and the check of what it holds. One with a default, as dataclasses.field takes it, may be
    missing in a file."""
    return dataclasses.field(metadata={"check": check}, **default)


def read(cls, value, path):
    """An instance of a dataclass from a dict that has its fields and no others, each as its check wants it."""
    if not isinstance(value, dict):
        raise BadRecording(f"{path or 'the file'}: not an object of named fields")
    fields = {field.name: field for field in dataclasses.fields(cls)}
    for name in value:
        if name not in fields:
            raise BadRecording(f"{_inside(path, name)}: no such field")
    for name, field in fields.items():
        if name not in value and field.default_factory is dataclasses.MISSING:
            raise BadRecording(f"{_inside(path, name)}: missing")
    checks = {name: field.metadata["check"] for name, field in fields.items()}
    return cls(**{name: checks[name](field_value, _inside(path, name)) for name, field_value in value.items()})


def instance_of(cls):
    """The check of a field that holds a dataclass."""
    return lambda value, path: read(cls, value, path)


def list_of(check):
    """The check of a field that holds a list, each element as `check` wants it."""
    def check_list(value, path):
        if not isinstance(value, list):
            raise BadRecording(f"{path}: not a list")
        return tuple(check(element, f"{path}[{number}]") for number, element in enumerate(value))
    return check_list


def optional(check):
    """The check of a field that may also be null."""
    return lambda value, path: None if value is None else check(value, path)


def one_of(allowed):
    """The check of a field that holds one of the texts in `allowed`."""
    def check_choice(value, path):
        if text(value, path) not in allowed:
            raise BadRecording(f"{path}: {value!r} is not one of {', '.join(allowed)}")
        return value
    return check_choice


def text(value, path):
    """The check of a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise BadRecording(f"{path}: not a text")
    return value


def sentences(value, path):
    """The check of an object from names to sentences."""
    if not isinstance(value, dict):
        raise BadRecording(f"{path}: not an object of named sentences")
    return {name: text(sentence, _inside(path, name)) for name, sentence in value.items()}


def not_negative(value, path):
    """The check of a number of 0 or more: no NaN, no infinity, no true or false."""
    if not _is_number(value) or value < 0:
        raise BadRecording(f"{path}: not a number of 0 or more")
    return value


def positive(value, path):
    """The check of a number above 0."""
    if not _is_number(value) or value <= 0:
        raise BadRecording(f"{path}: not a positive number")
    return value


def count(value, path):
    """The check of a whole number above 0."""
    if not isinstance(value, int) or not _is_number(value) or value <= 0:
        raise BadRecording(f"{path}: not a positive whole number")
    return value


def samples(value, path):
    """The check of a list of one or more positive numbers."""
    if not isinstance(value, list) or not value or not all(_is_number(number) and number > 0 for number in value):
        raise BadRecording(f"{path}: not a list of positive numbers")
    return tuple(value)


def date(value, path):
    """The check of a moment in UTC, as 2026-11-21T07:32:00Z."""
    try:
        datetime.datetime.strptime(text(value, path), DATE)
    except ValueError:
        raise BadRecording(f"{path}: not a date and time such as 2026-11-21T07:32:00Z") from None
    return value


def dates_of(names):
    """The check of an object from some of `names` to moments in UTC."""
    def check_dates(value, path):
        if not isinstance(value, dict):
            raise BadRecording(f"{path}: not an object of named dates")
        return {one_of(names)(name, path): date(moment, _inside(path, name)) for name, moment in value.items()}
    return check_dates


def _is_number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:       # a whole number beyond what a float holds
        return False


def _inside(path, name):
    return f"{path}.{name}" if path else str(name)
