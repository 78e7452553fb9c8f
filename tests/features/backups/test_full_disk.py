"""On a full disk, backups and restores fail and change nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.small_disk import SmallDisk, small_disk


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path) as disk:
        yield disk


def test_a_failed_backup_keeps_the_previous_backup(disk: SmallDisk) -> None:
    backup = disk.folder / "plants.backup"
    disk.program.out("backup", str(backup))
    files, content = set(disk.folder.iterdir()), backup.read_bytes()
    disk.leave(pages=4)
    message = disk.program.refusal("backup", str(backup))
    assert f"no backup was made to {backup}: " in message
    assert "full" in message
    disk.make_room()
    assert set(disk.folder.iterdir()) == files
    assert backup.read_bytes() == content


def test_a_failed_restore_changes_nothing(disk: SmallDisk) -> None:
    backup = disk.folder.parent / "plants.backup"
    disk.program.out("backup", str(backup))
    assert disk.service.stop() == 0
    content = (disk.folder / "plants.db").read_bytes()
    disk.leave(pages=4)
    files = set(disk.folder.iterdir())
    message = disk.program.refusal("restore", str(backup), "--yes")
    assert f"nothing was restored from {backup}: " in message
    assert "full" in message
    assert set(disk.folder.iterdir()) == files
    assert (disk.folder / "plants.db").read_bytes() == content
