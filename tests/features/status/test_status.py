"""``plantstore status`` and ``check``: backups, certificate, disk and tokens that expire."""

import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from plantstore.core.clock import now
from plantstore.features.status.facts import DAY_MS, Facts, judge, read_certificate_end
from tests.certificates import make_certificate
from tests.cli.program import CREATE, Program
from tests.databases import execute

FINE = Facts(now(), now(), 0, now() + 90 * DAY_MS, disk_free=10**9, disk_size=10**12)


@pytest.fixture
def program(url: str, tmp_path: Path) -> Program:
    """The program, with a store and a token that expires soon."""
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": url}).with_database()
    program.out(*CREATE, "--expires", "3d")
    return program


def checks(program: Program) -> dict[str, Any]:
    return {one["name"]: one["detail"] for one in program.data("check")["checks"]}


def test_one_screen_shows_it(program: Program) -> None:
    found = program.data("status")
    assert (found["stores"], found["plants"], found["tokens_expiring"]) == (1, 0, 1)
    assert found["bytes"] > 10_000
    assert found["program"].startswith(("SQLite 3.", "PostgreSQL 1"))
    assert (found["backup_at"], found["problems"]) == (None, [])
    assert "tokens_expiring" in program.out("status")


def test_a_recorded_backup_is_seen(program: Program, tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    is_file = program.database.startswith("sqlite")
    target = ("backups",) if is_file else ()
    assert checks(program)["backup"].startswith("no backup was recorded")
    program.out("backup", *target, "--record")
    assert program.data("status")["verified_backup_at"] is None
    program.out("backup", *target, "--verify", "--record")
    assert len(list((tmp_path / "backups").iterdir())) == 2 * is_file
    found = program.data("status")
    for name in ("backup_at", "verified_backup_at"):
        assert abs(datetime.fromisoformat(found[name]).timestamp() - time.time()) < DAY_MS / 1000
    assert checks(program)["verified backup"].endswith(" was recorded 0.0 days ago")


def test_a_backup_that_is_not_as_it_should_be_is_not_recorded(tmp_path: Path) -> None:
    program = Program(tmp_path).with_database()
    program.make_store("nursery")
    execute(program.database, "UPDATE revisions SET plants = 7")
    assert "is inconsistent" in program.refusal("backup", "x.backup", "--verify", "--record")
    assert program.data("status")["backup_at"] is None


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (replace(FINE, backup_at=now() - 3 * DAY_MS), "the last backup was recorded 3.0 days ago"),
        (
            replace(FINE, verified_at=now() - 9 * DAY_MS),
            "the last verified backup was recorded 9.0",
        ),
        (replace(FINE, certificate_ends_at=now() + 13 * DAY_MS), "the TLS certificate expires at"),
        (replace(FINE, disk_free=10**8), "the disk has 0.1 GB free: free some space"),
    ],
)
def test_what_is_about_to_go_wrong_is_named(facts: Facts, words: str) -> None:
    small_disk = replace(FINE, disk_free=10**8, disk_size=10**9)
    (wrong,) = [one for one in judge(facts) if not one.ok]
    assert wrong.detail.startswith(words)
    assert all(one.ok for fine in (FINE, small_disk) for one in judge(fine))


def test_a_certificates_end_is_read(tmp_path: Path) -> None:
    ends_at = read_certificate_end(str(make_certificate(tmp_path)))
    assert ends_at is not None
    assert abs(ends_at - now() - 2 * DAY_MS) < DAY_MS / 4
    (tmp_path / "other").write_text("no certificate")
    assert read_certificate_end(str(tmp_path / "other")) is None
