"""Fixtures: a database in a file, and a connection of one's own to it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from plantstore.core.model import Grant
from plantstore.sqlite.connection import connect
from tests.administration import open_administration
from tests.databases import create_sqlite
from tests.sqlite.writes import TOKEN_HASH


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database with the stores 1 and 2, both ada's."""
    url = create_sqlite(tmp_path)
    with closing(open_administration(url)) as administration:
        for store in ("nursery", "orchard"):
            administration.create_token(Grant(subject="ada", store=store))
    with closing(connect(tmp_path / "plants.db")) as opened:
        opened.execute(
            "UPDATE tokens SET token_hash = ?, all_stores = 1 WHERE store_id = 1", (TOKEN_HASH,)
        )
    return url


@pytest.fixture
def connection(url: str) -> Iterator[apsw.Connection]:
    with closing(connect(Path(url.removeprefix("sqlite:///")))) as opened:
        yield opened
