"""Fuzzing: whatever bytes arrive, and in whatever pieces, what comes back is the interface's.

Good requests are answered one by one, in their order.
"""

import json
import re
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.http.fixtures import NEW_PLANT
from tests.http.framing import LAST, chunk
from tests.http.raw import ALIVE, LIVE, Connection, Message
from tests.service import Service

_CREATE = Message("POST", "/plants").bearing("x").carrying(b"")
_CHUNKED = _CREATE.adding("Transfer-Encoding", "chunked")
_DELETE = Message("DELETE", "/plants/1")
_UPGRADE = (("Connection", "Upgrade"), ("Upgrade", "h2c"))


@dataclass(frozen=True)
class Case:
    """A request as bytes, and the status of its answer."""

    method: str
    data: bytes
    status: int


def case(message: Message, status: int, body: bytes = b"") -> Case:
    return Case(message.method, message.to_bytes() + body, status)


def upgrading(message: Message) -> Message:
    return Message(message.method, message.target, message.headers + _UPGRADE, message.body)


_CHUNKS = b"2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n"
_REQUESTS = [
    case(LIVE, 200),
    case(Message("HEAD", "/livez"), 200),
    Case("GET", b"\r\n" + LIVE.to_bytes(), 200),
    case(LIVE.carrying(b"x" * 5000), 200),
    case(LIVE.adding("X-Long", "x" * 9000), 200),
    case(LIVE.adding("X-Request-Id", "own"), 200),
    case(upgrading(LIVE), 200),
    case(Message("GET", "/" + "x" * 6000), 404),
    case(_CREATE.carrying(b"{}"), 401),
    case(_CREATE.carrying(b"x" * 100_000), 401),
    case(upgrading(_CREATE.carrying(b"{}")), 401),
    case(_CHUNKED, 401, _CHUNKS),
    case(upgrading(_CHUNKED), 401, _CHUNKS),
    case(_DELETE, 401),
    case(Message("OPTIONS", "/plants"), 204),
]
_GOOD = (
    Message("GET", "/plants?limit=1&tag=a").to_bytes(),
    _CREATE.carrying(NEW_PLANT).to_bytes(),
    _CHUNKED.aimed_at("/stores/a/plants").to_bytes() + chunk(NEW_PLANT) + LAST,
    _DELETE.bearing("pst_1_x").to_bytes(),
    upgrading(Message("GET", "/openapi.json")).to_bytes(),
)
_SNIPPETS = st.one_of(
    st.binary(max_size=8),
    st.sampled_from([b"\r\n", b"\n", b"\r\n\r\n", b"\x00", b":", b" ", b"%", b"0", b"\xff", b"//"]),
    st.sampled_from(_GOOD),
)
_EDIT = st.tuples(st.integers(0, 300), st.integers(0, 20), _SNIPPETS)
_limits = settings(
    max_examples=150,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)


@_limits
@given(
    asked=st.lists(st.sampled_from(_REQUESTS), min_size=1, max_size=12),
    cuts=st.lists(st.integers(0, 60_000), max_size=8),
)
def test_requests_in_pieces_are_answered_in_order(
    service: Service, asked: list[Case], cuts: list[int]
) -> None:
    data = b"".join(request.data for request in asked)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    with Connection(service.origin) as connection:
        for start, end in pairwise(edges):
            connection.send(data[start:end])
        for request in asked:
            assert connection.receive(request.method).status == request.status
        assert connection.ask(LIVE).json == ALIVE


@_limits
@given(good=st.sampled_from(_GOOD), edits=st.lists(_EDIT, min_size=1, max_size=4))
def test_no_bytes_make_the_service_fail(
    service: Service, good: bytes, edits: list[tuple[int, int, bytes]]
) -> None:
    logged = len(service.log())
    data = good
    for at, length, snippet in edits:
        data = data[:at] + snippet + data[at + length :]
    with Connection(service.origin) as connection:
        connection.send(data)
        connection.has_data(0.02)
        connection.finish_sending()
        received = connection.read_to_end()
    for status, head, body in split(received):
        assert status < 500 or status in {501, 505}, received
        if status >= 400:
            assert "Content-Type: application/json" in head, received
            assert "X-Request-Id: " in head
            assert body == b"" or set(json.loads(body)) == {"error", "message"}
    assert "Traceback" not in service.log()[logged:]


def split(received: bytes) -> list[tuple[int, str, bytes]]:
    """The answers in what was received: their status, head and body."""
    answers = []
    while received:
        head, end, received = received.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 "), head
        assert end
        length = re.search(rb"\r\nContent-Length: ([0-9]+)", head)
        size = int(length[1]) if length else 0
        answers.append((int(head[9:12]), head.decode("latin-1"), received[:size]))
        received = received[size:]
    return answers
