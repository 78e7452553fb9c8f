"""The format of tokens: a new token is well formed, and a mistyped one is not."""

import string
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from plantstore.core.tokens import hash_token, is_well_formed, make_token, read_store_id

DIGITS = string.digits + string.ascii_letters
store_ids = st.integers(0, 62**10 - 1)


@given(store_ids)
def test_a_new_token_is_well_formed_and_contains_its_store_id(store_id: int) -> None:
    token = make_token(store_id)
    prefix, number, secret = token.split("_")
    assert prefix == "pst"
    assert len(number) <= 10
    assert len(secret) == 43 + 6
    assert set(number + secret) <= set(DIGITS)
    assert is_well_formed(token)
    assert read_store_id(token) == store_id


def test_store_ids_are_encoded_in_base62() -> None:
    numbers = {0: "0", 9: "9", 10: "A", 35: "Z", 36: "a", 61: "z", 62: "10", 62**10 - 1: 10 * "z"}
    for store_id, written in numbers.items():
        assert make_token(store_id).split("_")[1] == written


def test_leading_zeros_of_a_store_id_are_ignored() -> None:
    assert read_store_id("pst_0000000001_x") == read_store_id("pst_1_x") == 1


@given(store_ids, st.integers(0, 59), st.sampled_from(DIGITS))
def test_a_mistyped_token_is_not_well_formed(store_id: int, place: int, letter: str) -> None:
    token = make_token(store_id)
    place = min(place, len(token) - 2)
    before, after = token[:place], token[place + 2 :]
    typed, following = token[place], token[place + 1]
    for mistyped in (
        before + letter + following + after,
        before + following + typed + after,
        before + following + after,
        # A zero before the store's number changes nothing but the checksum.
        before + letter + typed + following + after,
    ):
        assert is_well_formed(mistyped) is (mistyped == token)


OTHER_TEXTS = (
    *("", "pst", "pst_1", "pst__x", "pst_1_x_y", "PST_1_x", "pst_zzzzzzzzzzz_x", "pst_-1_x"),
    *("pst_1.0_x", "pst_ 1_x", "pst_１_x", "pst_é_x", "\x00", " pst_1_x", "Bearer pst_1_x"),
)


def test_other_text_has_no_store_id() -> None:
    assert {read_store_id(text) for text in OTHER_TEXTS} == {None}
    assert not any(map(is_well_formed, OTHER_TEXTS))


@given(st.text())
def test_arbitrary_text_is_not_a_token_and_raises_no_error(text: str) -> None:
    store_id = read_store_id(text)
    assert store_id is None or 0 <= store_id < 62**10
    assert not is_well_formed(text)


def test_the_hash_of_a_token_is_its_sha_256() -> None:
    token = make_token(1)
    assert hash_token(token) == sha256(token.encode()).digest()
