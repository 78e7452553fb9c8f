"""``plantstore link``: addresses to sign in with."""

from pathlib import Path

import httpx
import pytest

from tests.cli.program import Program
from tests.service import Service


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Program(tmp_path).with_database()
    made.out("token", "create", "--create", "--store", "nursery", "--user", "ada")
    return made


def test_the_address_signs_in(tmp_path: Path, program: Program) -> None:
    with Service(tmp_path, database=program.environ["PLANTSTORE_DATABASE"]) as service:
        address = ("--address", f"{service.origin}/")
        options = ("--store", "nursery", "--user", "ada", "--label", "laptop", *address)
        for more, expected in (((), 4), (("--manage",), 5)):
            origin, _, code = program.out("link", "create", *options, *more).partition("/#code=")
            assert origin == service.origin
            given = httpx.post(f"{origin}/links/redeem", json={"code": code}, verify=False).json()
            assert (given["user"], given["label"]) == ("ada", "laptop")
            assert len(given["scopes"]) == expected


def test_the_address_is_that_of_the_settings(program: Program) -> None:
    options = ("link", "create", "--store", "nursery", "--user", "ada")
    program.environ["PLANTSTORE_PORT"] = "8765"
    done = program.run(*options)
    assert done.out.startswith("http://127.0.0.1:8765/#code=psl_")
    assert "if users reach the page at another address, give --address" in done.err
    program.environ["PLANTSTORE_UDS"] = "socket"
    said = program.refusal(*options, status=2)
    assert "a browser cannot open unix:socket: give --address with http://" in said
    assert "cannot open plants" in program.refusal(*options, "--address", "plants", status=2)
    program.environ["PLANTSTORE_PUBLIC_URL"] = "https://plants.example/garden/"
    made = program.data(*options)
    assert made["url"] == f"https://plants.example/garden/#code={made['code']}"


def test_links_that_wait_are_listed_and_revoked(program: Program) -> None:
    program.out("token", "create", "--create", "--store", "orchard", "--user", "eve")
    create = ("link", "create", "--user")
    made = program.data(*create, "ada", "--store", "nursery", "--expires", "never")
    other = program.data(*create, "eve", "--store", "orchard")
    fields = {"id", "store", "user", "label", "scopes", "expires_at", "code_expires_at"}
    assert made.keys() == fields | {"url", "code"}
    listed = program.data("link", "list")
    assert listed == [{key: link[key] for key in fields} for link in (made, other)]
    assert made["code"] not in program.out("link", "list")
    assert [link["id"] for link in program.data("link", "list", "--store", "orchard")] == [
        other["id"]
    ]
    done = program.run("link", "revoke", made["id"])
    assert done.err == f"revoked the link {made['id']} of ada for nursery\n"
    said = program.refusal("link", "revoke", other["id"], made["id"])
    assert f"there is no link with the id {made['id']}" in said
    assert program.data("link", "list") == listed[1:]
    program.out("token", "revoke", "--user", "eve")
    assert program.data("link", "list") == []
