"""Long lists of tags are written in pieces, each paid for before it is written."""

from pathlib import Path

import pytest

from plantstore.features.tags.routes import add_tags
from plantstore.http.responses import encode
from plantstore.server.messages import Response
from tests.databases import create_sqlite
from tests.http.test_turns import application, make_tokens, request

pytestmark = pytest.mark.anyio


async def test_pieces_are_paid_for_before_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = create_sqlite(tmp_path)
    token, _ = make_tokens(url)
    events: list[int | str] = []

    async def take(_: object, cost: int) -> None:
        events.append(cost)

    def write(tags: list[object]) -> bytes:
        events.append(f"{len(tags)} tags")
        return encode(tags)

    async with application(url) as app:
        add_tags(app)
        for number in range(131):
            create = request(0, "POST", token, b"/plants")
            create.body = b'{"id": %d, "name": "Fern", "tag": "%03d"}' % (number, number)
            await app.handle(create)
        monkeypatch.setattr(app.turns, "take", take)
        monkeypatch.setattr("plantstore.features.tags.routes.encode", write)
        listing = request(0, "GET", token, b"/tags")
        listing.query = b"limit=130"
        response = await app.handle(listing)
    assert events == [25, "100 tags", 7, "30 tags"]
    assert isinstance(response, Response)
    assert response.body.count(b'"count":1') == 130
