"""``plantstore token``: what is missing is named before it is made; states; many at once."""

import os
import pty
import re
import subprocess
from contextlib import closing

import pytest

from tests.administration import open_administration
from tests.cli.program import CREATE, PLANTSTORE, Program


@pytest.fixture
def program(program: Program) -> Program:
    """The program with ada, who owns the nursery, and eve, an editor there."""
    for user in ("ada", "eve"):
        program.out(*CREATE[:-1], user)
    return program


def ids(program: Program, *filters: str) -> list[str]:
    return [token["id"] for token in program.data("token", "list", *filters)]


def count_all(program: Program) -> tuple[int, int]:
    """How many users and stores there are."""
    with closing(open_administration(program.database)) as administration:
        return len(administration.list_users()), len(administration.list_stores())


def test_what_is_mistyped_is_not_created(program: Program) -> None:
    create = ("token", "create", "--store", "nurserie", "--user", "kim")
    refused = program.refusal(*create)
    missing = "there is no user 'kim' and no store 'nurserie' (did you mean 'nursery'?): give"
    assert f"{missing} --create" in refused
    assert "no user 'kim': give" in program.refusal(*create[:3], "nursery", *create[4:])
    assert count_all(program) == (2, 1)
    assert program.out("token", "create", "--store", "nursery", "--user", "ada")


def test_what_is_created_by_a_mistyped_name_is_told(program: Program) -> None:
    made = program.run("token", "create", "--create", "--store", "nursry", "--user", "adaa")
    assert re.sub("`.* (?=user|store)", "`", made.err).splitlines() == [
        "created the user adaa",
        "created the empty store nursry",
        "made adaa owner of nursry",
        "did you mean the user ada? To delete the new user: `user delete adaa`",
        "did you mean the store nursery? To delete the new store: `store delete nursry`",
    ]


@pytest.mark.parametrize(("answer", "status", "users"), [("y", 0, 3), ("n", 1, 2)])
def test_on_a_terminal_it_asks(program: Program, answer: str, status: int, users: int) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PLANTSTORE, "token", "create", "--store", "nursery", "--user", "kim"],
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=program.environ,
    ) as asking:
        os.write(ours, f"{answer}\n".encode())
        _, said = asking.communicate(timeout=60)
    assert b"there is no user 'kim': create what is missing? [y/N]" in said
    assert asking.returncode == status
    assert count_all(program) == (users, 1)
    os.close(ours)
    os.close(theirs)


def test_tokens_are_listed_by_state_and_user(program: Program) -> None:
    create = ("token", "create", "--store", "nursery", "--user", "ada")
    soon = program.data(*create, "--expires", "5d", "--label", "soon")
    never = program.data(*create, "--expires", "never")
    program.out("token", "revoke", never["id"])
    assert (soon["state"], never["expires_at"]) == ("expiring", None)
    assert ids(program, "--expiring", "6d") == [soon["id"]]
    assert ids(program, "--expiring", "4d") == []
    assert len(ids(program, "--user", "ada", "--active")) == 2
    assert len(ids(program, "--user", "eve")) == 1
    done = program.run("token", "list")
    assert done.err.startswith("expire within 14 days: 1; see `")
    assert all(line == line.rstrip() for line in done.out.splitlines())
    listed = {token["id"]: token for token in program.data("token", "list")}
    assert (listed[never["id"]]["state"], listed[never["id"]]["permissions"]) == ("revoked", [])
    assert "no user 'kim'" in program.refusal("token", "list", "--user", "kim")


def test_a_token_expires_and_has_a_label_by_default(program: Program) -> None:
    create = ("token", "create", "--store", "nursery", "--user", "ada")
    made = program.data(*create)
    (program.folder / "s.toml").write_text("token_expiry = 7\n")
    short = program.data("--settings", "s.toml", *create)
    assert int(made["expires_at"][:4]) == int(made["created_at"][:4]) + 1
    assert short["state"] == "expiring"
    assert made["label"].endswith(f" {made['created_at'][:10]}")
    assert "@" in made["label"]
    assert program.data(*create, "--label", "")["label"] == ""
    dated = program.data(*create, "--expires", "2999-01-31")
    assert dated["expires_at"] == "2999-01-31T00:00:00Z"
    past = program.refusal(*create, "--expires", "2001-01-31", status=2)
    assert "2001-01-31 has passed" in past


def test_tokens_are_revoked_together_and_once(program: Program) -> None:
    first = ids(program)[0]
    assert "revoked the token" in program.run("token", "revoke", first).err
    again = program.run("token", "revoke", first)
    assert (again.status, "was revoked at 20" in again.err) == (0, True)
    revoked = program.run("token", "revoke", "--all", "--store", "nursery", "--json")
    assert [token["state"] for token in revoked.data()] == ["revoked"]
    assert program.run("token", "revoke", "--all").err == "there is no token to revoke\n"
    for wrong in ((), (first, "--all"), ("--store", "nursery"), ("--user", "ada", "--all")):
        assert "give tokens, or --user" in program.refusal("token", "revoke", *wrong, status=2)
