"""Request ids: a client's own comes back, where it has the form of one."""

from tests.http.fixtures import CREATES, LISTS, StoreFixture
from tests.http.raw import Connection, Message, exchange
from tests.service import Service

OWN = "a-Z_0.9~:/+=" + "x" * 116  # 128 characters


def id_of(fixture: StoreFixture, message: Message) -> str:
    return fixture.send(message).headers["x-request-id"]


def test_a_clients_own_id_comes_back(fixture: StoreFixture) -> None:
    for message in (
        fixture.message(CREATES[0]),
        fixture.message(LISTS[0]),
        Message("HEAD", "/livez"),
        Message("GET", "/plants"),
        Message("GET", "/nowhere"),
    ):
        for own in (OWN, "1"):
            assert id_of(fixture, message.adding("X-Request-Id", own)) == own


def test_an_invalid_id_is_passed_over(fixture: StoreFixture) -> None:
    for invalid in ("", "x" * 129, "a b", "a,b", "ä", 'a"b', "a\tb", "<a>"):
        found = id_of(fixture, fixture.message(LISTS[0]).adding("X-Request-Id", invalid))
        assert found not in {invalid, invalid.encode().decode("latin-1")}
    twice = Message("GET", "/livez").adding("X-Request-Id", "a").adding("X-Request-Id", "b")
    assert id_of(fixture, twice) not in {"a", "b", "a, b"}


def test_the_very_same_requests_keep_their_ids(fixture: StoreFixture) -> None:
    """Also where they could be answered from memory."""
    bare = fixture.message(LISTS[0])
    own = bare.adding("X-Request-Id", OWN)
    with Connection(fixture.service.origin) as connection:
        first = connection.ask(bare)
        answers = [connection.ask(message) for message in (bare, own) * 4]
        for number in range(6):
            traced = bare.adding("X-Forwarded-For", f"192.0.2.{number}").adding("traceparent", "1")
            answer = connection.ask(traced.adding("X-Request-Id", f"own-{number}"))
            assert (answer.headers["x-request-id"], answer.body) == (f"own-{number}", first.body)
    ids = [answer.headers["x-request-id"] for answer in answers]
    assert ids[1::2] == [OWN] * 4
    assert len(set(ids)) == 5


def test_a_request_that_cannot_be_read_has_an_id_too(service: Service) -> None:
    bad = Message("GET", "/livez").adding("X-Request-Id", "own").adding("Host", "again")
    assert exchange(service.origin, bad).headers["x-request-id"] == "own"
    assert exchange(service.origin, b"\0\r\n\r\n").headers["x-request-id"]
