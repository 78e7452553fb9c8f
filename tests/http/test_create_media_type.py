"""Which media types a create takes: application/json in UTF-8, not encoded."""

import httpx
import pytest

from tests.http.calls import expect_refused
from tests.http.fixtures import SQLITE_ONLY
from tests.http.raw import Message, exchange
from tests.service import Service

pytestmark = SQLITE_ONLY

FERN = b'{"id":1,"name":"Fern"}'


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'application/json; charset="utf-8"',
        "application/json ; Charset=Utf-8",
    ],
)
def test_json_in_utf8_is_taken(client: httpx.Client, content_type: str) -> None:
    answer = client.post("/plants", content=FERN, headers={"Content-Type": content_type})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text/plain",
        "text/json",
        "application/*",
        "application/jsonp",
        "application/problem+json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json, text/plain",
        "application/json; charset=latin1",
        "application/json; charset=iso-8859-1",
        "application/json; charset=utf-16",
        "application/json; charset=",
        "application/json; charset=utf-8; charset=latin1",
        "charset=utf-8",
    ],
)
def test_other_media_types_are_refused(client: httpx.Client, content_type: str) -> None:
    answer = client.post("/plants", content=FERN, headers={"Content-Type": content_type})
    expect_refused(answer, 41501)


def test_a_missing_media_type_is_refused(client: httpx.Client) -> None:
    message = expect_refused(client.post("/plants", content=FERN), 41501)
    assert "no Content-Type" in message


@pytest.mark.parametrize("encoding", ["identity", "Identity"])
def test_an_encoding_that_is_none_is_taken(client: httpx.Client, encoding: str) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    assert client.post("/plants", content=FERN, headers=headers).status_code == 200


def test_blanks_around_an_encoding_are_no_part_of_it(service: Service, token: str) -> None:
    create = Message("POST", "/plants").adding("Authorization", f"Bearer {token}").carrying(FERN)
    assert exchange(service.origin, create.adding("Content-Encoding", "identity \t")).status == 200


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "identity, gzip", "x"])
def test_encoded_bodies_are_refused(client: httpx.Client, encoding: str) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    expect_refused(client.post("/plants", content=FERN, headers=headers), 41501)


def test_no_encoding_is_overlooked(client: httpx.Client) -> None:
    headers = [("Content-Type", "application/json")]
    headers += [("Content-Encoding", "gzip"), ("Content-Encoding", "identity")]
    expect_refused(client.post("/plants", content=FERN, headers=headers), 41501)


def test_a_create_without_body_is_refused(client: httpx.Client) -> None:
    expect_refused(client.post("/plants"), 41501)
    expect_refused(client.post("/plants", headers={"Content-Type": "application/json"}), 40001)
