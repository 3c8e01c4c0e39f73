"""As for the helpers' tests: every module has a context of its own, and every test leaves the driver as it found it."""
from ..helpers.conftest import context, nothing_is_left, other_context  # noqa: F401
