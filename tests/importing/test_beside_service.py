"""An import beside clients who create plants: nobody's plant is lost, nobody's id taken twice."""

import subprocess
from collections import Counter

import httpx
import pytest

from tests.cli.program import PLANTSTORE, SECONDS, Program
from tests.copying.fixtures import list_plants
from tests.importing.test_interrupted import assert_events_explain_the_plants
from tests.service import Service

COUNT = 10_000


@pytest.mark.parametrize("options", [(), ("--assign-ids",)], ids=["ids", "assign"])
def test_an_import_and_creates_share_the_store(
    program: Program, service: Service, store: str, client: httpx.Client, options: tuple[str, ...]
) -> None:
    rows = "".join(f"{number},imported\n" for number in range(1, COUNT + 1))
    (program.folder / "plants.csv").write_text(f"id,name\n{rows}")
    running = subprocess.Popen(
        [*PLANTSTORE, "import", "plants.csv", "--store", store, *options],
        cwd=program.folder,
        env=program.environ,
    )
    created = 0
    while running.poll() is None:
        # With assigned ids, each is just above where the import has come to.
        total = int(client.get("/plants?limit=0").headers["X-Total-Count"])
        plant_id = total + 1 if options else -1 - created
        response = client.post("/plants", json={"id": plant_id, "name": "created"})
        assert response.status_code == 200 or response.json()["error"] == 40003
        created += response.status_code == 200
    assert running.wait(SECONDS) == 0
    assert created
    plants = list_plants(client)
    assert isinstance(plants, list)
    assert Counter(row["name"] for row in plants) == {"imported": COUNT, "created": created}
    assert_events_explain_the_plants(service, store)
