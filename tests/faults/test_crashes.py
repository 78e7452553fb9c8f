"""A killed service loses no acknowledged write, and leaves no partial write."""

import random
from pathlib import Path

import pytest

from tests.faults.load import (
    LoadClient,
    assert_consistent,
    assert_integrity,
    under_load,
    wait_until_acknowledged,
)
from tests.faults.processes import kill_all
from tests.service import Service


@pytest.mark.parametrize(("workers", "crashes"), [(1, 5), (2, 3)])
def test_acknowledged_writes_survive_crashes(tmp_path: Path, workers: int, crashes: int) -> None:
    chance = random.Random(workers)  # noqa: S311 - no secrets
    service = Service(tmp_path, settings={"workers": workers})
    load_clients: list[LoadClient] = []
    token = service.make_token()
    for crash in range(crashes):
        service.start()
        with under_load(service, token, first=4 * crash) as new:
            wait_until_acknowledged(new, chance.randrange(1, 200))
            kill_all(service)
        load_clients += new
        if crash % 2:  # otherwise the service is the first to reopen the file
            assert_integrity(service)
    with service:
        assert_consistent(service, "nursery", load_clients)
        assert any(client.unknown for client in load_clients)
        assert {error for client in load_clients for error in client.refusals} <= {50301}
