"""However requests are cut into pieces, they are answered one by one, in their order."""

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.http.raw import ALIVE, LIVE, Connection, Message
from tests.service import Service


@dataclass(frozen=True)
class Case:
    """A request as bytes, and the status of its answer."""

    method: str
    data: bytes
    status: int


_UPGRADE = (("Connection", "Upgrade"), ("Upgrade", "h2c"))
_CREATE = Message("POST", "/plants").adding("Authorization", "Bearer x").carrying(b"")
_CHUNKED = _CREATE.adding("Transfer-Encoding", "chunked")
_REQUESTS = [
    Case("GET", LIVE.to_bytes(), 200),
    Case("HEAD", Message("HEAD", "/livez").to_bytes(), 200),
    Case("GET", b"\r\n" + LIVE.to_bytes(), 200),
    Case("GET", LIVE.carrying(b"x" * 5000).to_bytes(), 200),
    Case("GET", LIVE.adding("X-Long", "x" * 9000).to_bytes(), 200),
    Case("GET", Message("GET", "/livez", (*LIVE.headers, *_UPGRADE)).to_bytes(), 200),
    Case("GET", Message("GET", "/" + "x" * 6000).to_bytes(), 404),
    Case("POST", _CREATE.carrying(b"{}").to_bytes(), 401),
    Case("POST", _CREATE.carrying(b"x" * 100_000).to_bytes(), 401),
    Case("POST", Message("POST", "/plants", (*_CREATE.headers, *_UPGRADE), b"{}").to_bytes(), 401),
    *(
        Case("POST", chunked.to_bytes() + b"2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n", 401)
        for chunked in (_CHUNKED, Message("POST", "/plants", (*_CHUNKED.headers, *_UPGRADE)))
    ),
    Case("DELETE", Message("DELETE", "/plants/1").to_bytes(), 401),
    Case("OPTIONS", Message("OPTIONS", "/plants").to_bytes(), 204),
]


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
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
