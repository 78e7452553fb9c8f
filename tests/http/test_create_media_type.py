"""Which media types a create takes: application/json in UTF-8, not encoded."""

import httpx

from tests.http.calls import expect_refused
from tests.http.raw import Message, exchange
from tests.service import Service

FERN = b'{"id":1,"name":"Fern"}'


def test_json_in_utf8_is_taken(client: httpx.Client) -> None:
    types = ("application/json", "Application/JSON", "application/json; charset=utf-8")
    odd = ("application/json;charset=UTF-8", 'application/json; charset="utf-8"')
    for number, content_type in enumerate((*types, *odd, "application/json ; Charset=Utf-8")):
        body = b'{"id":%d,"name":"Fern"}' % number
        answer = client.post("/plants", content=body, headers={"Content-Type": content_type})
        assert answer.status_code == 200


def test_other_media_types_are_refused(client: httpx.Client) -> None:
    charsets = ("latin1", "iso-8859-1", "utf-16", "", "utf-8; charset=latin1")
    others = ("", "text/plain", "text/json", "application/*", "application/jsonp")
    forms = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x")
    odd = ("application/problem+json", "application/json, text/plain", "charset=utf-8")
    declared = (f"application/json; charset={charset}" for charset in charsets)
    for content_type in (*others, *forms, *odd, *declared):
        answer = client.post("/plants", content=FERN, headers={"Content-Type": content_type})
        expect_refused(answer, 41501)
        assert answer.headers["accept"] == "application/json"


def test_a_body_without_a_media_type_is_read_as_json(client: httpx.Client) -> None:
    assert client.post("/plants", content=FERN).status_code == 200
    assert client.put("/plants/1", content=FERN).status_code == 200


def test_an_encoding_that_is_none_is_taken(client: httpx.Client) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "Identity"}
    assert client.post("/plants", content=FERN, headers=headers).status_code == 200


def test_blanks_around_an_encoding_are_no_part_of_it(service: Service, token: str) -> None:
    create = Message("POST", "/plants").adding("Authorization", f"Bearer {token}").carrying(FERN)
    assert exchange(service.origin, create.adding("Content-Encoding", "identity \t")).status == 200


def test_encoded_bodies_are_refused(client: httpx.Client) -> None:
    for encoding in ("gzip", "br", "deflate", "identity, gzip", "x"):
        headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
        answer = client.post("/plants", content=FERN, headers=headers)
        expect_refused(answer, 41501)
        assert answer.headers["accept-encoding"] == "identity"


def test_no_encoding_is_overlooked(client: httpx.Client) -> None:
    headers = [("Content-Type", "application/json")]
    headers += [("Content-Encoding", "gzip"), ("Content-Encoding", "identity")]
    expect_refused(client.post("/plants", content=FERN, headers=headers), 41501)


def test_a_create_without_body_is_refused(client: httpx.Client) -> None:
    expect_refused(client.post("/plants"), 40001)
    expect_refused(client.post("/plants", headers={"Content-Type": "application/json"}), 40001)
