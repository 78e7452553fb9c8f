"""Access from the command line: what each change says, and what asks before it is done."""

import pytest

from tests.cli.program import Program
from tests.service import Service


@pytest.fixture
def program(program: Program) -> Program:
    """The program with ada, who owns the nursery, and eve, an editor there."""
    for user in ("ada", "eve"):
        program.out("token", "create", "--create", "--store", "nursery", "--user", user)
    return program


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("store rename nursery orchard", "renamed the store nursery to orchard: its path is"),
        ("store set nursery --max-plants 9", "nursery may hold at most 9 plants; it holds 0"),
        ("store delete nursery --yes", "deleted the store nursery and its 0 plants"),
        ("user rename ada kim", "renamed the user ada to kim"),
        ("user delete eve --yes", "deleted the user eve, a member of nursery"),
        ("member add --store nursery --user eve --role owner", "eve is owner of nursery, no"),
        (
            "member add --create --store nursery --user kim --role reader",
            "kim is reader of nursery",
        ),
        ("member remove --store nursery --user eve", "eve is no longer in nursery"),
        ("token revoke --user eve", "revoked the token"),
        ("token rotate {token}", "the old token"),
        ("migrate", ""),
    ],
)
def test_a_change_says_what_it_did(program: Program, call: str, said: str) -> None:
    call = call.format(token=program.token_ids()[0])
    done = program.run(*call.split(), "--json")
    assert (done.status, done.err.startswith(said)) == (0, True), done
    assert done.data()


def test_revoking_who_could_give_access_says_where_to_look(program: Program) -> None:
    look = " audit list --user ada`"
    assert look not in program.run("token", "revoke", "--user", "ada").err
    program.out("token", "create", "--store", "nursery", "--user", "ada", "--manage")
    assert look in program.run("token", "revoke", "--user", "ada").err


def test_quiet_changes_say_nothing(program: Program) -> None:
    for call in ("token revoke --all", "store rename nursery orchard", "user delete ada --yes"):
        done = program.run(*call.split(), "--quiet")
        assert (done.status, done.out, done.err) == (0, "", "")


def test_a_new_member_of_nearly_a_known_name_is_pointed_out(program: Program) -> None:
    call = "member add --create --store nursery --user evee --role reader"
    done = program.run(*call.split())
    assert "check the name of the new user 'evee' (did you mean 'eve'?)" in done.err


def test_erasing_the_last_owner_names_the_store(program: Program) -> None:
    refused = program.run("user", "delete", "ada", stdin="eve\n")
    assert refused.status == 1
    assert "No owner is left in: nursery." in refused.err
    assert program.run("user", "delete", "ada", stdin="ada\n").status == 0
    assert [user["subject"] for user in program.data("user", "list")] == ["eve"]


def test_a_store_is_shown(program: Program) -> None:
    shown = program.data("store", "show", "nursery")
    assert (shown["members"], shown["tokens"], shown["bytes"]) == (2, 2, 0)
    assert "max_plants  -" in program.out("store", "show", "nursery").splitlines()


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
        (event,) = service.events("orchard")
        assert (event.is_user_deleted, event.token_label) == (True, "")
        soon = ("token", "create", "--store", "orchard", "--user", "eve", "--expires", "2d")
        made = program.data(*soon)
        assert service.status_of(made["token"]) == 200
        assert service.stop() == 0
        (used,) = [one for one in program.data("token", "list") if one["id"] == made["id"]]
        assert used["last_used_at"] >= made["created_at"]
