"""The parameters of lists: accepted values, and their round trip through links."""

from collections.abc import Callable
from urllib.parse import quote, quote_plus

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from plantstore.core.errors import PlantStoreError
from plantstore.core.model import INT64_MAX, INT64_MIN, TEXT_LENGTHS, PlantQuery, broken_rule
from plantstore.http.list_parameters import LIMIT_MAX, read_plant_query, write_plant_query
from tests.http import non_integers
from tests.http.calls import create_plant, expect_refused

TAGS = (
    *("a", "A", "a b", "a+b", "a&b=c", "50%", "%41", "é", "e\u0301", "\U0001fab4"),
    *("a,b", '"', "á"),
)
# Invalid values of each parameter, as written in a URL.
REFUSED = {
    ("limit", 40005): (
        *non_integers.ALL,
        *("-1", "2147483648", "%2B7", "%20", "%201", "1%20", "1%00", "all"),
    ),
    ("after", 40006): (
        *("", "7", "AAAAAAAAAA", "AAAAAAAAAAAA", "AAAAAAAAAAA%3D", "AAAAAAAAAAB", "f_________8"),
        *("AAAA+AAAAAA", "AAAA%2FAAAAAA", "%20AAAAAAAAAAA", "AAAAAAAAAAA%0A", "ÄAAAAAAAAAA"),
        *("A%00AAAAAAAAA", "AAAAAAAAAAA,AAAAAAAAAAA", "%ff"),
    ),
    ("include", 40007): (
        *("", ",", "id,", ",id", "ID", "id name", "id,%20name", "name", "id;name"),
        "id&include=x",
    ),
    ("tag", 40008): (
        *("a%00", "%0A", "a%7F", "%ff", "a%C3", "%ED%A0%80"),
        *("x" * 257, "a&tag=%00"),
    ),
}
TWICE = {
    40005: ("limit=1&limit=1", "limit=1&limit=2", "limit=&l%69mit=1"),
    40006: ("after=AAAAAAAAAAA&after=AAAAAAAAAAA", "after=&after="),
}


@pytest.mark.parametrize(("name", "number"), REFUSED)
def test_invalid_parameter_values_are_refused(client: httpx.Client, name: str, number: int) -> None:
    for value in REFUSED[name, number]:
        message = expect_refused(client.get(f"/plants?{name}={value}"), number)
        if name == "limit":
            assert message.startswith("limit must be a whole number from 0 to 2147483647")


@pytest.mark.parametrize("number", TWICE)
def test_a_parameter_given_twice_is_refused(client: httpx.Client, number: int) -> None:
    for query in TWICE[number]:
        assert "twice" in expect_refused(client.get(f"/plants?{query}"), number)


def test_more_than_50_parameters_are_refused(client: httpx.Client) -> None:
    assert client.get("/plants?" + "&".join(["x=1"] * 50)).status_code == 200
    expect_refused(client.get("/plants?" + "&".join(["x=1"] * 51)), 40012)


def test_unknown_parameters_are_ignored(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern")
    for query in ("", "limt=5", "limit[]=0", "&&=&x&=5", "_=1", "utm_source=x", "%zz=%"):
        assert client.get(f"/plants?{query}").json() == [{"name": "Fern"}]


@pytest.fixture
def tagged(client: httpx.Client) -> httpx.Client:
    """A client whose store has a plant of each tag, and a plant without a tag."""
    for plant_id, tag in enumerate(TAGS):
        create_plant(client, plant_id, f"p{plant_id}", tag)
    create_plant(client, 100, "untagged")
    return client


@pytest.mark.parametrize("encode", [quote, quote_plus])
def test_a_tag_lists_only_plants_with_exactly_this_tag(
    tagged: httpx.Client, encode: Callable[[str], str]
) -> None:
    for number, tag in enumerate(TAGS):
        listed = tagged.get(f"/plants?tag={encode(tag)}").raise_for_status().json()
        assert listed == [{"name": f"p{number}", "tag": tag}]
    for tag in ("", " ", "b", "a%", "*", "aa", "a\u00a0b", "%2541", "x" * 256):
        listed = tagged.get(f"/plants?tag={encode(tag)}").raise_for_status()
        assert listed.content == b"[]"


def test_include_id_adds_the_ids(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern", "a")
    create_plant(client, 2, "Aloe")
    fern, aloe = '{"id":1,"name":"Fern","tag":"a"}', '{"id":2,"name":"Aloe"}'
    for query in ("include=id", "include=id,id", "include=id&include=id", "include=%69d"):
        assert client.get(f"/plants?{query}&tag=a").text == f"[{fern}]"
        assert client.get(f"/plants?{query}").text == f"[{fern},{aloe}]"


LONGEST, SHORTEST = TEXT_LENGTHS["tag"]
QUERIES = st.builds(
    PlantQuery,
    limit=st.none() | st.integers(0, LIMIT_MAX),
    first_id=st.integers(INT64_MIN, INT64_MAX),
    tags=st.lists(
        st.text().filter(lambda tag: broken_rule(tag, LONGEST, SHORTEST) is None), unique=True
    ).map(tuple),
    included=st.frozensets(st.sampled_from(["id", "id_text", "etag"])),
).map(lambda query: replace(query, with_total=bool(query.tags), with_ids=bool(query.included)))
TEXTS = st.lists(st.binary() | st.sampled_from([b"limit=", b"tag=", b"&", b"1", b"%", b"+"]))


@given(QUERIES)
def test_a_written_query_reads_back(query: PlantQuery) -> None:
    assert read_plant_query(write_plant_query(query).encode()) == query


@given(TEXTS)
def test_arbitrary_query_bytes_are_refused_or_round_trip(parts: list[bytes]) -> None:
    try:
        query = read_plant_query(b"".join(parts))
    except PlantStoreError:
        return
    assert read_plant_query(write_plant_query(query).encode()) == query
