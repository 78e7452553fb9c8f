"""The rule for store names."""

from hypothesis import given
from hypothesis import strategies as st

from plantstore.core.model import is_store_name


@given(st.text("abz019-", max_size=66))
def test_store_names_have_1_to_63_characters_and_no_hyphen_at_either_end(name: str) -> None:
    allowed = 1 <= len(name) <= 63 and not name.startswith("-") and not name.endswith("-")
    assert is_store_name(name) is allowed
