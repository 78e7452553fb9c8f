"""Clients that race see the store as if they had come one after the other."""

import asyncio
import json
from collections import Counter

import pytest

from tests.faults.racing import assert_lists, assert_order, race
from tests.service import Service

RACERS = 200


@pytest.fixture
def anyio_backend() -> str:
    """The event loop of asynchronous tests."""
    return "asyncio"


async def post_at_once(
    service: Service, token: str, bodies: list[dict[str, object]]
) -> list[tuple[int, dict[str, object]]]:
    """Send each body over a connection of its own, all in one moment; statuses and answers."""
    host, port = service.origin.removeprefix("http://").split(":")
    connections = [await asyncio.open_connection(host, int(port)) for _ in bodies]
    for (_, writer), body in zip(connections, bodies, strict=True):
        content = json.dumps(body)
        head = f"POST /plants HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n{content}".encode())
    answers = []
    for reader, writer in connections:
        head_read, _, content_read = (await reader.read()).partition(b"\r\n\r\n")
        answers.append((int(head_read.split()[1]), json.loads(content_read)))
        writer.close()
        await writer.wait_closed()
    return answers


@pytest.mark.anyio
@pytest.mark.parametrize("alike", [False, True])
async def test_of_many_concurrent_creates_of_one_id_one_succeeds(
    service: Service, store: str, token: str, *, alike: bool
) -> None:
    bodies: list[dict[str, object]] = [
        {"id": 1, "name": "Ficus" if alike else f"Plant {n}"} for n in range(RACERS)
    ]
    answers = await post_at_once(service, token, bodies)
    errors = Counter(answer.get("error") for _, answer in answers)
    assert errors == {None: 1, 40004 if alike else 40003: RACERS - 1}
    (winner,) = (answer for status, answer in answers if status == 200)
    with service.client(token) as client:
        assert client.get("/plants").json() == [winner]
    assert len(service.events(store)) == 1


@pytest.mark.anyio
async def test_what_racing_clients_see_has_an_order_that_explains_it(
    service: Service, store: str, token: str
) -> None:
    seen = await race(token, service)
    events = service.events(store)
    assert sum(map(len, seen.operations.values())) > 400
    assert_order(seen, events)
    assert_lists(seen, events)
    wrong = [(revision + 1, body, sent, got) for revision, body, sent, got in seen.lists[:-1]]
    seen.lists = wrong + seen.lists[-1:]
    with pytest.raises(AssertionError):
        assert_lists(seen, events)
