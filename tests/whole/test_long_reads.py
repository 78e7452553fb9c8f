"""Reads of administration run one at a time, even if nobody else uses the service.

Others may use the database by another service.
"""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from plantstore.bootstrap import create_app
from plantstore.core.database import Row
from plantstore.core.model import Grant, Scope
from plantstore.core.settings import Settings
from plantstore.server.messages import Request
from tests.administration import open_administration
from tests.databases import create_sqlite

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("name", "path"), [("list_members", b"/members"), ("find_token_info", b"/me")]
)
async def test_a_store_has_one_query_of_administration_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, path: bytes
) -> None:
    url = create_sqlite(tmp_path)
    with closing(open_administration(url)) as administration:
        grant = Grant("ada", store="nursery", scopes=frozenset(Scope))
        token = administration.create_token(grant).secret
    app = await create_app(Settings(database=url), 0.0, 0)
    read, running, most = app.database.read, 0, 0

    async def read_slowly(its_name: str, *arguments: object) -> Sequence[Row]:
        nonlocal running, most
        running += its_name == name
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= its_name == name
        return await read(its_name, *arguments)

    monkeypatch.setattr(app.database, "read", read_slowly)
    headers = {b"authorization": f"Bearer {token}".encode()}
    requests = [Request(b"%d" % number, "GET", headers, path) for number in range(5)]
    responses = await asyncio.gather(*map(app.handle, requests))
    await app.close()
    assert ([response.status for response in responses], most) == ([200] * 5, 1)
