"""A service that is killed loses nothing that it acknowledged, and leaves nothing half written."""

import random
import time
from pathlib import Path

import pytest

from tests.faults.load import LoadClient, assert_integrity, assert_whole, under_load
from tests.faults.processes import kill_all
from tests.service import Service


@pytest.mark.parametrize(("workers", "crashes"), [(1, 20), (2, 12)])
def test_nothing_acknowledged_is_lost_in_a_crash(
    tmp_path: Path, workers: int, crashes: int
) -> None:
    chance = random.Random(workers)  # noqa: S311 - no secrets
    service = Service(tmp_path, settings={"workers": workers})
    load_clients: list[LoadClient] = []
    token = service.make_token()
    for crash in range(crashes):
        service.start()
        with under_load(service, token, first=4 * crash) as new:
            time.sleep(chance.uniform(0.05, 0.35))
            kill_all(service)
        load_clients += new
        if crash % 2:  # else the service itself is the first to open the file again
            assert_integrity(service)
    with service:
        assert_whole(service, "nursery", load_clients)
        assert sum(len(load_client.acknowledged) for load_client in load_clients) > 5 * crashes
        assert any(load_client.unknown for load_client in load_clients)
        assert {error for load_client in load_clients for error in load_client.refusals} <= {50301}
