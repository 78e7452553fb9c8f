"""Which bodies a create reads: one JSON value in UTF-8, of at most 64 KiB."""

import httpx
import pytest

from tests.http.calls import create, expect_refused, list_plants

BODY_MAX = 64 * 1024
FERN = b'{"id":1,"name":"Fern"}'


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xef\xbb\xbf" + FERN,
        FERN.decode().encode("utf-16"),
        FERN + FERN,
        FERN + b"\x00",
        FERN[:-1],
        b"{'id':1,'name':'Fern'}",
        b'{"id":1,"name":"Fern"} // done',
        b'{"id":1,"name":"Fern","x":"\xff"}',
        b'{"id":1,"name":"Fern","x":NaN}',
        b'{"id":1,"name":"Fern","x":[1,]}',
        pytest.param(b'{"id":1,"name":"Fern","x":' + b"[" * 60000 + b"}", id="deep x"),
        pytest.param(b'{"x":' * 10000, id="deep object"),
        b"id=1&name=Fern",
    ],
)
def test_what_is_not_one_json_value_is_refused(client: httpx.Client, body: bytes) -> None:
    expect_refused(create(client, body), 40001)
    assert list_plants(client) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"[" * 30000 + b"]" * 30000, id="arrays"),
        pytest.param(b'{"":' * 13000 + b"1" + b"}" * 13000, id="objects"),
    ],
)
def test_deep_nesting_is_refused_as_a_bad_body(client: httpx.Client, body: bytes) -> None:
    message = expect_refused(create(client, body), 40001)
    assert "nested too deeply" in message


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"[]", "an array"),
        (b'[{"id":1,"name":"Fern"}]', "an array"),
        (b'"Fern"', "a string"),
        (b"1", "an integer"),
        (b"1.5", "a number with a fraction"),
        (b"true", "a boolean"),
        (b"null", "null"),
    ],
)
def test_what_is_no_object_is_no_plant(client: httpx.Client, body: bytes, kind: str) -> None:
    assert f"it is {kind}" in expect_refused(create(client, body), 40002)


def test_an_integer_of_very_many_digits_is_refused(client: httpx.Client) -> None:
    message = expect_refused(create(client, b"1" * 5000), 40002)
    assert "an integer in it has more than 4300 digits" in message


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
    ],
)
def test_odd_but_right_json_is_read(client: httpx.Client, body: bytes) -> None:
    assert create(client, body).content == b'{"name":"Fern"}'


@pytest.mark.parametrize("size", [BODY_MAX - 1, BODY_MAX])
def test_a_body_up_to_the_bound_is_read(client: httpx.Client, size: int) -> None:
    assert create(client, FERN.ljust(size)).status_code == 200
