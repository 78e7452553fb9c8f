"""Access commands: what each change prints, and which ask for confirmation."""

import pytest

from tests.cli.program import Program
from tests.service import Service


@pytest.fixture
def program(program: Program) -> Program:
    """The program with the store nursery, whose owner is ada and whose editor is eve."""
    for user in ("ada", "eve"):
        program.out("token", "create", "--create", "--store", "nursery", "--user", user)
    return program


@pytest.mark.parametrize(
    ("call", "message"),
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
        ("token rotate {token}", "the new token expires at 2"),
        ("migrate", ""),
    ],
)
def test_each_change_prints_what_it_did(program: Program, call: str, message: str) -> None:
    call = call.format(token=program.token_ids()[0])
    result = program.run(*call.split(), "--json")
    assert (result.status, result.err.startswith(message)) == (0, True), result
    assert result.data()


def test_revoking_a_managing_token_points_to_the_audit_trail(program: Program) -> None:
    hint = " audit list --user ada`"
    assert hint not in program.run("token", "revoke", "--user", "ada").err
    program.out("token", "create", "--store", "nursery", "--user", "ada", "--manage")
    assert hint in program.run("token", "revoke", "--user", "ada").err


def test_quiet_changes_print_nothing(program: Program) -> None:
    for call in (
        "token revoke --all --yes",
        "store rename nursery orchard",
        "user delete ada --yes",
    ):
        result = program.run(*call.split(), "--quiet")
        assert (result.status, result.out, result.err) == (0, "", "")


def test_adding_a_new_user_warns_about_a_similar_name(program: Program) -> None:
    call = "member add --create --store nursery --user evee --role reader"
    result = program.run(*call.split())
    assert "check the name of the new user 'evee' (did you mean 'eve'?)" in result.err


def test_a_member_with_a_higher_role_needs_a_new_token(program: Program) -> None:
    add = ("member", "add", "--store", "nursery", "--user", "eve", "--role")
    hint = "; tokens keep their scopes: to use the higher role, create a new one"
    for role, is_higher in (("reader", False), ("editor", True), ("editor", False)):
        assert (hint in program.run(*add, role).err) == is_higher


def test_deleting_a_user_names_stores_left_without_an_owner(program: Program) -> None:
    refused = program.run("user", "delete", "ada", stdin="eve\n")
    assert refused.status == 1
    assert "No owner is left in: nursery." in refused.err
    assert program.run("user", "delete", "ada", stdin="ada\n").status == 0
    assert [user["subject"] for user in program.data("user", "list")] == ["eve"]


def test_store_show_prints_members_tokens_size_and_quota(program: Program) -> None:
    store = program.data("store", "show", "nursery")
    assert (store["members"], store["tokens"], store["bytes"]) == (2, 2, 0)
    assert "max_plants  -" in program.out("store", "show", "nursery").splitlines()


def test_a_running_service_applies_each_change_at_once(program: Program) -> None:
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
            new_token = program.out("token", "rotate", token, "--grace", "0")
            assert client.get("/plants").status_code == 401
        with service.client(new_token) as client:
            assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
            program.out("user", "delete", "ada lovelace", "--yes")
            assert client.get("/plants").status_code == 401
        (event,) = service.events("orchard")
        assert (event.is_user_deleted, event.token_label) == (True, "")
        create = ("token", "create", "--store", "orchard", "--user", "eve", "--expires", "2d")
        created = program.data(*create)
        assert service.status_of(created["token"]) == 200
        assert service.stop() == 0
        (listed,) = [row for row in program.data("token", "list") if row["id"] == created["id"]]
        assert listed["last_used_at"] >= created["created_at"]
