"""Several workers: their numbers are added up, and a worker's death takes nothing away."""

import threading
from pathlib import Path
from socket import SHUT_RDWR

from plantstore.metrics.numbers import Numbers
from plantstore.metrics.reports import Reporter, Totals, open_channel
from tests.faults.processes import kill, worker_pids
from tests.metrics.scraping import Scrape, metered, scrape, scrape_until
from tests.service import Service


def send(service: Service, token: str, count: int) -> None:
    for _ in range(count):  # each on a connection of its own, to any worker
        with service.client(token) as client:
            assert client.get("/me").status_code == 200


def count_me(found: Scrape) -> float:
    return found.value("requests_total", operation="me")


def test_killed_workers_leave_their_counters_and_take_their_gauges(tmp_path: Path) -> None:
    with metered(tmp_path, workers=2) as service:
        token = service.make_token()
        send(service, token, 60)
        with service.client(token) as client:
            client.get("/me")
            before = scrape_until(
                service, lambda it: (count_me(it), it.value("workers")) == (61, 2)
            )
            assert before.value("ready") == 1  # the least of both, not their sum
            assert before.value("connections") == 1
            for pid in worker_pids(service):
                kill(pid)
            scrape_until(
                service, lambda it: (it.value("connections"), it.value("workers")) == (0, 2)
            )
        assert count_me(scrape(service)) == 61
        send(service, token, 10)
        scrape_until(service, lambda it: count_me(it) == 71)
        assert service.stop() == 0


def test_reports_that_do_not_fit_are_in_the_next_one() -> None:
    receiving, sending = open_channel()
    counted: Numbers = {("requests_total",): [0], ("request_duration_seconds",): [0, 0, 0.0]}

    def count() -> Numbers:
        return {key: list(numbers) for key, numbers in counted.items()}

    with receiving, sending:
        reporter, totals = Reporter(sending, count, dict), Totals()
        for number in range(2000):  # more than the channel takes
            counted["requests_total",] = [number]
            counted["request_duration_seconds",] = [number, 1, number / 8]
            reporter.report()
        receiver = threading.Thread(target=totals.receive, args=[receiving])
        receiver.start()
        while totals.counted != counted:
            reporter.report()
        receiving.shutdown(SHUT_RDWR)
        receiver.join()
    assert totals.counted == counted
