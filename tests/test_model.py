"""The domain's rules on texts, names and permissions."""

import unicodedata
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plantstore.model import (
    NAME_MAX,
    Plant,
    Role,
    Scope,
    broken_rule,
    is_store_name,
    permissions_of,
)


@pytest.mark.parametrize(
    "text",
    ["a", NAME_MAX * "a", NAME_MAX * "😀", " a", "a ", "é", "שלום", "\u200b", "\u200e", "\ufeff"],
)
def test_text_is_taken(text: str) -> None:
    assert broken_rule(text, NAME_MAX) is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "must be 1 to 256 characters long, not 0"),
        (257 * "a", "must be 1 to 256 characters long, not 257"),
        (257 * "😀", "must be 1 to 256 characters long, not 257"),
        ("a\x00", "must not contain control characters (U+0000 to U+001F, U+007F to U+009F)"),
        ("\x9b1m", "must not contain control characters (U+0000 to U+001F, U+007F to U+009F)"),
        ("a\u202eb", "overrides of the text's direction (U+202A to U+202E, U+2066 to U+2069)"),
        ("\ud800", "lone surrogates"),
        ("a\udfff", "lone surrogates"),
        (" ", "must not be only white space"),
        ("\u00a0\u2003\u3000", "must not be only white space"),
    ],
)
def test_text_is_refused_with_the_rule(text: str, fault: str) -> None:
    assert fault in str(broken_rule(text, NAME_MAX))


@given(st.text(max_size=70), st.integers(1, 64))
def test_the_rules_are_length_characters_and_white_space(text: str, longest: int) -> None:
    has_length = 1 <= len(text) <= longest
    forbidden = any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in text)
    overrides = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    turned = any(unicodedata.bidirectional(letter) in overrides for letter in text)
    allowed = has_length and not forbidden and not turned and bool(text.strip())
    assert (broken_rule(text, longest) is None) is allowed


@given(st.text(max_size=70))
def test_a_store_name_is_a_dns_label(name: str) -> None:
    letters = set("abcdefghijklmnopqrstuvwxyz0123456789-")
    ends = name[:1] + name[-1:]
    allowed = 1 <= len(name) <= 63 and set(name) <= letters and "-" not in ends
    assert is_store_name(name) is allowed


@given(st.text("abz019-", max_size=66))
def test_a_store_name_does_not_end_or_begin_with_a_hyphen(name: str) -> None:
    allowed = 1 <= len(name) <= 63 and not name.startswith("-") and not name.endswith("-")
    assert is_store_name(name) is allowed


def test_permissions_are_what_role_and_scopes_share() -> None:
    for size in range(len(Scope) + 1):
        for chosen in combinations(Scope, size):
            scopes = frozenset(chosen)
            assert permissions_of(None, scopes) == frozenset()
            assert permissions_of(Role.READER, scopes) == scopes & {Scope.LIST}
            assert permissions_of(Role.EDITOR, scopes) == scopes
            assert permissions_of(Role.OWNER, scopes) == scopes


def test_a_plant_without_a_tag_has_none() -> None:
    assert Plant("Ficus") == Plant("Ficus", None)
