"""However a stream ends, a client that reconnects misses no event, and gets none twice."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.load import under_load, wait_until_acknowledged
from tests.faults.processes import kill, worker_pids
from tests.faults.two_processes import two_services, two_workers
from tests.features.events.follower import assert_followed, following
from tests.features.events.http.event_stream import EventStream
from tests.http.calls import create_plant
from tests.postgres.proxied import proxied_service
from tests.postgres.server import PostgresServer
from tests.service import Service

TARGET = "/stores/nursery/events"


def test_killed_workers_lose_no_event(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"workers": 2}) as service:
        token = service.make_token()
        with following(service, token) as followers:
            for first in (0, 4):
                with under_load(service, token, first=first) as load_clients:
                    wait_until_acknowledged(load_clients, 20)
                    kill(worker_pids(service)[0])
            with under_load(service, token, first=8) as load_clients:
                wait_until_acknowledged(load_clients, 20)
            assert_followed(service, "nursery", followers)
        assert sum(follower.streams for follower in followers) > len(followers)
        assert "Traceback" not in service.log()


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_restart_loses_no_event(tmp_path: Path, end: str) -> None:
    with Service(tmp_path) as service:
        token, port = service.make_token(), service.origin.rpartition(":")[2]
        with following(service, token) as followers:
            for first in (0, 4):
                with under_load(service, token, first=first) as load_clients:
                    wait_until_acknowledged(load_clients, 20)
                    service.stop() if end == "stop" else service.kill()
                service.start_again_on(port)
            with under_load(service, token, first=8) as load_clients:
                wait_until_acknowledged(load_clients, 20)
            assert_followed(service, "nursery", followers)
        assert all(follower.streams > 1 for follower in followers)
        assert "Traceback" not in service.log()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_events_of_another_process_are_streamed(
    postgres_server: PostgresServer, tmp_path: Path, kind: str
) -> None:
    """At least one of the two writers is in another process than the listener."""
    starting = (
        two_workers(tmp_path) if kind == "sqlite" else two_services(postgres_server, tmp_path)
    )
    with ExitStack() as stack:
        processes = stack.enter_context(starting)
        token = processes.service.make_token()
        clients = stack.enter_context(processes.clients(token))
        stream = stack.enter_context(EventStream(processes.service.origin, token))
        for plant_id, client in enumerate(clients):
            create_plant(client, plant_id, "Fern")
            assert stream.take(1)[0]["plant"]["id"] == plant_id


def test_streams_have_heartbeats_while_the_database_does_not_respond(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """A proxy or the client would end a stream that is silent for long."""
    heartbeat = "features.events.listeners._HEARTBEAT_SECONDS"
    settings = {"database_timeout": 60, "drain_timeout": 1, heartbeat: 1}
    with (
        proxied_service(postgres_server, tmp_path, settings) as proxied,
        EventStream(proxied.service.origin, proxied.token) as stream,
    ):
        blocks = stream.blocks()
        assert "retry" in next(blocks)
        with proxied.proxy.silent():
            assert next(blocks) == {}  # a comment
            assert proxied.service.stop() == 0
    assert " WARNING psycopg: " not in proxied.service.log()


def test_a_position_is_invalid_in_a_new_store_of_the_same_name(tmp_path: Path) -> None:
    """The new store has had as many changes."""
    with Service(tmp_path) as service:
        token = service.make_token("other", "ada", all_stores=True)
        fill(service, token, 2)
        with EventStream(service.origin, token, f"{TARGET}?after=0") as stream:
            last = str(stream.take(2)[-1]["revision"])
            with service.administration() as administration:
                administration.delete_store("nursery")
            assert list(stream.events()) == []
        fill(service, token, 5)
        with service.client(token) as client:
            known = {"Last-Event-ID": last, "Accept": "text/event-stream"}
            assert client.get(TARGET, headers=known).json()["error"] == 41001
            assert client.get(f"{TARGET}?after={last}").json()["error"] == 41001
            everything = client.get(TARGET).json()
            assert len(everything) == 5
            # A client without events has missed none.
            assert client.get(f"{TARGET}?after=0").json() == everything
            with EventStream(service.origin, token, TARGET, last_id="0") as stream:
                assert stream.take(5) == everything


def fill(service: Service, token: str, count: int) -> None:
    """Create the store, with ``count`` plants."""
    service.make_token("nursery", "ada")
    with service.client(token) as client:
        for plant_id in range(count):
            plant = {"id": plant_id, "name": "Fern"}
            assert client.post("/stores/nursery/plants", json=plant).status_code == 200
