"""Commands work alike on a database and, with ``--url``, through a service."""

import json
import random
from collections import Counter
from pathlib import Path

import httpx
import pytest

from plantstore.core.model import Role
from tests.cli.program import Program
from tests.postgres.proxy import Proxy, Way
from tests.service import Service

# Behind a service, the kind of its database makes no difference.
ON_DATABASE_AND_SERVICE = pytest.mark.parametrize(
    ("database_kind", "options"),
    [("sqlite", "database"), ("postgres", "database"), ("sqlite", "service")],
    indirect=True,
)
ROSE = {"id": -7, "name": "Rose", "tag": "red"}


@pytest.fixture
def program(service: Service, tmp_path: Path, token: str) -> Program:
    """The program on the service's database, with a token file for the service."""
    (tmp_path / "token").write_text(f"{token}\n")
    return Program(tmp_path, {"PLANTSTORE_DATABASE": service.database})


@pytest.fixture
def address(service: Service) -> tuple[str, ...]:
    return ("--url", service.origin, "--token-file", "token")


@pytest.fixture
def options(request: pytest.FixtureRequest, address: tuple[str, ...]) -> tuple[str, ...]:
    return address if request.param == "service" else ()


@ON_DATABASE_AND_SERVICE
def test_plant_commands_change_and_list_plants(
    program: Program, options: tuple[str, ...], *, store: str, client: httpx.Client
) -> None:
    def run(*words: str) -> str:
        result = program.run(*options, "plant", *words, "--store", store)
        assert (result.status, result.out) == (0, ""), result
        return result.err

    def refuse(*words: str) -> str:
        return program.refusal(*options, "plant", *words, "--store", store)

    assert ": -7 'Rosa'" in run("add", "-7", "Rosa", "--tag", "red")
    run("add", "8", "Ivy")
    refused = refuse("add", "8", "Ivy")
    assert "already in this store (40004)" in refused
    assert "line" not in refused
    assert "belongs to another plant" in refuse("add", "8", "Oak")
    run("edit", "-7", "--name", "Rose")
    run("edit", "8", "--tag", "green")
    run("edit", "8", "--no-tag")
    run("edit", "8", "--no-tag")  # changes nothing
    assert "no plant with the id 9" in refuse("edit", "9", "--name", "Oak")
    plants = program.data(*options, "plant", "list", "--store", store)
    assert plants == [ROSE, {"id": 8, "name": "Ivy", "tag": None}]
    assert program.data(*options, "plant", "list", "--store", store, "--tag", "red") == [ROSE]
    assert "no plant with the id 9 in" in refuse("delete", "9", "8", "9")
    assert "deleted in" in run("delete", "-7", "8")
    run("restore", "-7")
    assert "has a plant with the id -7" in refuse("restore", "8", "-7")
    assert "was not deleted from" in refuse("restore", "8", "9")
    assert client.get("/plants?include=id").json() == [ROSE]
    events = program.data(*options, "event", "list", "--store", store)
    assert [(event["kind"].removeprefix("plant."), event["id"]) for event in events] == [
        *(("created", -7), ("created", 8), ("updated", -7), ("updated", 8), ("updated", 8)),
        *(("deleted", -7), ("deleted", 8), ("created", -7)),
    ]
    filters = ("--plant", "8", "--since", "1d", "--store", store)
    assert len(program.data(*options, "event", "list", *filters)) == 4
    of_nobody = ("event", "list", "--store", store, "--user", "nobody")
    if options:  # a service does not say which users exist
        assert program.data(*options, *of_nobody) == []
    else:
        assert "there is no user 'nobody'" in program.refusal(*of_nobody)
    assert {event["user"] for event in events} == ({f"owner-of-{store}"} if options else {None})


@ON_DATABASE_AND_SERVICE
def test_import_creates_updates_and_reports_errors(
    program: Program, options: tuple[str, ...], *, store: str, client: httpx.Client
) -> None:
    for plant in ({"id": 7, "name": "Rosa"}, {"id": 8, "name": "Ivy"}):
        assert client.post("/plants", json=plant).is_success
    (program.folder / "file").write_text("Nr,Name,tag\n9,Fern,\n7,Rose,red\n8,Ivy,\nx,Oak,\n9,,\n")
    command = (*options, "import", "file", "--store", store, "--columns", "Nr=id")
    refused = program.refusal(*command)
    assert "line 3: the id 7 belongs to another plant" in refused
    assert "line 5: id must be a whole number, such as 7 (40002)" in refused
    assert "imported plants into " in refused
    plan = program.run(*command, "--dry-run", "--update", "--errors", "bad.csv", "--json").data()
    assert len(client.get("/plants").json()) == 2
    result = program.run(*command, "--update", "--errors", "bad.csv", "--json").data()
    assert result | {"dry_run": True} == plan
    counts = [result[key] for key in ("imported", "changed", "identical", "refused")]
    assert counts == [1, 1, 1, 2]
    assert '5,40002,"id must be a whole number, such as 7",x,Oak,' in (
        (program.folder / "bad.csv").read_text()
    )
    assert client.get("/plants?include=id").json() == [
        *({"id": 7, "name": "Rose", "tag": "red"}, {"id": 8, "name": "Ivy"}),
        {"id": 9, "name": "Fern"},
    ]
    command = (*options, "import", "-", "--store", store, "--assign-ids")
    for quiet, message in (["--quiet"], ""), ([], "nothing to import; already there: 2"):
        assert message in program.run(*command, *quiet, stdin="name\nMoss\nMoss\n").err
    assert [plant["name"] for plant in client.get("/plants").json()][3:] == ["Moss", "Moss"]


