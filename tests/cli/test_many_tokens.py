"""``plantstore token``: mistyped names, defaults, filters, rotating and revoking many tokens."""

from datetime import datetime, timedelta

import pytest

from tests.cli.program import CREATE, Program


@pytest.fixture
def program(program: Program) -> Program:
    """The program with ada, who owns the nursery, and eve, an editor there."""
    for user in ("ada", "eve"):
        program.out(*CREATE[:-1], user)
    return program


def test_a_mistyped_user_or_store_is_not_created(program: Program) -> None:
    for _ in range(2):
        refused = program.refusal("token", "create", "--store", "nurserie", "--user", "kim")
        assert "no user 'kim' and no store 'nurserie' (did you mean 'nursery'?): add --c" in refused


def test_create_warns_of_names_similar_to_existing_ones(program: Program) -> None:
    created = program.run("token", "create", "--create", "--store", "nursry", "--user", "adaa")
    assert created.err.splitlines() == [
        "created the user adaa",
        "created the empty store nursry",
        "made adaa owner of nursry",
        "check the name of the new user 'adaa' (did you mean 'ada'?)",
        "check the name of the new store 'nursry' (did you mean 'nursery'?)",
    ]


def test_tokens_are_filtered_by_state_user_and_store(program: Program) -> None:
    create = ("token", "create", "--store", "nursery", "--user", "ada")
    soon = program.data(*create, "--expires", "5d", "--label", "soon")
    never = program.data(*create, "--expires", "never")
    program.out("token", "revoke", never["id"])
    assert (soon["state"], never["expires_at"]) == ("expiring", None)
    assert program.token_ids("--expiring", "6d") == [soon["id"]]
    assert program.token_ids("--expiring", "4d") == []
    assert len(program.token_ids("--user", "ada", "--active")) == 2
    assert len(program.token_ids("--user", "eve")) == 1
    program.out(*CREATE[:-3], "orchard", "--user", "eve")
    assert len(program.token_ids("--store", "orchard")) == 1
    result = program.run("token", "list")
    assert result.err.startswith("tokens that expire within 14 days: 1; see `")
    assert all(line == line.rstrip() for line in result.out.splitlines())
    listed = {token["id"]: token for token in program.data("token", "list")}
    assert (listed[never["id"]]["state"], listed[never["id"]]["permissions"]) == ("revoked", [])
    assert "no user 'kim'" in program.refusal("token", "list", "--user", "kim")


def test_a_token_expires_and_has_a_label_by_default(program: Program) -> None:
    create = ("token", "create", "--store", "nursery", "--user", "ada")
    created = program.data(*create)
    (program.folder / "s.toml").write_text("token_expiry = 7\n")
    short = program.data("--settings", "s.toml", *create)
    assert int(created["expires_at"][:4]) == int(created["created_at"][:4]) + 1
    assert short["state"] == "expiring"
    assert created["label"].endswith(f" {created['created_at'][:10]}")
    assert "@" in created["label"]
    assert program.data(*create, "--label", "")["label"] == ""
    dated = program.data(*create, "--expires", "2999-01-31")
    assert dated["expires_at"] == "2999-01-31T00:00:00Z"
    past = program.refusal(*create, "--expires", "2001-01-31", status=2)
    assert "2001-01-31 has passed" in past


@pytest.mark.parametrize(("expires", "days"), [("30d", 30), ("never", None)])
def test_a_token_rotated_again_gives_the_same_lifetime(
    program: Program, expires: str, days: int | None
) -> None:
    create = ("token", "create", "--store", "nursery", "--user", "ada", "--expires", expires)
    first = program.data(*create)["id"]
    for token_id in (first, first, program.data("token", "rotate", first)["id"], first):
        new = program.data("token", "rotate", token_id, "--grace", "1d")
        begin, end = (
            new[name] and datetime.fromisoformat(new[name]) for name in ("created_at", "expires_at")
        )
        assert (end and round((end - begin) / timedelta(days=1))) == days


def test_tokens_are_revoked_once_and_all_together(program: Program) -> None:
    first = program.token_ids()[0]
    assert "revoked the token" in program.run("token", "revoke", first).err
    again = program.run("token", "revoke", first)
    assert (again.status, "was revoked at 20" in again.err) == (0, True)
    revoked = program.run("token", "revoke", "--all", "--store", "nursery", "--json")
    assert [token["state"] for token in revoked.data()] == ["revoked"]
    assert (
        program.run("token", "revoke", "--all").err
        == "no token to revoke, and no unused link is left\n"
    )
    program.out(*CREATE)
    unasked = program.refusal("token", "revoke", "--all")
    assert unasked.startswith("Revoke all 1 valid tokens, of all stores? [y/N]: \nError: stdin is")
    assert "revoked the token" in program.run("token", "revoke", "--all", "--yes").err
    for wrong in ((), (first, "--all"), ("--store", "nursery"), ("--user", "ada", "--all")):
        assert "give tokens, or --user" in program.refusal("token", "revoke", *wrong, status=2)
