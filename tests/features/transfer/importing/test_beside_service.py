"""Two imports of the same file and a client that creates plants: no plant is lost."""

import subprocess
from collections import Counter

import httpx

from tests.cli.program import PLANTSTORE, SECONDS, Program
from tests.features.transfer.copying.fixtures import list_plants
from tests.features.transfer.importing.test_interrupted import assert_events_match_the_plants
from tests.service import Service

COUNT = 10_000


def test_concurrent_imports_and_creates_lose_no_plant(
    program: Program, service: Service, store: str, client: httpx.Client
) -> None:
    rows = "".join(f"{number},imported\n" for number in range(1, COUNT + 1))
    (program.folder / "plants.csv").write_text(f"id,name\n{rows}")
    command = [*PLANTSTORE, "import", "plants.csv", "--store", store]
    processes = [
        subprocess.Popen(command, cwd=program.folder, env=program.environ) for _ in range(2)
    ]
    created = 0
    while any(process.poll() is None for process in processes):
        response = client.post("/plants", json={"id": -1 - created, "name": "created"})
        assert response.status_code == 200
        created += 1
    assert [process.wait(SECONDS) for process in processes] == [0, 0]
    assert created
    plants = list_plants(client)
    assert isinstance(plants, list)
    assert Counter(row["name"] for row in plants) == {"imported": COUNT, "created": created}
    assert_events_match_the_plants(service, store)
