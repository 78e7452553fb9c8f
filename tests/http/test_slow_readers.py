"""A client that takes its answers slowly gets each byte of them, or is given up in its time."""

from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import pytest

from tests.http.blocking import FILLER, count_connections, fill_store, wait_until
from tests.http.fixtures import LISTS, make_fixture
from tests.http.raw import ALIVE, Connection, Message, Response
from tests.service import Service

SMALL = 4096  # bytes that the client's side holds


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service of this module's own."""
    with Service(tmp_path_factory.mktemp("slow")) as running:
        yield running


@pytest.fixture(scope="module")
def listing(service: Service) -> Message:
    """A list of 3000 plants with names of 100 characters, 400 bytes each."""
    return long_list(service, 3000)


def long_list(service: Service, count: int) -> Message:
    fixture = make_fixture(service)
    fill_store(service, fixture.store, count, size=100, filler=FILLER)
    return fixture.message(LISTS[0])


def described(answer: Response) -> tuple[int, dict[str, str], bytes]:
    """The whole answer but for what differs in any two."""
    own = ("date", "x-request-id")
    headers = {name: value for name, value in answer.headers.items() if name not in own}
    return answer.status, headers, answer.body


def test_whole_answers_that_wait_for_their_client_come_whole(
    service: Service, listing: Message
) -> None:
    targets = [f"/plants?limit={count}" for count in (1000, 999, 998)]
    messages = [listing.aimed_at(target) for target in targets]
    with Connection(service.origin) as quick:
        expected = [described(quick.ask(message)) for message in messages]
    assert [len(body) > 390_000 for _, _, body in expected] == [True] * 3
    asked = list(islice(cycle(messages), 30))  # 12 MB: more than sockets hold
    with Connection(service.origin, receive_buffer=SMALL) as slow:
        slow.send(*asked)
        for number in range(len(asked)):
            assert described(slow.receive()) == expected[number % 3]
        assert slow.ask(Message("GET", "/livez")).json == ALIVE


def test_a_whole_answer_may_be_taken_in_small_pieces(service: Service, listing: Message) -> None:
    message = listing.aimed_at("/plants?limit=1000").adding("Connection", "close")
    with Connection(service.origin) as quick:
        expected = quick.ask(message)
    with Connection(service.origin, receive_buffer=1024) as slow:
        slow.send(message)
        received = b"".join(iter(lambda: slow.read_some(1000), b""))
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert body == expected.body


def test_streamed_lists_that_wait_for_their_client_come_whole(
    service: Service, listing: Message
) -> None:
    with Connection(service.origin) as quick:
        expected = described(quick.ask(listing))
    assert expected[1]["transfer-encoding"] == "chunked"
    assert len(expected[2]) > 1_200_000
    with Connection(service.origin, receive_buffer=SMALL) as slow:
        slow.send(*[listing] * 5)
        for _ in range(5):
            assert described(slow.receive()) == expected
        assert slow.ask(Message("GET", "/livez")).json == ALIVE


def test_a_list_has_its_time_however_steadily_it_is_taken(tmp_path: Path) -> None:
    settings = {"stream_timeout": 0.5, "body_timeout": 60, "max_streams": 1}
    received: list[bytes] = []
    with Service(tmp_path, settings=settings) as own:
        listing = long_list(own, 20_000)
        other_list = Message("HEAD", listing.target, listing.headers)
        with Connection(own.origin) as other, Connection(own.origin, receive_buffer=SMALL) as slow:
            slow.send(listing)

            def has_ended() -> bool:
                received.append(slow.read_some(1000))
                return other.ask(other_list).status == 200

            wait_until(has_ended, pause=0)
            received.append(slow.read_to_end())  # what was on its way
    # It ends without its end, so that nobody takes it for the whole list.
    assert not received[-1].endswith(b"\r\n0\r\n\r\n")
    assert 0 < sum(map(len, received)) < 8_000_000


def test_an_answer_taken_byte_by_byte_gains_no_time(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"body_timeout": 0.5}) as own:
        listing = long_list(own, 1000)
        with Connection(own.origin, receive_buffer=1024) as slow:
            slow.send(*[listing] * 30)

            def has_gone() -> bool:
                assert slow.read_some(1)
                return count_connections(own) == 0

            wait_until(has_gone)


def test_an_answer_that_is_taken_steadily_comes_whole(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"body_timeout": 0.5}) as own:
        listing = long_list(own, 1000).adding("Connection", "close")
        with Connection(own.origin) as quick:
            expected = quick.ask(listing).body
        received: list[bytes] = []
        with Connection(own.origin, receive_buffer=SMALL) as slow:
            slow.send(listing)

            def has_ended() -> bool:  # 400 KB by 4 KB each 20 ms
                received.append(slow.read_some(4000))
                return not received[-1]

            wait_until(has_ended)
        assert b"".join(received).endswith(expected)
