"""What plants and events take on SQLite's disk, and the memory of a service with a million."""

import subprocess
from contextlib import closing
from pathlib import Path

import apsw

from bench.importing import PLANTS, write_file
from bench.report import Figure
from bench.servers import PLANTSTORE, running_service
from bench.stores import make_store

_SIZE = "SELECT sum(pgsize) FROM dbstat WHERE name IN (?1, ?2)"


def measure_size(folder: Path) -> list[Figure]:
    """Import a million plants with tags, each with its event."""
    file = folder / "size.db"
    store = make_store(f"sqlite:///{file}", 0)
    source = write_file(folder / "size.csv")
    command = [*PLANTSTORE, "import", str(source), "--store", "garden"]
    command += ["--database", store.database]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    with closing(apsw.Connection(str(file))) as connection:
        plants = connection.execute(_SIZE, ("plants", "plants_by_tag")).get
        events = connection.execute(_SIZE, ("events", "events")).get
    with running_service(store.database, folder) as service:
        memory = service.memory()
    return [
        Figure("size", "bytes on disk for a plant of 40 bytes", plants / PLANTS, 90),
        Figure("size", "bytes on disk for its event", events / PLANTS, 130),
        Figure("size", "MiB resident with 10^6 plants, idle", memory, 40),
    ]
