"""A service that is killed loses nothing that it told of, and leaves nothing half written."""

import random
import time
from pathlib import Path

import pytest

from tests.faults.planters import Planter, demand_integrity, demand_whole, planting
from tests.faults.processes import kill_all
from tests.service import Service


@pytest.mark.parametrize(("workers", "crashes"), [(1, 20), (2, 12)])
def test_nothing_that_was_told_is_lost_in_a_crash(
    tmp_path: Path, workers: int, crashes: int
) -> None:
    chance = random.Random(workers)  # noqa: S311 - no secrets
    service = Service(tmp_path, settings={"workers": workers})
    planters: list[Planter] = []
    token = service.make_token()
    for crash in range(crashes):
        service.start()
        with planting(service, token, first=4 * crash) as new:
            time.sleep(chance.uniform(0.05, 0.35))
            kill_all(service)
        planters += new
        if crash % 2:  # else the service itself is the first to open the file again
            demand_integrity(service)
    with service:
        demand_whole(service, "nursery", planters)
        assert sum(len(planter.there) for planter in planters) > 5 * crashes
        assert any(planter.unsure for planter in planters)
        assert {error for planter in planters for error in planter.refusals} <= {50301}
