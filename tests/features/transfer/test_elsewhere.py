"""Commands do the same to a store of a database and, with ``--url``, behind a service."""

import json
from pathlib import Path

import httpx
import pytest

from plantstore.core.model import Role
from tests.cli.program import Program
from tests.service import Service

ROSE = {"id": -7, "name": "Rose", "tag": "red"}


@pytest.fixture
def program(service: Service, tmp_path: Path, token: str) -> Program:
    """The program, on the service's database, and with a token's file for its address."""
    (tmp_path / "token").write_text(f"{token}\n")
    return Program(tmp_path, {"PLANTSTORE_DATABASE": service.database})


@pytest.fixture
def address(service: Service) -> tuple[str, ...]:
    """The options of the service's address."""
    return ("--url", service.origin, "--token-file", "token")


@pytest.fixture(params=["database", "service"])
def options(request: pytest.FixtureRequest, address: tuple[str, ...]) -> tuple[str, ...]:
    """Options that name where the store is."""
    return address if request.param == "service" else ()


def test_plants_are_changed_and_listed(
    program: Program, options: tuple[str, ...], *, store: str, client: httpx.Client
) -> None:
    def run(*words: str) -> str:
        done = program.run(*options, "plant", *words, "--store", store)
        assert (done.status, done.out) == (0, ""), done
        return done.err

    def refuse(*words: str) -> str:
        return program.refusal(*options, "plant", *words, "--store", store)

    assert ": -7 'Rosa'" in run("add", "-7", "Rosa", "--tag", "red")
    run("add", "8", "Ivy")
    assert "already in this store (40004)" in refuse("add", "8", "Ivy")
    assert "belongs to another plant" in refuse("add", "8", "Oak")
    run("edit", "-7", "--name", "Rose")
    run("edit", "8", "--tag", "green")
    run("edit", "8", "--no-tag")
    run("edit", "8", "--no-tag")  # changes nothing
    assert "no plant with the id 9" in refuse("edit", "9", "--name", "Oak")
    found = program.data(*options, "plant", "list", "--store", store)
    assert found == [ROSE, {"id": 8, "name": "Ivy", "tag": None}]
    assert program.data(*options, "plant", "list", "--store", store, "--tag", "red") == [ROSE]
    assert "id 9 in this store (40401)" in refuse("delete", "9", "8", "9")
    assert "deleted in" in run("delete", "-7", "8")
    run("restore", "-7")
    assert "has a plant with the id -7" in refuse("restore", "8", "-7")
    assert "no event of the deletion" in refuse("restore", "8", "9")
    assert client.get("/plants?include=id").json() == [ROSE]
    events = program.data(*options, "event", "list", "--store", store)
    assert [(event["kind"].removeprefix("plant."), event["id"]) for event in events] == [
        *(("created", -7), ("created", 8), ("updated", -7), ("updated", 8), ("updated", 8)),
        *(("deleted", -7), ("deleted", 8), ("created", -7)),
    ]
    filters = ("--plant", "8", "--since", "1d", "--store", store)
    assert len(program.data(*options, "event", "list", *filters)) == 4
    assert program.data(*options, "event", "list", "--store", store, "--user", "nobody") == []
    assert {event["user"] for event in events} == ({f"owner-of-{store}"} if options else {None})


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_a_file_is_what_it_is_from_the_database(
    program: Program, address: tuple[str, ...], store: str, form: str
) -> None:
    rows = [{"id": n, "name": f"=\u2028{n}", "tag": "a,b"} for n in range(1, 2500)]
    lines = "\n".join(json.dumps(row) for row in rows)
    assert program.run("import", "-", "--store", store, stdin=lines).status == 0
    here = program.out("export", f"here.{form}.gz", "--store", store)
    there = program.out(*address, "export", f"there.{form}.gz")
    assert here == there
    files = [(program.folder / f"{name}.{form}.gz").read_bytes() for name in ("here", "there")]
    assert files[0] == files[1]


def test_each_failure_is_a_sentence(
    program: Program, service: Service, address: tuple[str, ...], store: str
) -> None:
    add = ("plant", "add", "7", "Rose")
    reader = service.make_token(store, f"reader-of-{store}", role=Role.READER)
    for file, text in (("reader", reader), ("wrong", "pst_1_wrong"), ("two", "a b"), ("no", "")):
        (program.folder / file).write_text(text)
    url = address[:2]
    for status, options, words, reason in (
        (1, (*url, "--token-file", "reader"), add, "the scope create"),
        (1, (*url, "--token-file", "wrong"), add, "the token is not valid"),
        (1, (*url, "--token-file", "two"), add, "two must have a token, and nothing else"),
        (1, (*url, "--token-file", "no"), add, "no must have a token"),
        (1, (*url, "--token-file", "missing"), add, "missing: No such file"),
        (1, address, (*add, "--store", "nowhere"), "there is no such store"),
        (1, ("--url", "http://127.0.0.1:1", *address[2:]), add, "cannot be reached"),
        (1, ("--url", f"{service.origin}/livez", *address[2:]), add, "nothing at this path"),
        (2, url, add, "with --token-file FILE"),
        (2, ("--url", "plants.db", *address[2:]), add, "give --url http://HOST:PORT"),
        (2, address, ("plant", "add", "7", " "), "name must not be only white space"),
        (2, address, ("plant", "add", str(2**63), "Rose"), "is not in the range"),
        (2, address, ("plant", "edit", "7"), "what is to change"),
        (2, address, ("import", "-", "--store", store), "leave out --url"),
        (2, address, ("token", "list"), "leave out --url"),
        (2, (), add, "Missing option '--store'"),
    ):
        assert reason in program.refusal(*options, *words, status=status)
