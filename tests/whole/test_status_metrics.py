"""The values of ``plantstore status`` are also metrics."""

import time
from pathlib import Path

from tests.cli.program import CREATE, Program
from tests.features.metrics.scraping import metered, scrape_until


def test_recorded_backups_and_expiring_tokens_are_metrics(url: str, tmp_path: Path) -> None:
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": url}).with_database()
    program.out(*CREATE, "--expires", "3d")
    program.out("backup", "--verify", "--record")
    with metered(tmp_path, database=url) as service:
        scrape = scrape_until(service, lambda it: it.value("tokens_expiring") == 1)
    for name in ("backup_timestamp_seconds", "verified_backup_timestamp_seconds"):
        assert abs(scrape.value(name) - time.time()) < 3600
    assert scrape.value("certificate_expiry_timestamp_seconds") == float("inf")
    assert (scrape.value("disk_free_bytes") > 0) is url.startswith("sqlite")
