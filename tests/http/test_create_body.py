"""The body of a create: one JSON value in UTF-8, at most 64 KiB, without compression."""

import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from plantstore.core.decoding import decode_new_plant
from plantstore.core.errors import RequestError
from plantstore.core.model import NewPlant
from tests.http.calls import create, expect_refused, list_plants
from tests.plants import FULL_JSON
from tests.service import JSON

BODY_MAX = 64 * 1024
FERN = b'{"id":1,"name":"Fern"}'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "it is empty"),
        (b"\xef\xbb\xbf" + FERN, "it is not valid JSON at line 1, column 1"),
        (FERN.decode().encode("utf-16"), "byte 0 is not valid UTF-8"),
        (FERN + FERN, "it is not valid JSON at line 1, column 23"),
        (FERN + b"\x00", "column 23"),
        (FERN[:-1], "column 22"),
        (b"{'id':1,'name':'Fern'}", "column 2"),
        (b'{"id":1,\n"name":"Fern"} // done', "line 2, column 16"),
        (b'{"id":1,"name":"Fern","x":"\xff"}', "byte 27 is not valid UTF-8"),
        (b'{"id":1,"name":"Fern","x":NaN}', "NaN is not JSON"),
        (b'{"id":1,"name":"Fern","x":"\\q"}', "column 28"),
        (b'{"id":1,"name":"Fern","x":01}', "column 28"),
        (b'{"id":1,"name":"Fern","x":[1,]}', "column"),
        (b"id=1&name=Fern", "column 1"),
        pytest.param(b"[" * 2000 + b"]" * 2000, "nested too deeply", id="arrays"),
        pytest.param(b'{"":' * 2000 + b"1" + b"}" * 2000, "nested too deeply", id="objects"),
        pytest.param(b'{"id":1,"x":' + b"[" * 2000 + b"}", "nested too deeply", id="open arrays"),
        pytest.param(b'{"x":' * 2000, "nested too deeply", id="open objects"),
        pytest.param(
            b"[" * 60000,
            "more than 5000 commas and open brackets, texts included",
            id="many arrays",
        ),
        pytest.param(
            FERN[:-1] + b',"x":[' + b"1," * 5000 + b"1]}",
            "more than 5000 commas and open brackets, texts included",
            id="many",
        ),
    ],
)
def test_a_body_that_is_not_one_json_value_is_refused(
    client: httpx.Client, body: bytes, reason: str
) -> None:
    assert reason in expect_refused(create(client, body), 40001)
    assert list_plants(client) == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"[]", "it is an array"),
        (b'[{"id":1,"name":"Fern"}]', "it is an array"),
        (b'"Fern"', "it is a string"),
        (b"1", "it is an integer"),
        (b"1.5", "it is a number with a fraction"),
        (b"true", "it is a boolean"),
        (b"null", "it is null"),
        pytest.param(b"1" * 641, "an integer in it has more than 640 digits", id="641 digits"),
    ],
)
def test_a_json_value_that_is_not_an_object_is_refused(
    client: httpx.Client, body: bytes, reason: str
) -> None:
    assert reason in expect_refused(create(client, body), 40002)


@pytest.mark.parametrize(
    "body",
    [
        b' \r\n\t{ "id" : 1 , "name" : "Fern" } \n',
        b'{"id":1,"name":"Fern","x":"\\ud800"}',
        b'{"id":1,"name":"Fern","\\ud800":null}',
        b'{"id":1,"name":"Fern","x":"\x7f"}',
        b'{"id":1,"name":"Fern","x":1e999}',
        pytest.param(b'{"id":1,"name":"Fern","x":' + b"9" * 5000 + b"}", id="5000 digits"),
        pytest.param(b'{"id":1,"name":"Fern","x":' + b"[" * 200 + b"]" * 200 + b"}", id="nested"),
        b'{"\\u0069d":1,"n\\u0061me":"F\\u0065rn"}',
        pytest.param(FERN.ljust(BODY_MAX), id="64 KiB"),
    ],
)
def test_unusual_but_valid_json_is_accepted(client: httpx.Client, body: bytes) -> None:
    assert create(client, body).content == b'{"name":"Fern"}'


@given(st.integers(0, 60), st.integers(0, 3), st.binary(max_size=3))
def test_a_mutated_body_is_refused_or_decoded_as_json_loads_does(
    at: int, length: int, replacement: bytes
) -> None:
    body = json.dumps(FULL_JSON).encode()
    damaged = body[:at] + replacement + body[at + length :]
    try:
        plant = decode_new_plant(damaged)
    except RequestError:
        return
    sent = {"tag": None} | json.loads(damaged)
    assert asdict(plant) == {field: sent[field] for field in asdict(NewPlant(0, ""))}


# Media types


def send(client: httpx.Client, *headers: tuple[str, str]) -> httpx.Response:
    return client.post("/plants", content=FERN, headers=headers)


@pytest.mark.parametrize(
    "content_type",
    [
        *("application/json", "Application/JSON", "application/json; charset=utf-8"),
        *("application/json;charset=UTF-8", 'application/json; charset="utf-8"'),
        "application/json ; Charset=Utf-8",
    ],
)
def test_json_media_types_in_utf_8_are_accepted(client: httpx.Client, content_type: str) -> None:
    assert send(client, ("Content-Type", content_type)).status_code == 200


def test_other_media_types_are_refused(client: httpx.Client) -> None:
    charsets = ("latin1", "iso-8859-1", "utf-16", "", "utf-8; charset=latin1")
    others = ("", "text/plain", "text/json", "application/*", "application/jsonp")
    forms = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x")
    unusual = ("application/problem+json", "application/json, text/plain", "charset=utf-8")
    declared = (f"application/json; charset={charset}" for charset in charsets)
    for content_type in (*others, *forms, *unusual, *declared):
        response = send(client, ("Content-Type", content_type))
        expect_refused(response, 41501)
        assert response.headers["accept"] == "application/json"


def test_a_body_without_a_media_type_is_read_as_json(client: httpx.Client) -> None:
    assert send(client).status_code == 200
    assert client.put("/plants/1", content=FERN).status_code == 200
    for headers in ({}, JSON):
        expect_refused(client.post("/plants", headers=headers), 40001)


def test_content_encoding_identity_is_accepted(client: httpx.Client) -> None:
    assert send(client, *JSON.items(), ("Content-Encoding", "Identity")).status_code == 200


@pytest.mark.parametrize(
    "encodings", [["gzip"], ["br"], ["deflate"], ["identity, gzip"], ["x"], ["gzip", "identity"]]
)
def test_other_content_encodings_are_refused(client: httpx.Client, encodings: list[str]) -> None:
    response = send(client, *JSON.items(), *(("Content-Encoding", it) for it in encodings))
    expect_refused(response, 41501)
    assert response.headers["accept-encoding"] == "identity"
