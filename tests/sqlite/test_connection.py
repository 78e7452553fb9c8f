"""Every connection has the settings that durability and speed rest on."""

from contextlib import closing
from pathlib import Path

import pytest

from plantstore.sqlite.connection import connect, prepare

SETTINGS = {
    "busy_timeout": 5000,
    "checkpoint_fullfsync": 1,
    "foreign_keys": 1,
    "fullfsync": 1,
    "journal_mode": "wal",
    "journal_size_limit": 64 * 2**20,
    "synchronous": 2,
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_connection_has_its_settings(tmp_path: Path, name: str) -> None:
    prepare(tmp_path / "plants.db")
    with closing(connect(tmp_path / "plants.db")) as connection:
        assert connection.execute(f"PRAGMA {name}").get == SETTINGS[name]


def test_text_is_kept_as_utf_8(tmp_path: Path) -> None:
    prepare(tmp_path / "plants.db")
    with closing(connect(tmp_path / "plants.db")) as connection:
        assert connection.execute("PRAGMA encoding").get == "UTF-8"
