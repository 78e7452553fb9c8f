"""A session of administration while its file is replaced."""

from pathlib import Path

import apsw
import pytest

from plantstore.core.errors import SetupError
from plantstore.databases import find_open_session
from plantstore.sqlite import session
from plantstore.sqlite.connection import database_path, migrate, open_file
from tests.databases import create_sqlite


def test_a_file_that_is_replaced_while_a_session_opens_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the session would go on to change the file that was moved away."""
    url = create_sqlite(tmp_path)
    path = database_path(url)
    migrate(path)
    open_session = find_open_session(url)

    def open_and_replace(path: Path) -> apsw.Connection:
        connection = open_file(path)
        path.rename(tmp_path / "away.db")
        create_sqlite(tmp_path)
        return connection

    monkeypatch.setattr(session, "open_file", open_and_replace)
    with pytest.raises(SetupError, match="was replaced or removed"):
        open_session()
