"""Fuzzing: whatever bytes arrive, every response conforms to the interface."""

import json
import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.http.fixtures import NEW_PLANT
from tests.http.framing import CHUNKED, CREATE, LAST, chunk, upgrading
from tests.http.raw import Connection, Message
from tests.service import Service

_GOOD = (
    Message("GET", "/plants?limit=1&tag=a").to_bytes(),
    CREATE.with_body(NEW_PLANT).to_bytes(),
    CHUNKED.with_target("/stores/a/plants").to_bytes() + chunk(NEW_PLANT) + LAST,
    Message("DELETE", "/plants/1").with_token("pst_1_x").to_bytes(),
    upgrading(Message("GET", "/openapi.json")).to_bytes(),
)
_SNIPPETS = st.one_of(
    st.binary(max_size=8),
    st.sampled_from([b"\r\n", b"\n", b"\r\n\r\n", b"\x00", b":", b" ", b"%", b"0", b"\xff", b"//"]),
    st.sampled_from(_GOOD),
)
_EDIT = st.tuples(st.integers(0, 300), st.integers(0, 20), _SNIPPETS)


@settings(
    max_examples=150,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(good=st.sampled_from(_GOOD), edits=st.lists(_EDIT, min_size=1, max_size=4))
def test_mutated_requests_cause_no_internal_error(
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
    """The responses in the received bytes, as status, head and body."""
    responses = []
    while received:
        head, end, received = received.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 "), head
        assert end
        length = re.search(rb"\r\nContent-Length: ([0-9]+)", head)
        size = int(length[1]) if length else 0
        responses.append((int(head[9:12]), head.decode("latin-1"), received[:size]))
        received = received[size:]
    return responses
