"""A list's parameters: what is written of a query reads back as it was."""

import string

from hypothesis import given
from hypothesis import strategies as st

from plantstore.core.errors import PlantStoreError
from plantstore.core.model import (
    INT64_MAX,
    INT64_MIN,
    LIMIT_MAX,
    TEXT_LENGTHS,
    PlantQuery,
    broken_rule,
)
from plantstore.http.list_parameters import read_plant_query, write_plant_query

LONGEST, SHORTEST = TEXT_LENGTHS["tag"]
TAGS = st.text(min_size=SHORTEST, max_size=LONGEST).filter(
    lambda text: broken_rule(text, LONGEST, SHORTEST) is None
)
QUERIES = st.builds(
    PlantQuery,
    limit=st.none() | st.integers(0, LIMIT_MAX),
    first_id=st.integers(INT64_MIN, INT64_MAX),
    tag=st.none() | TAGS,
    with_ids=st.booleans(),
)


@given(QUERIES)
def test_what_is_written_reads_back(query: PlantQuery) -> None:
    assert read_plant_query(write_plant_query(query).encode()) == query


@given(st.text(string.ascii_letters + string.digits + "-_", min_size=10, max_size=12))
def test_a_cursor_that_is_taken_was_given_out(cursor: str) -> None:
    text = f"after={cursor}"
    try:
        found = read_plant_query(text.encode())
    except PlantStoreError:
        return
    assert write_plant_query(found) == text


@given(st.binary() | st.lists(st.sampled_from([b"limit=", b"tag=", b"&", b"1", b"%", b"+"])))
def test_any_bytes_are_read_or_refused(text: bytes | list[bytes]) -> None:
    given_text = text if isinstance(text, bytes) else b"".join(text)
    try:
        found = read_plant_query(given_text)
    except PlantStoreError:
        return
    assert read_plant_query(write_plant_query(found).encode()) == found
