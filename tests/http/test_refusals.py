"""A request that the connection refuses gets its error in order, and closes the connection."""

from collections.abc import Iterator

import pytest

from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, StoreFixture
from tests.http.raw import ALIVE, LIVE, Connection
from tests.service import Service

FERN = b'{"id":1,"name":"Fern"}'
ALOE = b'{"id":2,"name":"Aloe","tag":"succulent"}'
# The error of each request, and its bytes unless it needs the token.
HEADS = {
    "no request": (40011, b"nonsense\r\n\r\n"),
    "no host": (40011, b"GET /livez HTTP/1.1\r\n\r\n"),
    "unknown method": (50101, b"FOO /livez HTTP/1.1\r\nHost: x\r\n\r\n"),
    "long target": (41401, LIVE.with_target("/" + "x" * 9000).to_bytes()),
    "large head": (43101, LIVE.with_header("X", "x" * 17000).to_bytes()),
}
OTHERS = {
    "bad chunk": (40011, b""),
    "slow head": (40802, b"GET /livez HTTP/1.1\r\nHost: x\r\n"),
    "slow body": (40801, b""),
}
NUMBERS = {number for number, _ in (HEADS | OTHERS).values()}  # `test_every_error` collects them
CASES = [(kind, before) for kind in HEADS | OTHERS for before in (0, 1, 2)]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with short timeouts."""
    folder = tmp_path_factory.mktemp("refusals")
    with Service(folder, settings={"head_timeout": 0.5, "body_timeout": 0.5}) as running:
        yield running


def send_refused(fixture: StoreFixture, connection: Connection, kind: str, before: int) -> int:
    """Send valid requests, an invalid one and a create at once; return the expected error."""
    create = fixture.message(CREATES[0])
    number, refused = (HEADS | OTHERS)[kind]
    behind = create.with_body(b'{"id": 3, "name": "Ivy"}').to_bytes()
    if kind == "bad chunk":
        refused = create.with_header("Transfer-Encoding", "chunked").head() + b"xyz\r\n"
    elif kind == "slow body":
        refused, behind = create.replacing_header("Content-Length", "60").head(), b'{"id": 3, '
    elif kind == "slow head":
        behind = b"X: x"
    connection.send(*[create, LIVE][:before], refused, behind)
    return number


@pytest.mark.parametrize(("kind", "before"), CASES)
def test_a_refused_request_gets_its_error_after_earlier_responses(
    fixture: StoreFixture, kind: str, before: int
) -> None:
    with Connection(fixture.service.origin) as connection:
        number = send_refused(fixture, connection, kind, before)
        bodies = [connection.receive().json for _ in range(before)]
        assert bodies == [{"name": "Aloe", "tag": "succulent"}, ALIVE][:before]
        response = connection.receive()
        expect_error(response, number)
        assert response.closes
        assert connection.read_to_end() == b""
    # Only the requests before the refused one were executed.
    assert fixture.plants() == b"[" + FERN + (b"," + ALOE) * (before > 0) + b"]"
