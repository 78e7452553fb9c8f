"""Access from the command line: what each change says, and what asks before it is done."""

import os
import pty
import subprocess

import pytest

from tests.cli.program import PLANTSTORE, Program
from tests.databases import execute
from tests.service import Service


@pytest.fixture
def program(program: Program) -> Program:
    """The program with ada, who owns the nursery, and eve, an editor there."""
    for user in ("ada", "eve"):
        program.out("token", "create", "--create", "--store", "nursery", "--user", user)
    return program


def ids(program: Program, *filters: str) -> list[str]:
    return [token["id"] for token in program.data("token", "list", *filters)]


def add_deleted_plant(program: Program) -> None:
    """As if somebody had created the plant 1 of the nursery and deleted it."""
    columns = "store_id, revision, kind, plant_id, name, at, user_id, token_label"
    row = (1, 1, "plant.deleted", 1, "Fern", 0, 1, "")
    values = ", ".join(f"${number}" for number in range(1, 9))
    execute(program.database, f"INSERT INTO events ({columns}) VALUES ({values})", [row])
    execute(program.database, "UPDATE revisions SET revision = 1 WHERE store_id = 1")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("store rename nursery orchard", "renamed the store nursery to orchard: its path is"),
        ("store set nursery --max-plants 9", "nursery may hold at most 9 plants; it holds 0"),
        ("store delete nursery --yes", "deleted the store nursery and its 0 plants"),
        ("user rename ada kim", "renamed the user ada to kim"),
        ("user delete eve --yes", "deleted the user eve, a member of nursery"),
        ("member add --store nursery --user eve --role owner", "eve is owner of nursery, no"),
        ("member remove --store nursery --user eve", "eve is no longer in nursery"),
        ("token revoke --user eve", "revoked the token"),
        ("token rotate {token}", "the old token"),
        ("migrate", ""),
        ("plant restore --store nursery 1", "restored the plant 1, 'Fern', in nursery"),
    ],
)
def test_a_change_says_what_it_did(program: Program, call: str, said: str) -> None:
    add_deleted_plant(program)
    call = call.format(token=ids(program)[0])
    done = program.run(*call.split(), "--json")
    assert (done.status, done.err.startswith(said)) == (0, True), done
    assert done.data()


def test_quiet_changes_say_nothing(program: Program) -> None:
    for call in ("token revoke --all", "store rename nursery orchard", "user delete ada --yes"):
        done = program.run(*call.split(), "--quiet")
        assert (done.status, done.out, done.err) == (0, "", "")


def test_what_is_mistyped_is_not_created(program: Program) -> None:
    create = ("token", "create", "--store", "nurserie", "--user", "kim")
    refused = program.refusal(*create)
    missing = "there is no user 'kim' and no store 'nurserie' (did you mean 'nursery'?): give"
    assert f"{missing} --create" in refused
    assert "no user 'kim': give" in program.refusal(*create[:3], "nursery", *create[4:])
    assert len(program.data("user", "list")) == 2
    assert len(program.data("store", "list")) == 1
    assert program.out("token", "create", "--store", "nursery", "--user", "ada")


def test_what_is_created_by_a_mistyped_name_is_told(program: Program) -> None:
    made = program.run("token", "create", "--create", "--store", "nursry", "--user", "adaa")
    assert made.err.splitlines() == [
        "created the user adaa",
        "created the empty store nursry",
        "made adaa owner of nursry",
        "did you mean the user ada? To delete the new user: plantstore user delete adaa",
        "did you mean the store nursery? To delete the new store: plantstore store delete nursry",
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
    assert len(program.data("user", "list")) == users
    os.close(ours)
    os.close(theirs)


def test_erasing_the_last_owner_names_the_store(program: Program) -> None:
    refused = program.run("user", "delete", "ada", stdin="eve\n")
    assert refused.status == 1
    assert "No owner is left in: nursery." in refused.err
    assert program.run("user", "delete", "ada", stdin="ada\n").status == 0
    assert [user["subject"] for user in program.data("user", "list")] == ["eve"]


def test_a_user_and_a_store_are_shown(program: Program) -> None:
    assert program.data("user", "show", "ada") == {
        "subject": "ada",
        "stores": [{"name": "nursery", "role": "owner"}],
        "tokens": ids(program, "--user", "ada"),
    }
    assert "stores   nursery (owner)" in program.out("user", "show", "ada").splitlines()
    shown = program.data("store", "show", "nursery")
    assert (shown["members"], shown["tokens"], shown["bytes"]) == (2, 2, 0)
    assert "max_plants  -" in program.out("store", "show", "nursery").splitlines()


def test_a_higher_role_names_the_tokens_that_stay_narrow(program: Program) -> None:
    add = ("member", "add", "--store", "nursery", "--user", "eve", "--role")
    assert program.run(*add, "reader").err == "eve is reader of nursery, no longer editor\n"
    narrow = program.data("token", "create", "--store", "nursery", "--user", "eve")["id"]
    said = program.run(*add, "editor").err
    assert said.splitlines()[1:] == [f"the token {narrow} still allows only: list"]


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
    assert done.err == "expire within 14 days: 1; see `plantstore token rotate`\n"
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


def test_the_service_follows_each_change_at_once(program: Program) -> None:
    with Service(program.folder, database=program.database) as service:
        token = program.out("token", "create", "--store", "nursery", "--user", "ada")
        with service.client(token) as client:
            assert client.get("/stores/nursery/plants").status_code == 200
            program.out("store", "rename", "nursery", "orchard")
            program.out("user", "rename", "ada", "ada lovelace")
            assert client.get("/stores/nursery/plants").status_code == 404
            assert client.get("/stores/orchard/plants").status_code == 200
            me = client.get("/me").json()
            assert (me["user"], me["store"]) == ("ada lovelace", "orchard")
            new = program.out("token", "rotate", token, "--grace", "0")
            assert client.get("/plants").status_code == 401
        with service.client(new) as client:
            assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
            program.out("user", "delete", "ada lovelace", "--yes")
            assert client.get("/plants").status_code == 401
        (event,) = program.data("event", "list", "--store", "orchard")
        assert (event["user"], event["token_label"]) == ("deleted user", "")
        soon = ("token", "create", "--store", "orchard", "--user", "eve", "--expires", "2d")
        made = program.data(*soon)
        with service.client(made["token"]) as client:
            assert client.get("/plants").status_code == 200
        assert service.stop() == 0
        (used,) = [one for one in program.data("token", "list") if one["id"] == made["id"]]
        assert used["last_used_at"] >= made["created_at"]
