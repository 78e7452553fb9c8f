"""The real Litestream beside the service, as the blocks of docs/backup.md run it."""

import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tests.cli.program import Program
from tests.cli.test_check import file_of
from tests.contents import contents
from tests.docs.pages import read_blocks
from tests.faults.load import under_load, wait_until_acknowledged
from tests.features.backups.test_backup import url_of
from tests.service import Service
from tests.waiting import wait_until

LITESTREAM = str(Path(sys.executable).with_name("litestream"))
HEADING = "Litestream: every second, to another place"
MOMENT = "2030-12-31T23:59:59Z"


def block(kind: str, number: int, program: Program) -> str:
    """A block of the section, with the folders of the test."""
    text = read_blocks("backup.md", HEADING, kind=kind)[number]
    text = text.replace("/var/lib/plantstore/plants.db", str(file_of(program)))
    text = text.replace("/var/backups/plantstore", str(program.folder))
    return re.sub("^litestream", shlex.quote(LITESTREAM), text, flags=re.MULTILINE)


@contextmanager
def running_litestream(
    program: Program, replica: str | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run Litestream with the page's first replica or the given one; kill it at the end."""
    settings = block("yaml", 0, program)
    if replica is not None:
        settings = settings[: settings.index("    replica:")] + replica
    (program.folder / "litestream.yml").write_text(settings)
    with (
        (program.folder / "litestream.log").open("ab") as log,
        subprocess.Popen(
            ["sh", "-c", f"exec {block('sh', 0, program)}"],
            cwd=program.folder,
            env=program.environ,
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.send_signal(signal.SIGKILL)


def plants_of(url: str) -> list[tuple[object, ...]]:
    return contents(url)["plants"]


def wait_for_replica(program: Program, plants: list[tuple[object, ...]]) -> None:
    restored = program.folder / "candidate.db"

    def is_current() -> bool:
        command = [LITESTREAM, "restore", "-force", "-config", f"{program.folder}/litestream.yml"]
        result = subprocess.run(
            [*command, "-o", str(restored), str(file_of(program))],
            env=program.environ,
            capture_output=True,
            check=False,
        )
        return result.returncode == 0 and plants_of(url_of(restored)) == plants

    wait_until(is_current, pause=0.3)


def test_a_replica_is_restored_to_a_point_in_time(program: Program) -> None:
    url = program.database
    with Service(program.folder, database=url) as service, running_litestream(program):
        token = service.make_token()
        with under_load(service, token) as load_clients:
            wait_until_acknowledged(load_clients, 200)
        assert not any(client.refusals or client.unknown for client in load_clients)
        before = plants_of(url)
        wait_for_replica(program, before)
        moment = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        with under_load(service, token, first=4) as later:
            wait_until_acknowledged(later, 100)
            service.kill()
        message = program.refusal("restore", "candidate.db", "--yes")
        assert "is in use" in message
    result = program.in_shell(f"set -e\n{block('sh', 1, program)}".replace(MOMENT, moment))
    assert result.status == 0, result
    assert result.out.endswith(f"plants: {len(before)}, events: {len(contents(url)['events'])}\n")
    assert plants_of(url) == before
    for client in load_clients:
        client.assert_matches({int(str(row[1])) for row in before})


def test_a_restored_database_is_replicated_again(program: Program) -> None:
    url = program.database
    with Service(program.folder, database=url) as service, running_litestream(program):
        token = service.make_token()
        with service.client(token) as client:
            assert client.post("/plants", json={"id": 1, "name": "Ficus"}).is_success
            program.out("backup", "plants.backup")
            assert client.delete("/plants/1").is_success
        wait_for_replica(program, [])
    program.out("restore", "plants.backup", "--yes")
    with Service(program.folder, database=url) as service, running_litestream(program):
        with service.client(token) as client:
            assert client.post("/plants", json={"id": 2, "name": "Fern"}).is_success
        wait_for_replica(program, plants_of(url))
        assert len(plants_of(url)) == 2
