"""As for the helpers' tests, every module has a context of its own."""
from ..helpers.conftest import context  # noqa: F401
