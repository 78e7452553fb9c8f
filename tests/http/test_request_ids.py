"""Request ids: a client's own id is returned if it is valid."""

from tests.http.fixtures import CREATES, LISTS, StoreFixture
from tests.http.raw import Connection, Message, exchange
from tests.service import Service

OWN = "a-Z_0.9~:/+=" + "x" * 116  # 128 characters


def id_of(fixture: StoreFixture, message: Message) -> str:
    return fixture.send(message).headers["x-request-id"]


def test_a_clients_request_id_is_returned(fixture: StoreFixture) -> None:
    for message in (
        fixture.message(CREATES[0]),
        fixture.message(LISTS[0]),
        Message("HEAD", "/livez"),
        Message("GET", "/plants"),
        Message("GET", "/nowhere"),
    ):
        for own in (OWN, "1"):
            assert id_of(fixture, message.with_header("X-Request-Id", own)) == own


def test_an_invalid_request_id_is_replaced(fixture: StoreFixture) -> None:
    for invalid in ("", "x" * 129, "a b", "a,b", "ä", 'a"b', "a\tb", "<a>"):
        request_id = id_of(fixture, fixture.message(LISTS[0]).with_header("X-Request-Id", invalid))
        assert request_id not in {invalid, invalid.encode().decode("latin-1")}
    twice = (
        Message("GET", "/livez").with_header("X-Request-Id", "a").with_header("X-Request-Id", "b")
    )
    assert id_of(fixture, twice) not in {"a", "b", "a, b"}


def test_repeated_identical_requests_get_their_own_ids(fixture: StoreFixture) -> None:
    """Also if the responses are cached."""
    bare = fixture.message(LISTS[0])
    own = bare.with_header("X-Request-Id", OWN)
    with Connection(fixture.service.origin) as connection:
        first = connection.request(bare)
        responses = [connection.request(message) for message in (bare, own) * 4]
        for number in range(6):
            traced = bare.with_header("X-Forwarded-For", f"192.0.2.{number}").with_header(
                "traceparent", "1"
            )
            response = connection.request(traced.with_header("X-Request-Id", f"own-{number}"))
            assert (response.headers["x-request-id"], response.body) == (
                f"own-{number}",
                first.body,
            )
    ids = [response.headers["x-request-id"] for response in responses]
    assert ids[1::2] == [OWN] * 4
    assert len(set(ids)) == 5


def test_an_unreadable_request_gets_a_request_id(service: Service) -> None:
    bad = Message("GET", "/livez").with_header("X-Request-Id", "own").with_header("Host", "again")
    assert exchange(service.origin, bad).headers["x-request-id"] == "own"
    assert exchange(service.origin, b"\0\r\n\r\n").headers["x-request-id"]
