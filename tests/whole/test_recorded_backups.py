"""Recorded backups are shown by ``check`` and ``status``; a copied or restored one is free."""

import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Program
from tests.databases import ON_BOTH, SQLITE_ONLY, execute

DAY = 24 * 3600


@pytest.fixture
def program(url: str, tmp_path: Path) -> Program:
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": url}).with_database()
    program.make_store("nursery")
    return program


def checks(program: Program) -> dict[str, Any]:
    return {check["name"]: check["detail"] for check in program.data("check")["checks"]}


@ON_BOTH
def test_check_and_status_show_recorded_backups(program: Program, tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    is_file = program.database.startswith("sqlite")
    target = ("backups",) if is_file else ()
    assert checks(program)["backup"].startswith("no backup was recorded")
    program.out("backup", *target, "--record")
    assert program.data("status")["verified_backup_at"] is None
    program.out("backup", *target, "--verify", "--record")
    assert len(list((tmp_path / "backups").iterdir())) == 2 * is_file
    status = program.data("status")
    for name in ("backup_at", "verified_backup_at"):
        assert abs(datetime.fromisoformat(status[name]).timestamp() - time.time()) < DAY
    assert checks(program)["verified backup"].endswith(" was recorded 0.0 days ago")


def test_an_inconsistent_backup_is_not_recorded(tmp_path: Path) -> None:
    program = Program(tmp_path).with_database()
    program.make_store("nursery")
    execute(program.database, "UPDATE revisions SET plants = 7")
    assert "is inconsistent" in program.refusal("backup", "x.backup", "--verify", "--record")
    assert program.data("status")["backup_at"] is None


@SQLITE_ONLY
def test_a_backup_can_be_replaced_after_a_copy_or_restore_from_it(program: Program) -> None:
    program.out("backup", "backup.db")
    program.out("copy", "--from", "sqlite:///backup.db", "--to", "sqlite:///copy.db")
    restore = ("restore", "sqlite:///backup.db", "--store", "nursery", "--yes")
    program.out(*restore)
    assert not (program.folder / "backup.db-lock").exists()
    program.out("backup", "backup.db")
