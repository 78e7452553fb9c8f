"""``plantstore link``: an address to sign in with."""

from pathlib import Path

import httpx
import pytest

from tests.cli.program import Program
from tests.service import Service


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program with a store and its owner."""
    made = Program(tmp_path).with_database()
    made.out("token", "create", "--create", "--store", "nursery", "--user", "ada")
    return made


def test_the_address_signs_in(tmp_path: Path, program: Program) -> None:
    with Service(tmp_path, database=program.environ["PLANTSTORE_DATABASE"]) as service:
        address = ("--address", f"{service.origin}/")
        options = ("--store", "nursery", "--user", "ada", "--label", "laptop", *address)
        for more, expected in (((), 4), (("--manage",), 5)):
            origin, _, code = program.out("link", *options, *more).partition("/#code=")
            assert origin == service.origin
            given = httpx.post(f"{origin}/link", json={"code": code}, verify=False).json()
            assert (given["user"], given["label"]) == ("ada", "laptop")
            assert len(given["scopes"]) == expected


def test_the_address_is_that_of_the_settings(program: Program) -> None:
    options = ("link", "--store", "nursery", "--user", "ada")
    assert program.out(*options).startswith("http://localhost:8080/#code=psl_")
    made = program.data(*options)
    assert made["url"].endswith(f"/#code={made['code']}")
    program.environ["PLANTSTORE_PUBLIC_URL"] = "https://plants.example/garden/"
    assert program.out(*options).startswith("https://plants.example/garden/#code=psl_")


def test_only_a_member_gets_a_link_and_only_an_owner_may_manage(program: Program) -> None:
    program.out("user", "create", "eve")
    options = ("link", "--store", "nursery", "--user", "eve")
    assert "is not a member of nursery" in program.refusal(*options)
    program.out("member", "add", "--store", "nursery", "--user", "eve", "--role", "editor")
    assert "the role editor does not allow: manage" in program.refusal(*options, "--manage")
