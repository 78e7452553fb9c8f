"""The domain's rules on texts, names and permissions."""

from hypothesis import given
from hypothesis import strategies as st

from plantstore.core.model import (
    is_store_name,
)


@given(st.text("abz019-", max_size=66))
def test_a_store_name_does_not_end_or_begin_with_a_hyphen(name: str) -> None:
    allowed = 1 <= len(name) <= 63 and not name.startswith("-") and not name.endswith("-")
    assert is_store_name(name) is allowed
