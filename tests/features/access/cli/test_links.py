"""``plantstore link``: sign-in links."""

from pathlib import Path

import httpx
import pytest

from tests.cli.program import Program
from tests.service import Service


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = Program(tmp_path).with_database()
    program.out("token", "create", "--create", "--store", "nursery", "--user", "ada")
    return program


def test_a_link_signs_in_with_the_scopes_it_was_created_with(
    tmp_path: Path, program: Program
) -> None:
    with Service(tmp_path, database=program.environ["PLANTSTORE_DATABASE"]) as service:
        address = ("--address", f"{service.origin}/")
        options = ("--store", "nursery", "--user", "ada", "--label", "laptop", *address)
        for flags, scope_count in (((), 4), (("--manage",), 5)):
            origin, _, code = program.out("link", "create", *options, *flags).partition("/#code=")
            assert origin == service.origin
            token = httpx.post(f"{origin}/links/redeem", json={"code": code}, verify=False).json()
            assert (token["user"], token["label"]) == ("ada", "laptop")
            assert len(token["scopes"]) == scope_count


def test_a_link_has_the_address_of_the_settings(program: Program) -> None:
    create = ("link", "create", "--store", "nursery", "--user", "ada")
    program.environ["PLANTSTORE_PORT"] = "8765"
    result = program.run(*create)
    assert result.out.startswith("http://127.0.0.1:8765/#code=psl_")
    assert "if users reach the page at another address, give --address" in result.err
    program.environ["PLANTSTORE_UDS"] = "socket"
    message = program.refusal(*create, status=2)
    assert "a browser cannot open unix:socket: give --address with http://" in message
    assert "cannot open plants" in program.refusal(*create, "--address", "plants", status=2)
    program.environ["PLANTSTORE_PUBLIC_URL"] = "https://plants.example/garden/"
    link = program.data(*create)
    assert link["url"] == f"https://plants.example/garden/#code={link['code']}"


def test_unused_links_are_listed_and_revoked(program: Program) -> None:
    program.out("token", "create", "--create", "--store", "orchard", "--user", "eve")
    create = ("link", "create", "--user")
    created = program.data(*create, "ada", "--store", "nursery", "--expires", "never")
    other = program.data(*create, "eve", "--store", "orchard")
    fields = {"id", "store", "user", "label", "scopes", "expires_at", "code_expires_at"}
    assert created.keys() == fields | {"url", "code"}
    listed = program.data("link", "list")
    assert listed == [{key: link[key] for key in fields} for link in (created, other)]
    assert created["code"] not in program.out("link", "list")
    assert [link["id"] for link in program.data("link", "list", "--store", "orchard")] == [
        other["id"]
    ]
    result = program.run("link", "revoke", created["id"])
    assert result.err == f"revoked the link {created['id']} of ada for nursery\n"
    message = program.refusal("link", "revoke", other["id"], created["id"])
    assert f"there is no link with the id {created['id']}" in message
    assert program.data("link", "list") == listed[1:]
    program.out("token", "revoke", "--user", "eve")
    assert program.data("link", "list") == []
