"""The list's tag filter and its ids."""

from collections.abc import Callable
from urllib.parse import quote, quote_plus

import httpx
import pytest

from tests.http.calls import create_plant, expect_refused

TAGS = (
    "a",
    "A",
    "a b",
    "a+b",
    "a&b=c",
    "50%",
    "%41",
    "é",
    "e\u0301",
    "\U0001fab4",
    "a,b",
    '"',
    "á",
)


@pytest.fixture
def tagged(client: httpx.Client) -> httpx.Client:
    """A client whose store has a plant of each tag, and one without."""
    for plant_id, tag in enumerate(TAGS):
        create_plant(client, plant_id, f"p{plant_id}", tag)
    create_plant(client, 100, "untagged")
    return client


@pytest.mark.parametrize("encode", [quote, quote_plus])
def test_only_plants_of_exactly_this_tag_are_listed(
    tagged: httpx.Client, encode: Callable[[str], str]
) -> None:
    for number, tag in enumerate(TAGS):
        listed = tagged.get(f"/plants?tag={encode(tag)}").raise_for_status().json()
        assert listed == [{"name": f"p{number}", "tag": tag}]


def test_a_tag_that_no_plant_has_lists_none(tagged: httpx.Client) -> None:
    for tag in ("", " ", "b", "a%", "*", "aa", "a\u00a0b", "%2541", "x" * 256):
        listed = tagged.get("/plants", params={"tag": tag})
        assert (listed.status_code, listed.content) == (200, b"[]")


def test_what_can_be_no_tag_is_refused(client: httpx.Client) -> None:
    forbidden = ("a%00", "%0A", "a%7F", "%ff", "a%C3", "%ED%A0%80")
    for tag in (*forbidden, "x" * 257):
        expect_refused(client.get(f"/plants?tag={tag}"), 40008)


def test_a_parameter_given_twice_is_refused(client: httpx.Client) -> None:
    for query in ("tag=a&tag=a", "tag=a&tag=b", "tag=&tag=a", "t%61g=a&tag=a"):
        assert "twice" in expect_refused(client.get(f"/plants?{query}"), 40008)


def test_ids_are_included_where_they_are_asked_for(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern", "a")
    create_plant(client, 2, "Aloe")
    fern, aloe = '{"id":1,"name":"Fern","tag":"a"}', '{"id":2,"name":"Aloe"}'
    for query in ("include=id", "include=id,id", "include=id&include=id", "include=%69d"):
        assert client.get(f"/plants?{query}&tag=a").text == f"[{fern}]"
        assert client.get(f"/plants?{query}").text == f"[{fern},{aloe}]"


def test_nothing_else_can_be_included(client: httpx.Client) -> None:
    others = (
        "",
        ",",
        "id,",
        ",id",
        "ID",
        "id name",
        "id,%20name",
        "name",
        "id;name",
        "id&include=x",
    )
    for value in others:
        expect_refused(client.get(f"/plants?include={value}"), 40007)


def test_parameters_are_bounded(client: httpx.Client) -> None:
    assert client.get("/plants?" + "&".join(["x=1"] * 50)).status_code == 200
    expect_refused(client.get("/plants?" + "&".join(["x=1"] * 51)), 40012)


def test_ids_are_written_to_the_last_digit(client: httpx.Client) -> None:
    for plant_id in (2**53 + 1, 2**63 - 1, -(2**63)):
        create_plant(client, plant_id, "Fern")
    listed = client.get("/plants?include=id").text
    ids = (-9223372036854775808, 9007199254740993, 9223372036854775807)
    assert listed == "[" + ",".join(f'{{"id":{plant_id},"name":"Fern"}}' for plant_id in ids) + "]"
