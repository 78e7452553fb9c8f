"""``plantstore status`` and ``check``: backups, certificate, disk and expiring tokens."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from plantstore.core.clock import DAY_MS, now
from plantstore.features.status.facts import Facts, judge, read_certificate_end
from tests.certificates import make_certificate
from tests.cli.program import CREATE, Program

FINE = Facts(None, now(), now(), 0, now() + 90 * DAY_MS, disk_free=10**9, disk_size=10**12)


@pytest.fixture
def program(url: str, tmp_path: Path) -> Program:
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": url}).with_database()
    program.out(*CREATE, "--expires", "3d")
    return program


def test_status_shows_counts_size_and_problems(program: Program) -> None:
    status = program.data("status")
    assert (status["stores"], status["plants"], status["tokens_expiring"]) == (1, 0, 1)
    assert status["bytes"] > 10_000
    assert status["program"].startswith(("SQLite 3.", "PostgreSQL 1"))
    assert (status["backup_at"], status["problems"]) == (None, [])
    assert "tokens_expiring" in program.out("status")


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (replace(FINE, backup_at=now() - 3 * DAY_MS), "the last backup was recorded 3.0 days ago"),
        (
            replace(FINE, verified_at=now() - 9 * DAY_MS),
            "the last verified backup was recorded 9.0",
        ),
        (
            replace(FINE, created_at=now() - 3 * DAY_MS, backup_at=None, verified_at=None),
            "no backup was recorded: back up each night",
        ),
        (replace(FINE, certificate_ends_at=now() + 13 * DAY_MS), "the TLS certificate expires at"),
        (replace(FINE, certificate_ends_at=0), "the TLS certificate cannot be read: renew it"),
        (replace(FINE, disk_free=10**8), "the disk has 0.1 GB free: free some space"),
    ],
)
def test_each_problem_is_reported(facts: Facts, words: str) -> None:
    small_disk = replace(FINE, disk_free=10**8, disk_size=10**9)
    new = replace(FINE, created_at=now() - DAY_MS, backup_at=None, verified_at=None)
    (problem,) = [check for check in judge(facts) if not check.ok]
    assert problem.detail.startswith(words)
    assert all(check.ok for healthy in (FINE, small_disk, new) for check in judge(healthy))


def test_the_expiry_of_a_certificate_is_read_or_long_ago(tmp_path: Path) -> None:
    ends_at = read_certificate_end(str(make_certificate(tmp_path)))
    assert ends_at is not None
    assert abs(ends_at - now() - 2 * DAY_MS) < DAY_MS / 4
    (tmp_path / "other").write_text("no certificate")
    for name in ("other", "missing"):
        assert read_certificate_end(str(tmp_path / name)) == 0
    assert read_certificate_end(None) is None
