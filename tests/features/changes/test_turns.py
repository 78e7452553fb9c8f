"""Lines take turns, long lines by their length."""

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
async def test_lines_are_paid_for_before_they_are_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: bytes, costs: list[int]
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    paid: list[int] = []

    async def take(_: object, cost: int) -> None:
        paid.append(cost)

    async with application(url) as app:
        add_changes(app)
        monkeypatch.setattr(app.turns, "take", take)
        sent = request(0, "POST", token, b"/changes")
        sent.body = body
        sent.headers = {**sent.headers, b"content-type": b"application/x-ndjson"}
        response = await app.handle(sent)
        assert isinstance(response, Stream)
        assert [part async for part in response.parts]
        await response.close()
    assert paid == costs
