"""Lines wait for turns, at a cost that grows with their length."""

from pathlib import Path

import pytest

from plantstore.features.changes.routes import add_changes
from plantstore.server.messages import Stream
from tests.databases import create_sqlite
from tests.http.test_turns import application, make_tokens, request

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("body", "costs"), [(8 * b"{}\n", [12, 12, 12]), (2 * (5120 * b"x" + b"\n"), [22, 22, 12])]
)
async def test_turns_cost_by_the_length_of_the_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: bytes, costs: list[int]
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    taken: list[int] = []

    async def take(_: object, cost: int) -> None:
        taken.append(cost)

    async with application(url) as app:
        add_changes(app)
        monkeypatch.setattr(app.turns, "take", take)
        changes_request = request(0, "POST", token, b"/changes")
        changes_request.body = body
        changes_request.headers = {
            **changes_request.headers,
            b"content-type": b"application/x-ndjson",
        }
        response = await app.handle(changes_request)
        assert isinstance(response, Stream)
        assert [part async for part in response.parts]
        await response.close()
    assert taken == costs
