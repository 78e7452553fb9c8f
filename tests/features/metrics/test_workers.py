"""Several workers: their metrics are summed, and counters survive the death of a worker."""

from pathlib import Path

import pytest

from tests.faults.processes import kill, kill_all, worker_pids
from tests.features.metrics.scraping import Scrape, metered, scrape_until
from tests.service import Service


def send(service: Service, token: str, count: int) -> None:
    for _ in range(count):  # each on a connection of its own, to any worker
        with service.client(token) as client:
            assert client.get("/me").status_code == 200


def count_me(scrape: Scrape) -> float:
    return scrape.value("requests_total", operation="me")


def test_killed_workers_leave_their_counters_but_not_their_gauges(tmp_path: Path) -> None:
    with metered(tmp_path, workers=2) as service:
        token = service.make_token()
        send(service, token, 60)
        with service.client(token) as client:
            client.get("/me")
            before = scrape_until(
                service, lambda it: (it.value("connections"), it.value("workers")) == (1, 2)
            )
            assert count_me(before) == 61
            assert before.value("ready") == 1  # the minimum of both workers, not the sum
            for pid in worker_pids(service):
                kill(pid)
            scrape_until(
                service, lambda it: (it.value("connections"), it.value("workers")) == (0, 2)
            )
        scrape_until(service, lambda it: count_me(it) == 61)
        send(service, token, 10)
        scrape_until(service, lambda it: count_me(it) == 71)
        assert service.stop() == 0


def test_a_start_removes_files_of_a_killed_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = tmp_path / "runtime"
    folders.mkdir()
    (folders / "plantstore-metrics-anything").touch()
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(folders))
    service = metered(tmp_path, workers=2).start()
    (abandoned,) = (folder for folder in folders.iterdir() if folder.is_dir())
    kill_all(service)
    with service:
        (folder,) = (folder for folder in folders.iterdir() if folder.is_dir())
        assert folder != abandoned
    assert not any(folder.is_dir() for folder in folders.iterdir())
