"""Lines wait for turns, at a cost that grows with their length."""

from pathlib import Path

import pytest

from plantstore.core.fair_queue import REFUSED, ROUTED, FairQueue
from plantstore.features.changes.routes import add_changes
from plantstore.http.lanes import Lane
from plantstore.server.messages import Stream
from tests.databases import create_sqlite
from tests.http.test_turns import application, make_tokens, request

pytestmark = pytest.mark.anyio

_DELETE = b'{"op":"delete","id":1}\n'


@pytest.mark.parametrize(
    ("form", "body", "costs"),
    [
        (b"application/x-ndjson", 8 * b"{}\n", [3, -10, 10]),
        (b"atomic", 8 * b"\n" + 4 * (b"\n" + _DELETE), [4, -5, -REFUSED]),
        (b"application/x-ndjson", 2 * b"\n{}\n{}\n{}\n{}\n", [3, -10, 10]),  # blank lines are free
        (b"application/x-ndjson", 2 * (5120 * b"x" + b"\n"), [*10 * [2], 2, -20, 20]),
        # The lines of a record that is still open are paid for before they are split
        (b"text/csv", b'id\n"' + 2044 * b"\n", [2 + 1021 // 8, 2 + 1024 // 8, -10, -13]),
    ],
)
async def test_turns_cost_by_the_length_of_the_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: bytes, body: bytes, costs: list[int]
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    taken: list[int] = []  # negative: without a wait

    async def take(_: object, cost: int) -> None:
        taken.append(cost)

    def charge(_: object, cost: int) -> None:
        taken.append(-cost)

    async with application(url) as app:
        add_changes(app)
        monkeypatch.setattr(app.turns, "take", take)
        monkeypatch.setattr(app.turns, "charge", charge)
        changes_request = request(0, "POST", token, b"/changes")
        changes_request.body = body
        changes_request.headers = {
            **changes_request.headers,
            b"content-type": b"application/x-ndjson" if form == b"atomic" else form,
        }
        changes_request.query = b"atomic=true" if form == b"atomic" else b""
        response = await app.handle(changes_request)
        if isinstance(response, Stream):
            assert [part async for part in response.parts]
            await response.close()
    assert taken == [-REFUSED, -ROUTED, *costs]  # the token is not known at first


async def test_the_lanes_of_long_atomic_bodies_in_all_workers_have_half_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[tuple[int, float, set[Lane]]]()

    def make_lane(turns: FairQueue, count: int, share: float, busy: set[Lane]) -> Lane:
        made.append((count, share, busy))
        return Lane(turns, count, share, busy=busy)

    monkeypatch.setattr("plantstore.features.changes.routes.Lane", make_lane)
    async with application(create_sqlite(tmp_path), workers=2) as app:
        add_changes(app)
    (long, longest) = made
    assert long == longest == (2, 1 / 2, set())
    assert long[2] is longest[2]
