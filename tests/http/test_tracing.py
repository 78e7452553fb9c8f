"""Header lines that only trace a request: left out of what is looked up, and of nothing else."""

import json
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from plantstore.errors import RequestError
from plantstore.server.heads import HeadParser, KnownLines
from plantstore.server.tracing import MAX_LINES, NAMES
from tests.http.fixtures import LISTS, make_fixture
from tests.http.raw import Connection
from tests.service import Service

END = b"\r\n\r\n"
KNOWN = (
    b"GET /plants?limit=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x" + END,
    b"POST /plants HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 3"
    + END,
    b"GET /plants HTTP/1.1\r\nHost: a" + END,
    b"GET /plants HTTP/1.0\r\nHost: a" + END,
)
TRACES = (
    *(b"traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", b"TraceParent: x"),
    *(b"X-Request-Id: own", b"x-request-id:\town \t", b"X-REQUEST-ID: a b", b"X-Request-Id:"),
    *(b"X-Forwarded-For: 192.0.2.1, 10.0.0.1", b"x-forwarded-for: \xe4", b"X-Real-IP: 192.0.2.1"),
    *(b"CF-Ray: 1", b"X-B3-TraceId: 1", b"X-Request-Id : own", b" X-Request-Id: own"),
    *(b"X-Request-Id: a\rb", b"X-Request-Id: a\nHost: b", b"X-Request-Id: a\x00", b"X-Request-Id"),
    *(
        b"X-Request-Id: own\r\n folded",
        b"X-Request-Id: own\r\n\tfolded",
        b"X-Request-Id: own" + END,
    ),
    *(b"X-Forwarded-For: " + b"1" * 17_000, b"X-Request-Id-2: own", b"Transfer-Encoding: chunked"),
)
EDITS = st.lists(
    st.tuples(
        st.integers(0, 120),
        st.integers(0, 3),
        st.one_of(
            st.sampled_from(TRACES).map(lambda line: b"\r\n" + line),
            st.sampled_from(TRACES),
            st.sampled_from([b"\r\n", b"\n", b"\r", b" ", b":", b"\x00", END]),
        ),
    ),
    max_size=4,
)


def edit(head: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """The head with other bytes at some places, mostly at its line ends."""
    for at, length, inserted in edits:
        ends = [n for n in range(len(head)) if head.startswith(b"\r\n", n)]
        place = ends[at % len(ends)] if ends and length < 3 else at
        head = head[:place] + inserted + head[place + (length if length == 3 else 0) :]
    return head


@settings(max_examples=3000, derandomize=True)
@given(st.sampled_from(KNOWN), EDITS)
def test_a_head_that_is_looked_up_says_what_the_parser_reads(
    known: bytes, edits: list[tuple[int, int, bytes]]
) -> None:
    lines = KnownLines()
    for head in KNOWN:
        parsed = HeadParser().feed(head)
        assert parsed is not None
        lines.put(head, parsed)
    data = edit(known, edits)
    found = lines.find(data)
    if found is None:
        return
    read = HeadParser().feed(data)
    assert read is not None
    assert (found.method, found.path, found.query) == (read.method, read.path, read.query)
    assert (found.size, found.own_id) == (read.size, read.own_id)
    headers = {name: value for name, value in read.fields.headers.items() if name not in NAMES}
    assert found.fields.headers == headers
    assert found.fields.length == read.fields.length
    assert not read.fields.is_chunked


def test_a_traced_head_is_looked_up() -> None:
    lines = KnownLines()
    traced = KNOWN[0].replace(END, b"\r\nX-Request-Id: a\r\ncf-ray: 1" + END)
    parsed = HeadParser().feed(traced)
    assert parsed is not None
    assert lines.find(traced) is None
    lines.put(traced, parsed)
    for trace, own_id in ((b"X-Request-ID: b", b"b"), (b"traceparent: 1\r\nbaggage: ", b"")):
        found = lines.find(KNOWN[0].replace(b"\r\nAuth", b"\r\n" + trace + b"\r\nAuth"))
        assert found is not None
        assert (found.own_id, found.raw) == (own_id, KNOWN[0])


def test_too_many_lines_are_refused_though_each_is_known() -> None:
    lines = KnownLines()
    for count in (MAX_LINES, MAX_LINES + 1, 200):
        head = KNOWN[0].replace(END, b"\r\nX-Real-Ip: 1" * count + END)
        with suppress(RequestError):
            lines.put(KNOWN[0], HeadParser().feed(KNOWN[0]))  # type: ignore[arg-type]  # complete
        assert (lines.find(head) is None) == (count >= MAX_LINES)


def test_a_list_from_memory_has_the_ids_of_its_requests(service: Service) -> None:
    fixture = make_fixture(service)
    listing = fixture.message(LISTS[0])
    with Connection(service.origin) as connection:
        first = connection.ask(listing)
        for number in range(6):
            traced = listing.adding("X-Forwarded-For", f"192.0.2.{number}")
            traced = traced.adding("X-Request-Id", f"own-{number}").adding("traceparent", "1")
            answer = connection.ask(traced)
            assert (answer.headers["x-request-id"], answer.body) == (f"own-{number}", first.body)


def test_each_of_many_at_once_gets_its_own(service: Service) -> None:
    """Also where only their ids and their tokens differ."""
    fixtures = [make_fixture(service) for _ in range(2)]
    for fixture in fixtures:
        assert fixture.create(json.dumps({"id": 9, "name": fixture.store}).encode()).status == 200
    messages = [
        fixture.message(LISTS[0]).adding("X-Request-Id", f"{fixture.store}-{number}")
        for number in range(20)
        for fixture in fixtures
    ]
    with Connection(service.origin) as connection:
        connection.send(*messages)
        for number in range(20):
            for fixture in fixtures:
                answer = connection.receive()
                assert answer.headers["x-request-id"] == f"{fixture.store}-{number}"
                assert fixture.store.encode() in answer.body


def test_a_traced_request_in_pieces_is_as_a_whole_one(service: Service) -> None:
    fixture = make_fixture(service)
    data = fixture.message(LISTS[0]).adding("X-Request-Id", "own").to_bytes()
    with Connection(service.origin) as connection:
        for _ in range(3):
            connection.send(data)
            whole = connection.receive()
        for cut in range(1, len(data), 7):
            connection.send(data[:cut])
            connection.send(data[cut:])
            answer = connection.receive()
            assert (answer.status, answer.body) == (200, whole.body)
            assert answer.headers["x-request-id"] == "own"