def test_an_import_through_a_service_stops_at_the_quota(
    program: Program, service: Service, address: tuple[str, ...], store: str
) -> None:
    with service.administration() as administration:
        administration.set_quota(store, 1)
    refused = program.run(*address, "import", "-", stdin="id,name\n7,Rose\n8,Fern\n")
    assert refused.status == 1
    assert "stopped: plants written: 1; " in refused.err
    assert "line 3: the store is full" in refused.err


def test_commands_repeated_after_lost_connections_change_nothing_twice(
    program: Program, service: Service, address: tuple[str, ...], client: httpx.Client
) -> None:
    """Each command is repeated until it succeeds; the changes are made once."""
    chance = random.Random(3)  # noqa: S311 - no secrets
    rows = [{"id": n, "name": f"Plant {n}"} for n in range(1, 4001)]
    file = program.folder / "plants.ndjson"
    file.write_text("\n".join(map(json.dumps, rows)))
    with Proxy(int(service.origin.rpartition(":")[2])) as proxy:
        options = ("--url", f"http://127.0.0.1:{proxy.port}", *address[2:])

        def run(*words: str, largest: int) -> str:
            while True:
                way = chance.choice(list(Way))
                proxy.cut_after(way, chance.randrange(largest))
                result = program.run(*options, *words)
                if result.status == 0:
                    return result.out
                assert "cannot be reached: " in result.err

        run("import", str(file), largest=300_000)
        for number in range(5000, 5006):
            run("plant", "add", str(number), "Rosa", largest=800)
            run("plant", "edit", str(number), "--name", "Rose", largest=800)
        for number in range(5000, 5004):
            run("plant", "delete", str(number), largest=800)
        run("export", "out.ndjson", largest=300_000)
        events = json.loads(run("event", "list", "--json", largest=300_000))
    rows += [{"id": n, "name": "Rose"} for n in (5004, 5005)]
    assert client.get("/plants?include=id").json() == rows
    exported = (program.folder / "out.ndjson").read_text().splitlines()
    assert [json.loads(line) for line in exported] == rows
    kinds = Counter(event["kind"].removeprefix("plant.") for event in events)
    assert kinds == {"created": 4006, "updated": 6, "deleted": 4}


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_an_export_through_a_service_equals_one_from_the_database(
    program: Program, address: tuple[str, ...], store: str, form: str
) -> None:
    rows = [{"id": n, "name": f"=\u2028{n}", "tag": "a,b"} for n in range(1, 2500)]
    lines = "\n".join(json.dumps(row) for row in rows)
    assert program.run("import", "-", "--store", store, stdin=lines).status == 0
    local = program.out("export", f"here.{form}.gz", "--store", store)
    remote = program.out(*address, "export", f"there.{form}.gz")
    assert local == remote
    files = [(program.folder / f"{name}.{form}.gz").read_bytes() for name in ("here", "there")]
    assert files[0] == files[1]


def test_failures_through_a_service_are_explained(
    program: Program, service: Service, address: tuple[str, ...], store: str
) -> None:
    add = ("plant", "add", "7", "Rose")
    reader = service.make_token(store, f"reader-of-{store}", role=Role.READER)
    (program.folder / "binary").write_bytes(b"\xff")
    for file, text in (("reader", reader), ("wrong", "pst_1_wrong"), ("two", "a b"), ("no", "")):
        (program.folder / file).write_text(text)
    url = address[:2]
    for status, options, words, reason in (
        (1, (*url, "--token-file", "reader"), add, "the scope create"),
        (1, (*url, "--token-file", "wrong"), add, "the token is not valid"),
        (1, (*url, "--token-file", "two"), add, "two must hold one token and nothing else"),
        (1, (*url, "--token-file", "no"), add, "no must hold one token"),
        (1, (*url, "--token-file", "binary"), add, "binary must hold one token"),
        (1, (*url, "--token-file", "missing"), add, "missing: No such file"),
        (1, address, (*add, "--store", "nowhere"), "there is no such store"),
        (1, ("--url", "http://127.0.0.1:1", *address[2:]), add, "reached: Connection refused;"),
        (1, ("--url", f"{service.origin}/livez", *address[2:]), add, "nothing at this path"),
        (2, url, add, "with --token-file FILE"),
        (2, ("--url", "plants.db", *address[2:]), add, "give --url http://HOST:PORT"),
        (2, address, ("plant", "add", "7", " "), "name must not be only white space"),
        (2, address, ("plant", "add", str(2**63), "Rose"), "is not in the range"),
        (2, address, ("plant", "edit", "7"), "give what to change"),
        (2, address, ("token", "list"), "leave out --url"),
        (2, (), add, "Missing option '--store'"),
    ):
        assert reason in program.refusal(*options, *words, status=status)
