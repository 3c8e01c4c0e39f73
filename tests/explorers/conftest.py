"""As the helpers' tests: a context for each module, and nothing may be left of what an explorer made."""
from ..helpers.conftest import context, nothing_is_left, other_context    # noqa: F401
