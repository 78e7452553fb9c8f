"""Counters of requests, batches and the cache, and gauges of what is in flight."""

import threading
from pathlib import Path
from uuid import uuid4

from tests.databases import SQLITE_ONLY, Kind, writes_held
from tests.features.metrics.scraping import Scrape, metered, scrape_until
from tests.service import Service


def count_requests(
    before: Scrape, after: Scrape, operation: str, status: int, error: str = ""
) -> float:
    labels = {"operation": operation, "status": str(status), "error": error}
    return after.value("requests_total", **labels) - before.value("requests_total", **labels)


def test_requests_are_counted_by_operation_status_and_error(metered_service: Service) -> None:
    before = scrape_until(metered_service, lambda it: it.value("workers") == 1)
    store = f"store-{uuid4().hex}"
    plant = {"id": 1, "name": "Fern"}
    with metered_service.client(metered_service.make_token(store)) as client:
        for _ in range(3):
            client.post("/plants", json=plant)
        etag = client.get("/plants").headers["etag"]
        for _ in range(20):
            assert client.get("/plants").status_code == 200
            assert client.get("/plants", headers={"If-None-Match": etag}).status_code == 304
        client.head(f"/stores/{store}/plants/1")
        client.put("/plants/1", json={"name": "Aloe"})
        client.delete("/plants/1")
        client.delete("/plants/2")
        client.get("/me")
        client.put("/plants")
    # Cached lists are counted once a second, all else at once.
    after = scrape_until(metered_service, lambda it: count_requests(before, it, "list", 304) == 20)
    for operation, status, error, count in (
        ("create", 200, "", 1),
        ("create", 400, "40004", 2),
        ("list", 200, "", 21),
        ("read", 200, "", 1),
        ("update", 200, "", 1),
        ("delete", 204, "", 1),
        ("delete", 404, "40401", 1),
        ("me", 200, "", 1),
        ("other", 405, "40501", 1),
    ):
        assert count_requests(before, after, operation, status, error) == count


def test_requests_have_durations_and_lists_are_cache_hits_or_misses(
    database_kind: Kind, tmp_path: Path
) -> None:
    with database_kind.fresh(tmp_path) as url, metered(tmp_path, database=url) as service:
        with service.client(service.make_token()) as client:
            for _ in range(10):
                client.get("/plants")
            client.get("/me")
        scrape_until(service, lambda it: it.value("response_cache_hits_total") == 9)
        latest = scrape_until(service, lambda it: it.value("response_cache_bytes") > 0)
    assert latest.value("response_cache_misses_total") == 1
    assert latest.value("requests_total", operation="list") == 10
    for operation in ("list", "me", "other"):
        requests = latest.value("requests_total", operation=operation)
        assert latest.value("request_duration_seconds_count", operation=operation) == requests


def test_writes_are_counted_by_transaction(metered_service: Service) -> None:
    before = scrape_until(metered_service, lambda it: it.value("workers") == 1)
    with metered_service.client(metered_service.make_token(f"store-{uuid4().hex}")) as client:
        for number in range(5):
            client.post("/plants", json={"id": number, "name": "Fern"})
    after = scrape_until(metered_service, lambda it: count_requests(before, it, "create", 200) == 5)
    for name in ("write_batch_size_sum", "write_batch_size_count", "commit_duration_seconds_count"):
        assert after.value(name) - before.value(name) == 5  # one after the other
    assert after.value("commit_duration_seconds_sum") > before.value("commit_duration_seconds_sum")


def test_gauges_show_requests_writes_and_connections_in_flight(
    database_kind: Kind, tmp_path: Path
) -> None:
    with database_kind.fresh(tmp_path) as url, metered(tmp_path, database=url) as service:
        token = service.make_token()

        def create() -> None:
            with service.client(token) as client:
                client.post("/plants", json={"id": 1, "name": "Fern"})

        thread = threading.Thread(target=create)
        with writes_held(url):
            thread.start()
            held: dict[str, str] = {"name": "write_queue_depth"}
            if url.startswith("postgresql:"):  # the batch has been sent
                held = {"name": "postgres_connections", "state": "in_use"}
            # Both at once: a token that is looked up takes a connection, too.
            during = scrape_until(
                service, lambda it: it.value(**held) == it.value("requests_in_flight") == 1
            )
            assert during.value("connections") >= 1
        thread.join()
        after = scrape_until(service, lambda it: it.value("requests_in_flight") == 0)
        assert after.value("write_queue_depth") == 0
        assert after.value("postgres_connections", state="in_use") == 0
        scrape_until(service, lambda it: it.value("connections") == 0)


@SQLITE_ONLY
def test_the_ready_gauge_is_0_while_writes_time_out(database_kind: Kind, tmp_path: Path) -> None:
    with (
        database_kind.fresh(tmp_path) as url,
        metered(tmp_path, database=url, write_timeout=0.5) as service,
        service.client(service.make_token()) as client,
    ):
        scrape_until(service, lambda it: it.value("ready") == 1)
        with writes_held(url):
            assert client.post("/plants", json={"id": 1, "name": "Fern"}).status_code == 503
            scrape_until(service, lambda it: it.value("ready") == 0)
