"""``plantstore restore --store``: one store of several, in a database that is in use."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import httpx
import pytest

from plantstore.core.model import Role
from tests.cli.program import PLANTSTORE, SECONDS, Program
from tests.databases import ON_BOTH, Kind, execute
from tests.docs.pages import read_blocks
from tests.postgres.server import PROGRAMS, PostgresServer
from tests.service import Service

pytestmark = ON_BOTH
BACKUP = "plants-20301231T235959.123Z.db"


@pytest.fixture
def service(url: str, tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path, database=url) as service:
        yield service


@pytest.fixture
def program(url: str, tmp_path: Path) -> Program:
    return Program(tmp_path, {"PLANTSTORE_DATABASE": url})


@pytest.fixture
def client(service: Service) -> Iterator[httpx.Client]:
    """A client of the owner of the store nursery, which has the plants 1 to 3."""
    with service.client(service.make_token()) as client:
        for number in (1, 2, 3):
            assert client.post("/plants", json={"id": number, "name": "right"}).is_success
        yield client


def back_up(program: Program, kind: Kind, request: pytest.FixtureRequest) -> str:
    """A backup of the database: a file, or another database that a dump was restored into."""
    if kind.name == "sqlite":
        program.out("backup", BACKUP)
        return BACKUP
    server: PostgresServer = request.getfixturevalue("postgres_server")
    restored = server.make_database()
    script = f"pg_dump --format=custom '{program.database}' | pg_restore --dbname='{restored}'"
    subprocess.run(["bash", "-c", f"PATH='{PROGRAMS}':$PATH; {script}"], check=True, timeout=60)
    return restored


def mutate(client: httpx.Client) -> str:
    """Delete plant 1, change plant 2 and create plant 4; return the ETag of the list."""
    assert client.delete("/plants/1").is_success
    assert client.put("/plants/2", json={"name": "wrong"}).is_success
    assert client.post("/plants", json={"id": 4, "name": "wrong"}).is_success
    etag: str = client.get("/plants").headers["etag"]
    return etag


def test_restoring_a_store_keeps_other_stores_and_revocations(
    service: Service,
    client: httpx.Client,
    program: Program,
    database_kind: Kind,
    request: pytest.FixtureRequest,
) -> None:
    revoked = service.make_token("nursery", "eve", role=Role.EDITOR)
    other_token = service.make_token("meadow", "mel")
    backup = back_up(program, database_kind, request)
    service.revoke(revoked)
    etag = mutate(client)
    ended = Event()
    created: list[int] = []

    def create() -> None:
        with service.client(other_token) as writer:
            while not ended.is_set():
                plant_id = len(created)
                assert writer.post("/plants", json={"id": plant_id, "name": "m"}).is_success
                created.append(plant_id)

    load = Thread(target=create)
    load.start()
    (block,) = read_blocks("backup.md", "One store of several")
    documented = f"/var/backups/plantstore/{BACKUP}"
    dry_run, restore = block.replace(documented, f"'{backup}'").splitlines()
    preview = program.in_shell(dry_run)
    assert preview.err.splitlines() == [
        "would change plants of nursery; added: 1, changed: 1, removed: 1",
        "  - 4 wrong",
        "  + 1 right",
        "  ~ 2 wrong -> right",
    ]
    assert client.get("/plants").headers["etag"] == etag
    assert program.in_shell(f"{restore} --yes").status == 0
    ended.set()
    load.join()
    listed = client.get("/plants?include=id", headers={"If-None-Match": etag})
    assert [plant["id"] for plant in listed.json()] == [1, 2, 3]
    assert {plant["name"] for plant in listed.json()} == {"right"}
    assert [event.token_label for event in service.events("nursery")[-3:]] == [
        "plantstore restore"
    ] * 3
    assert service.status_of(revoked) == 401
    with service.client(other_token) as other:
        assert len(other.get("/plants").json()) == len(created)
    assert program.out("verify").startswith("ok: stores: 2")
    again = program.run("restore", backup, "--store", "nursery")
    assert again.err == "nothing to change in nursery\n"


def test_selected_plants_are_restored_into_a_renamed_store(
    client: httpx.Client, program: Program, database_kind: Kind, request: pytest.FixtureRequest
) -> None:
    backup = back_up(program, database_kind, request)
    mutate(client)
    execute(program.database, "UPDATE stores SET name = 'garden'")
    assert "the stores are: garden" in program.refusal("restore", backup, "--store", "nursery")
    restore = ("restore", backup, "--store", "garden", "--yes", "--plants")
    assert "neither garden nor the backup has: 98,99" in program.refusal(*restore, "98,99")
    result = program.run(*restore, "1,4,99")
    assert result.err.splitlines()[0] == "neither garden nor the backup has: 99"
    assert "added: 1, changed: 0, removed: 1" in result.err
    names = [plant["name"] for plant in client.get("/plants").json()]
    assert names == ["right", "wrong", "right"]


def test_a_plant_changed_after_the_preview_is_not_restored(
    client: httpx.Client, program: Program, database_kind: Kind, request: pytest.FixtureRequest
) -> None:
    command = [*PLANTSTORE, "restore", back_up(program, database_kind, request)]
    mutate(client)
    with subprocess.Popen(
        [*command, "--store", "nursery"],
        cwd=program.folder,
        env=program.environ,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        while running.stderr.read(1) != "?":
            pass
        assert client.put("/plants/2", json={"name": "meanwhile"}).is_success
        _, message = running.communicate("y\n", timeout=SECONDS)
    assert "added: 1, changed: 0, removed: 1" in message
    assert "left alone: 1, because others changed them later" in message
    names = [plant["name"] for plant in client.get("/plants").json()]
    assert names == ["right", "meanwhile", "right"]


def test_refused_restores_change_nothing(
    service: Service,
    client: httpx.Client,
    program: Program,
    database_kind: Kind,
    request: pytest.FixtureRequest,
) -> None:
    backup = back_up(program, database_kind, request)
    assert client.delete("/plants/1").is_success
    with service.administration() as administration:
        administration.set_quota("nursery", 2)
    restore = ("restore", backup, "--store", "nursery")
    assert "nursery is full" in program.refusal(*restore, "--yes")
    assert "no store 'meadow'" in program.refusal("restore", backup, "--store", "meadow")
    for ids in ("one", "", "7,"):
        assert "is not a valid whole number" in program.refusal(*restore, "--plants", ids, status=2)
    assert "need a backup and --store" in program.refusal("restore", backup, "--dry-run", status=2)
    assert "there is no such file" in program.refusal("restore", "nope.db", "--store", "nursery")
    assert len(client.get("/plants").json()) == 2
    with service.administration() as administration:
        administration.delete_store("nursery")
    assert "store create nursery`, then restore its plants" in program.refusal(*restore)
