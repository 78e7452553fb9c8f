"""An import beside another one of the same file, and clients who create plants: none is lost."""

import subprocess
from collections import Counter

import httpx

from tests.cli.program import PLANTSTORE, SECONDS, Program
from tests.features.transfer.copying.fixtures import list_plants
from tests.features.transfer.importing.test_interrupted import assert_events_explain_the_plants
from tests.service import Service

COUNT = 10_000


def test_imports_and_creates_share_the_store(
    program: Program, service: Service, store: str, client: httpx.Client
) -> None:
    rows = "".join(f"{number},imported\n" for number in range(1, COUNT + 1))
    (program.folder / "plants.csv").write_text(f"id,name\n{rows}")
    command = [*PLANTSTORE, "import", "plants.csv", "--store", store]
    running = [subprocess.Popen(command, cwd=program.folder, env=program.environ) for _ in range(2)]
    created = 0
    while any(process.poll() is None for process in running):
        response = client.post("/plants", json={"id": -1 - created, "name": "created"})
        assert response.status_code == 200
        created += 1
    assert [process.wait(SECONDS) for process in running] == [0, 0]
    assert created
    plants = list_plants(client)
    assert isinstance(plants, list)
    assert Counter(row["name"] for row in plants) == {"imported": COUNT, "created": created}
    assert_events_explain_the_plants(service, store)
