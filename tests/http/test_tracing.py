"""Tracing headers are not part of the key under which a known head is looked up."""

import json
from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plantstore.core.errors import RequestError
from plantstore.server.heads import (
    MAX_HEAD,
    MAX_KNOWN_HEAD,
    Head,
    HeadParser,
    KnownLines,
    _read_first_line,
)
from plantstore.server.tracing import (
    IDEMPOTENCY_KEY,
    MAX_HEADERS,
    MAX_LINES,
    NAMES,
    TracingLines,
    read_line,
)
from tests.http.expect import expect_error
from tests.http.fixtures import LISTS, StoreFixture, make_fixture
from tests.http.raw import Connection
from tests.service import Service

END = b"\r\n\r\n"
KNOWN = (
    b"GET /plants?limit=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x" + END,
    b"POST /plants HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 31"
    + END,
    b"GET /plants HTTP/1.1\r\nHost: a" + END,
    b"GET /plants HTTP/1.0\r\nHost: a" + END,
)
TRACES = (
    *(b"traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", b"TraceParent: x"),
    *(b"X-Request-Id: own", b"x-request-id:\town \t", b"X-REQUEST-ID: a b", b"X-Request-Id:"),
    *(b"X-Forwarded-For: 192.0.2.1, 10.0.0.1", b"x-forwarded-for: \xe4", b"X-Real-IP: 192.0.2.1"),
    *(b"CF-Ray: 1", b"X-B3-TraceId: 1", b"X-Request-Id : own", b" X-Request-Id: own"),
    *(b"Idempotency-Key: k-1", b"idempotency-KEY:\tk 2\xe4 ", b"Idempotency-Key:"),
    *(b"X-FORWARDED-FOR: 192.0.2.2", b"TRACEparent: 2", b"x-REQUEST-id: own"),
    b"\r\n".join([b"X-Request-Id: a b", *[b"baggage: a"] * 40]),
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
    """The head with other bytes in some places, mostly at its line ends."""
    for at, length, inserted in edits:
        ends = [n for n in range(len(head)) if head.startswith(b"\r\n", n)]
        place = ends[at % len(ends)] if ends and length < 3 else at
        head = head[:place] + inserted + head[place + (length if length == 3 else 0) :]
    return head


def read(head: bytes) -> Head:
    parsed = HeadParser().feed(head)
    assert parsed is not None
    return parsed


@pytest.fixture(scope="module")
def known_lines() -> KnownLines:
    lines = KnownLines()
    for head in KNOWN:
        lines.put(head, read(head))
    return lines


def expect_as_parsed(looked_up: Head, data: bytes) -> None:
    """Check that a looked-up head equals the parsed one."""
    (request, fields, size), (parsed, parsed_fields, parsed_size) = looked_up, read(data)
    first = parsed.method, parsed.path, parsed.query
    assert (request.method, request.path, request.query) == first
    assert (size, request.id) == (parsed_size, parsed.id)
    traces = {name: parsed.headers.get(name, b"") for name in NAMES}
    headers = {name: value for name, value in parsed.headers.items() if name not in NAMES}
    key = parsed.headers.get(IDEMPOTENCY_KEY)
    assert request.headers == (headers if key is None else headers | {IDEMPOTENCY_KEY: key})
    assert {name: read_line(request.lines, name) for name in NAMES} == traces
    assert fields.length == parsed_fields.length
    assert not parsed_fields.is_chunked


@settings(max_examples=1000, derandomize=True)
@given(st.sampled_from(KNOWN), EDITS)
def test_a_looked_up_head_equals_the_parsed_head(
    known_lines: KnownLines, known: bytes, edits: list[tuple[int, int, bytes]]
) -> None:
    data, tracing = edit(known, edits), TracingLines()
    # The last head of the connection.
    tracing.leave_out(edit(known, edits[:1])[known.find(b"\r\n") :])
    looked_up = known_lines.find(data, tracing)
    if looked_up is None:  # it may be known the next time
        lines = KnownLines()
        with suppress(RequestError):
            parsed = HeadParser().feed(data)
            if parsed is not None:
                lines.put(data, parsed)
        looked_up = lines.find(data, tracing)
    if looked_up is not None:
        expect_as_parsed(looked_up, data)


@pytest.mark.parametrize("template", [b"%s%s", b"%s\r\nHost: a%s", b"\r\nHost: a%s%s"])
def test_tracing_lines_in_the_last_positions_are_read_like_the_parser(template: bytes) -> None:
    template = b"GET / HTTP/1.1" + template + b"\r\nHost: b" * (b"Host" not in template) + END
    lines, count = KnownLines(), 0
    plain = template % (b"", b"")
    lines.put(plain, read(plain))
    for traces in product(TRACES, TRACES):
        tracing = TracingLines()
        lines.find(template % (b"\r\nB3: 1", b"\r\nX-Request-Id: a"), tracing)
        data = template % tuple(b"\r\n" + trace for trace in traces)
        looked_up = lines.find(data, tracing)
        if looked_up is not None:
            expect_as_parsed(looked_up, data)
            count += 1
    assert count > 100


@pytest.mark.parametrize("value", [b"own ", b"x" * 128])
def test_a_tracing_line_inside_another_line_joins_no_lines(
    known_lines: KnownLines, value: bytes
) -> None:
    count = 0
    for head in KNOWN:
        tracing = TracingLines()
        for at in range(len(head)):
            data = head[:at] + b"\r\nX-Request-Id: " + value + head[at:]
            looked_up = known_lines.find(data, tracing)
            if looked_up is not None:
                expect_as_parsed(looked_up, data)
                count += 1
    assert count > 10


def test_a_head_with_tracing_lines_is_looked_up() -> None:
    lines = KnownLines()
    traced = KNOWN[0].replace(END, b"\r\nX-Request-Id: a\r\ncf-ray: 1" + END)
    tracing = TracingLines()
    assert lines.find(traced, tracing) is None
    lines.put(traced, read(traced))
    for trace, own_id in ((b"X-Request-ID: b", b"b"), (b"traceparent: 1\r\nbaggage: ", b"")):
        data = KNOWN[0].replace(b"\r\nAuth", b"\r\n" + trace + b"\r\nAuth")
        looked_up = lines.find(data, tracing)
        assert looked_up is not None
        assert (looked_up[0].id, looked_up[0].raw) == (own_id, KNOWN[0])


def test_a_head_with_too_many_lines_is_not_looked_up() -> None:
    lines = KnownLines()
    for padding in (0, 70, 90):
        head = KNOWN[2].replace(END, b"\r\nX-Pad: 1" * padding + END)
        lines.put(head, read(head))
        tracing = TracingLines()
        for count in (MAX_LINES - 1, MAX_LINES, 200):
            for before in (0, 1, count // 2):
                first, last = b"\r\nX-Real-Ip: 1" * before, b"\r\nB3: 1" * (count - before)
                traced = head.replace(b"\r\nHost", first + b"\r\nHost").replace(END, last + END)
                looked_up = lines.find(traced, tracing)
                assert (looked_up is None) == (padding == 90 or count >= MAX_LINES)


def test_a_long_head_is_not_looked_up() -> None:
    """To leave out its lines takes longer than the price of a look-up."""
    lines, known = KnownLines(), KNOWN[0].removesuffix(END)
    lines.put(KNOWN[0], read(KNOWN[0]))
    for size, is_known in ((MAX_KNOWN_HEAD, True), (MAX_KNOWN_HEAD + 1, False)):
        traced = (known + b"\r\nbaggage: ").ljust(size - len(END), b"x") + END
        assert (lines.find(traced, TracingLines()) is not None) == is_known


def test_what_has_no_end_is_not_kept() -> None:
    kept = _read_first_line.cache_info().currsize
    assert KnownLines().find(b"GET /" + 10**5 * b"x", TracingLines()) is None
    assert _read_first_line.cache_info().currsize == kept


def test_a_head_that_is_used_stays_known_beside_many_others() -> None:
    lines, tracing, used, idle = KnownLines(), TracingLines(), *KNOWN[:2]
    for head in (used, idle):
        lines.put(head, read(head))
    for number in range(2000):
        other = KNOWN[0].replace(END, b"\r\nX-%d: %s" % (number, 1000 * b"x") + END)
        lines.put(other, read(other))
        assert number % 10 or lines.find(used, tracing)
    assert lines.find(idle, tracing) is None


@pytest.mark.parametrize("excess", range(3))
def test_a_known_head_that_is_too_long_is_refused(fixture: StoreFixture, excess: int) -> None:
    listing = fixture.message(LISTS[0])
    padding = MAX_HEAD - len(listing.with_header("X-Forwarded-For", "").to_bytes())
    with Connection(fixture.service.origin) as connection:
        for _ in range(3):
            connection.request(listing)
        response = connection.request(
            listing.with_header("X-Forwarded-For", "1" * (padding + excess))
        )
    if excess:
        expect_error(response, 43101)
    else:
        assert response.status == 200


def test_a_line_after_a_head_begins_the_next_request(fixture: StoreFixture) -> None:
    listing = fixture.message(LISTS[0])
    with Connection(fixture.service.origin) as connection:
        for _ in range(3):
            connection.request(listing)
        connection.send(listing.to_bytes() + b"X-Real-Ip: 1\r\n")
        assert connection.receive().status == 200
        expect_error(connection.receive(), 40011)


def test_a_cached_list_with_a_body_waits_for_the_body(fixture: StoreFixture) -> None:
    listing = fixture.message(LISTS[0]).with_body(b"{}")
    with Connection(fixture.service.origin) as connection:
        for _ in range(3):
            assert connection.request(listing).status == 200
        connection.send(listing.head())
        fixture.send(listing)  # gives the head time to arrive
        connection.send(listing.body + listing.to_bytes())
        assert [connection.receive().status for _ in range(2)] == [200, 200]


def test_a_cached_list_with_connection_close_closes_the_connection(fixture: StoreFixture) -> None:
    listing = fixture.message(LISTS[0]).with_header("Connection", "close")
    for _ in range(4):
        with Connection(fixture.service.origin) as connection:
            assert connection.request(listing).headers["connection"] == "close"


def test_pipelined_requests_of_two_stores_get_their_own_responses(service: Service) -> None:
    """They differ only in their ids and tokens."""
    fixtures = [make_fixture(service) for _ in range(2)]
    for fixture in fixtures:
        assert fixture.create(json.dumps({"id": 9, "name": fixture.store}).encode()).status == 200
    messages = [
        fixture.message(LISTS[0]).with_header("X-Request-Id", f"{fixture.store}-{number}")
        for number in range(20)
        for fixture in fixtures
    ]
    with Connection(service.origin) as connection:
        connection.send(*messages)
        for number in range(20):
            for fixture in fixtures:
                response = connection.receive()
                assert response.headers["x-request-id"] == f"{fixture.store}-{number}"
                assert fixture.store.encode() in response.body


def test_of_very_many_lines_only_as_many_are_read_as_are_allowed() -> None:
    head = b"GET / HTTP/1.1" + 2000 * b"\r\nB3: x" + END
    tracing, parser = TracingLines(), HeadParser()
    assert tracing.leave_out(head) == (b"", b"", None)
    assert not tracing.is_expected
    with pytest.raises(RequestError):
        parser.feed(head)
    assert parser.headers[b"b3"].count(b"x") <= MAX_HEADERS + 1


def test_empty_lines_before_a_head_are_parsed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed, parse = list[bytes](), HeadParser._parse  # noqa: SLF001 - to count its calls

    def parse_and_record(parser: HeadParser, data: bytes) -> None:
        parsed.append(data)
        parse(parser, data)

    monkeypatch.setattr(HeadParser, "_parse", parse_and_record)
    lines = 4000 * b"\r\n"
    parser = HeadParser()
    assert parser.feed(lines) is None
    assert parser.feed(KNOWN[0]) is not None
    assert parsed == [lines, KNOWN[0]]
