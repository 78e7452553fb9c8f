"""Every connection has the settings that durability and speed rest on."""

from contextlib import closing
from pathlib import Path

from plantstore.sqlite.connection import connect, migrate

SETTINGS = {
    "encoding": "UTF-8",  # text is kept as UTF-8
    "busy_timeout": 5000,
    "checkpoint_fullfsync": 1,
    "foreign_keys": 1,
    "fullfsync": 1,
    "journal_mode": "wal",
    "journal_size_limit": 64 * 2**20,
    "synchronous": 2,
}


def test_a_connection_has_its_settings(tmp_path: Path) -> None:
    migrate(tmp_path / "plants.db")
    with closing(connect(tmp_path / "plants.db")) as connection:
        assert {name: connection.execute(f"PRAGMA {name}").get for name in SETTINGS} == SETTINGS
