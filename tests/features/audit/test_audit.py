"""The audit trail: who changed access, how and from where, without names of deleted users."""

import socket
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from plantstore.core.clock import now
from plantstore.databases import open_session
from plantstore.features.audit.trimming import trim_audit
from plantstore.sql.administration.audit import Actor, write_audit
from tests.cli.program import CREATE, Program
from tests.service import Service
from tests.waiting import wait_until

DAY_MS = 24 * 3600 * 1000


@pytest.fixture
def program(url: str, tmp_path: Path) -> Program:
    return Program(tmp_path, {"PLANTSTORE_DATABASE": url, "SUDO_USER": "grace"}).with_database()


def read_records(program: Program, *filters: str) -> list[dict[str, Any]]:
    """The records of the audit trail, without their times."""
    rows: list[dict[str, Any]] = program.data("audit", "list", *filters)
    assert all(row.pop("at") for row in rows)
    return rows


def actions(program: Program, *filters: str) -> list[str]:
    return [row["action"] for row in read_records(program, *filters)]


def test_commands_are_recorded_with_who_ran_them_and_details(program: Program) -> None:
    program.out("store", "create", "nursery")
    program.out(*CREATE, "--role", "owner")
    program.out(
        "member", "add", "--create", "--store", "nursery", "--user", "eve", "--role", "reader"
    )
    program.out("user", "rename", "eve", "eva")
    program.out("store", "set", "nursery", "--max-plants", "10")
    program.out("token", "revoke", "--user", "ada")
    rows = read_records(program)
    assert {row["by"] for row in rows} == {"grace"}
    assert {row["via"] for row in rows} == {"command"}
    assert {row["address"] for row in rows} == {socket.gethostname()}
    assert [(row["action"], row["store"], row["user"]) for row in rows] == [
        ("store create", "nursery", None),
        ("token create", "nursery", "ada"),
        ("member add", "nursery", "eva"),
        ("user rename", None, "eva"),
        ("store set", "nursery", None),
        ("token revoke", "nursery", "ada"),
    ]
    assert rows[2]["details"] == {"role": "reader"}
    assert rows[4]["details"] == {"max_plants": 10}
    assert rows[1]["details"] == rows[5]["details"]  # the token's id
    assert actions(program, "--user", "eva") == ["member add", "user rename"]
    assert actions(program, "--store", "nursery", "--since", "1h")[0] == "store create"
    assert actions(program, "--since", "2099-01-01") == []
    assert "there is no user 'evi'" in program.refusal("audit", "list", "--user", "evi")
    assert "there is no store 'nursry'" in program.refusal("audit", "list", "--store", "nursry")
    assert "member add" in program.out("audit", "list")


def test_http_changes_are_recorded_with_user_token_and_address(
    program: Program, tmp_path: Path
) -> None:
    with Service(tmp_path, database=program.database) as service:
        token = program.out(*CREATE, "--manage")
        with service.client(token) as client:
            client.put("/members/eve", json={"role": "reader"}).raise_for_status()
            new_token = client.post("/tokens", json={"user": "eve"}).json()
            client.delete(f"/tokens/{new_token['id']}").raise_for_status()
            code = client.post("/links", json={"user": "eve"}).json()["code"]
            client.post("/links/redeem", json={"code": code}).raise_for_status()
            link = client.post("/links", json={"user": "ada"}).json()["id"]
            client.delete(f"/links/{link}").raise_for_status()
            client.delete("/members/eve").raise_for_status()
            assert client.delete("/members/ada").status_code == 409
            assert client.delete("/tokens/0000000000000000").status_code == 404
    created, *rows = read_records(program)
    by_ada = ("ada", created["details"]["token_id"])
    assert [(row["action"], row["user"], row["by"], row["token_id"]) for row in rows] == [
        ("member add", "eve", *by_ada),
        ("token create", "eve", *by_ada),
        ("token revoke", "eve", *by_ada),
        ("link create", "eve", *by_ada),
        ("link redeem", "eve", "eve", rows[4]["details"]["new_token_id"]),
        ("link create", "ada", *by_ada),
        ("link revoke", "ada", *by_ada),
        ("member remove", "eve", *by_ada),
    ]
    assert {(row["via"], row["address"], row["store"]) for row in rows} == {
        ("http", "127.0.0.1", "nursery")
    }
    assert rows[0]["details"] == {"role": "reader", "old_role": "none"}


def test_requests_that_change_nothing_are_not_recorded(program: Program, tmp_path: Path) -> None:
    with Service(tmp_path, database=program.database) as service:
        token = program.out(*CREATE, "--manage")
        with service.client(token) as client:
            new_token = client.post("/tokens", json={"user": "ada"}).json()
            for _ in range(2):
                client.put("/members/eve", json={"role": "reader"}).raise_for_status()
                client.delete(f"/tokens/{new_token['id']}").raise_for_status()
    for _ in range(2):
        result = program.run(
            "member", "add", "--store", "nursery", "--user", "eve", "--role", "editor"
        )
        program.out("store", "set", "nursery", "--max-plants", "10")
    assert result.err == "eve is editor of nursery\n"
    changes = ["token create", "token create", "member add", "token revoke"]
    assert actions(program) == [*changes, "member add", "store set"]


def test_refused_commands_are_not_recorded(program: Program) -> None:
    program.out(*CREATE, "--role", "owner")
    program.refusal("member", "remove", "--store", "nursery", "--user", "ada")
    program.refusal("user", "rename", "ada", "ada")
    assert actions(program) == ["token create"]


def test_records_keep_names_of_deleted_stores_but_not_of_users(program: Program) -> None:
    program.out("token", "create", "--create", "--store", "nursery", "--user", "adalovelace")
    program.out("user", "delete", "adalovelace", "--yes")
    program.out("store", "delete", "nursery", "--yes")
    created, erased, deleted = read_records(program)
    assert created["user"] == erased["user"]
    assert created["user"].startswith("deleted user ")
    assert (erased["action"], deleted["store"]) == ("user delete", "nursery")
    assert "adalovelace" not in program.out("audit", "list", "--json")


def test_old_records_are_deleted_except_the_newest_backup(program: Program) -> None:
    program.out("store", "create", "nursery")
    with closing(open_session(program.database)) as session:
        for _ in range(2):
            with session.transaction():
                write_audit(session, Actor(""), "backup", None, None)
            written = now()
            wait_until(lambda: now() > written, pause=0.001)  # noqa: B023 - it waits at once
        trim_audit(session, now() - DAY_MS)
        assert actions(program) == ["store create", "backup", "backup"]
        newest = read_records(program)[-1]
        trim_audit(session, now() + DAY_MS)
        assert read_records(program) == [newest]
