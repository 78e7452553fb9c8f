"""A list's parameters: one canonical writing for each query, which reads back as it was."""

from collections.abc import Callable
from random import Random
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plantstore.errors import PlantStoreError
from plantstore.http.parameters import read_list_parameters, write_parameters
from plantstore.model import (
    DEFAULT_FIELDS,
    INT64_MAX,
    INT64_MIN,
    LIMIT_MAX,
    TAG_MAX,
    Field,
    PlantQuery,
    text_fault,
)

TAGS = st.text(min_size=1, max_size=TAG_MAX).filter(lambda text: text_fault(text, TAG_MAX) is None)
QUERIES = st.builds(
    PlantQuery,
    limit=st.none() | st.integers(0, LIMIT_MAX),
    first_id=st.integers(INT64_MIN, INT64_MAX),
    tag=st.none() | TAGS,
    fields=st.frozensets(st.sampled_from(Field), min_size=1),
)


@given(QUERIES)
def test_the_canonical_writing_reads_back(query: PlantQuery) -> None:
    found = read_list_parameters(write_parameters(query).encode())
    assert found.query == query
    assert found.canonical == write_parameters(query)


@given(QUERIES, QUERIES)
def test_different_queries_are_written_differently(one: PlantQuery, other: PlantQuery) -> None:
    assert (write_parameters(one) == write_parameters(other)) == (one == other)


@given(QUERIES, st.randoms(use_true_random=False), st.sampled_from([quote, quote_plus]))
def test_any_writing_of_a_query_is_the_same(
    query: PlantQuery, random: Random, encode: Callable[[str], str]
) -> None:
    written = write_parameters(query)
    parts = [part for part in written.split("&") if part and not part.startswith("tag=")]
    if query.tag is not None:
        parts.append(f"tag={encode(query.tag)}")
    parts.append("unknown=1")
    random.shuffle(parts)
    assert read_list_parameters("&".join(parts).encode()).canonical == written


@given(st.binary() | st.lists(st.sampled_from([b"limit=", b"tag=", b"&", b"1", b"%", b"+"])))
def test_any_bytes_are_read_or_refused(query: bytes | list[bytes]) -> None:
    given_query = query if isinstance(query, bytes) else b"".join(query)
    try:
        found = read_list_parameters(given_query)
    except PlantStoreError:
        return
    assert read_list_parameters(found.canonical.encode()) == found


@pytest.mark.parametrize("query", [b"", b"&", b"x=1", b"fields=tag,name", b"fields=name,tag"])
def test_the_whole_list_is_written_as_nothing(query: bytes) -> None:
    found = read_list_parameters(query)
    assert found.canonical == ""
    assert found.query == PlantQuery(fields=DEFAULT_FIELDS)
