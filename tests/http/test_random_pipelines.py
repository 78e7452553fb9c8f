"""Pipelined requests, split anywhere, get their responses in order; their sender has few turns."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random

import pytest

from tests.http.blocking import new_plant
from tests.http.fixtures import LISTS, StoreFixture, make_fixture
from tests.http.raw import Connection, Message
from tests.service import Service

Expected = tuple[str, int]  # a method, and the status of its response
CLIENTS, PIPELINES, FLOOD = 6, 20, 20


def chunked(message: Message, body: bytes, random: Random) -> bytes:
    """The message with this body in chunks, of a few bytes or of thousands."""
    longest = random.choice((3, 12, 500, 20_000))
    parts, position = [message.with_header("Transfer-Encoding", "chunked").head()], 0
    while position < len(body):
        part = body[position : position + random.randint(1, longest)]
        parts.append(b"%x\r\n%b\r\n" % (len(part), part))
        position += len(part)
    return b"".join((*parts, b"0\r\n\r\n"))


def make_request(fixture: StoreFixture, random: Random) -> tuple[bytes, Expected]:
    listing = fixture.message(LISTS[0])
    create = Message("POST", "/plants").with_token(fixture.token).with_body(new_plant())
    long = create.body.replace(b"{", b'{"x": "%b", ' % (random.randint(1, 50_000) * b"x"), 1)
    refused = create.replacing_header("Content-Type", "text/plain")
    tiny = random.randint(1, 2000) * b"x"
    return random.choice(
        (
            (listing.to_bytes(), ("GET", 200)),
            (listing.with_target("/nowhere").to_bytes(), ("GET", 404)),
            (Message("HEAD", "/livez").to_bytes(), ("HEAD", 200)),
            (create.to_bytes(), ("POST", 200)),
            (create.with_body(long).to_bytes(), ("POST", 200)),
            (chunked(create, create.body, random), ("POST", 200)),
            (chunked(refused, tiny, random), ("POST", 415)),
            (chunked(create.with_target("/nowhere"), tiny, random), ("POST", 404)),
            (create.with_body(70_000 * b"x").to_bytes(), ("POST", 413)),
        )
    )


def send_pipelines(fixture: StoreFixture, random: Random) -> None:
    for _ in range(PIPELINES):
        requests = [make_request(fixture, random) for _ in range(random.choice((1, 3, 10)))]
        data, longest = b"".join(sent for sent, _ in requests), random.choice((200, 9000, 10**6))
        with Connection(fixture.service.origin) as connection, ThreadPoolExecutor() as threads:

            def send(data: bytes = data, longest: int = longest) -> None:
                while data:
                    length = random.randint(1, longest)
                    connection.send(data[:length])
                    data = data[length:]
                connection.finish_sending()

            sending = threads.submit(send)
            for _, (method, status) in requests:
                assert connection.receive(method).status == status
            sending.result()
            assert connection.read_to_end() == b""


@contextmanager
def flood(fixture: StoreFixture) -> Iterator[None]:
    """Take the turns of the user, beside another one."""
    is_over = threading.Event()

    def send() -> None:
        other = make_fixture(fixture.service)
        short = fixture.message(LISTS[0]).with_target("/plants?limit=1").to_bytes()
        with Connection(fixture.service.origin) as connection:
            while not is_over.is_set():
                other.send(other.message(LISTS[0]))
                connection.send(FLOOD * short)
                assert {connection.receive().status for _ in range(FLOOD)} == {200}

    with ThreadPoolExecutor() as threads:
        sending = threads.submit(send)
        try:
            yield
        finally:
            is_over.set()
            sending.result()


@pytest.mark.parametrize("seed", range(3))
def test_random_requests_get_their_responses_in_order(service: Service, seed: int) -> None:
    fixture = make_fixture(service)
    with flood(fixture), ThreadPoolExecutor(CLIENTS) as threads:
        pipelines = [
            threads.submit(send_pipelines, fixture, Random(100 * seed + client))  # noqa: S311
            for client in range(CLIENTS)
        ]
        for pipeline in pipelines:
            pipeline.result()
