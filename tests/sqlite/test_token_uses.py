"""Notes of last use disturb the cached callers at most when there is news."""

from contextlib import closing
from pathlib import Path

import pytest

from plantstore.core.clock import now
from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.model import Grant
from plantstore.core.settings import Settings
from plantstore.core.tokens import hash_token
from plantstore.databases import open_database
from tests.administration import open_administration
from tests.databases import create_sqlite, writes_held
from tests.waiting import wait_until

pytestmark = pytest.mark.anyio


async def test_nothing_is_committed_without_news(tmp_path: Path) -> None:
    url = create_sqlite(tmp_path)
    with closing(open_administration(url)) as administration:
        secret = administration.create_token(Grant(subject="ada", store="nursery")).secret
    database = await open_database(Settings(database=url, write_timeout=0.01))
    key = (1, hash_token(secret), None)
    caller = await database.find_caller(*key)
    await database.write_token_uses()
    assert caller is not None
    assert not caller.unchanged()
    written = now()
    wait_until(lambda: now() > written)  # a use at the very same time would be no change
    caller = await database.find_caller(*key)
    assert caller is not None
    with writes_held(url), pytest.raises(DatabaseUnavailableError):
        await database.write_token_uses()
    assert caller.unchanged()
    await database.write_token_uses()  # what could not be written was kept
    assert not caller.unchanged()
    unchanged = database.data_version.read()  # type: ignore[attr-defined]  # of SQLite
    await database.write_token_uses()
    assert unchanged()
    await database.close()
