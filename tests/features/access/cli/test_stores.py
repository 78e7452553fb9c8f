"""``plantstore store``, ``user`` and ``member``."""

import re
import signal
import subprocess
import time

from tests.cli.program import PLANTSTORE, Program
from tests.cli.test_exit_status import BEFORE_READING

TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def test_stores_are_created_listed_and_deleted(program: Program) -> None:
    created = program.run("store", "create", "nursery")
    assert (created.status, created.out, created.err) == (0, "nursery\n", "")
    program.out("store", "create", "orchard")
    listed = program.data("store", "list")
    assert [(store["name"], store["revision"]) for store in listed] == [
        ("nursery", 0),
        ("orchard", 0),
    ]
    assert all(TIME.fullmatch(store["created_at"]) for store in listed)
    program.out("store", "delete", "nursery", "--yes")
    table = program.out("store", "list").splitlines()
    assert table[0].split() == ["name", "owners", "plants", "max_plants", "revision", "created_at"]
    assert [line.split()[:5] for line in table[1:]] == [["orchard", "-", "0", "-", "0"]]


def test_max_plants_sets_the_quota_of_a_store(program: Program) -> None:
    assert program.data("store", "create", "nursery", "--max-plants", "7")["max_plants"] == 7
    program.out("store", "create", "orchard", PLANTSTORE_MAX_PLANTS="9")
    program.out(
        "token", "create", "--create", "--store", "roof", "--user", "ada", PLANTSTORE_MAX_PLANTS="8"
    )
    assert [store["max_plants"] for store in program.data("store", "list")] == [7, 9, 8]
    changed = program.run("store", "set", "nursery", "--max-plants", "none")
    assert changed.err == "nursery may hold any number of plants; it holds 0\n"
    assert program.data("store", "list")[0]["max_plants"] is None
    for invalid in ("", "0", "-1", "many", "٣", f"1{15 * '0'}1"):
        for command in ("set", "create"):
            quota = ("--max-plants", invalid)
            refused = program.refusal("store", command, "nursery", *quota, status=2)
            assert "a whole number" in refused


def test_deleting_a_store_asks_for_its_name_on_stderr(program: Program) -> None:
    program.out("store", "create", "nursery")
    mismatch = "the name does not match: nothing was deleted"
    for typed, message in (
        ("y\n", mismatch),
        ("\n", mismatch),
        ("orchard\n", mismatch),
        ("", "give --yes"),
    ):
        result = program.run("store", "delete", "nursery", stdin=typed)
        assert (result.status, result.out) == (1, "")
        assert message in result.err
    assert len(program.data("store", "list")) == 1
    result = program.run("store", "delete", "nursery", stdin="nursery\n")
    assert (result.status, result.out) == (0, "")
    assert "The store nursery and its 0 plants will be deleted, permanently." in result.err
    assert program.data("store", "list") == []


def test_interrupting_the_prompt_exits_with_130(program: Program) -> None:
    program.out("token", "create", "--create", "--store", "nursery", "--user", "ada")
    with subprocess.Popen(
        [*PLANTSTORE, "store", "delete", "nursery"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=program.environ,
    ) as process:
        assert process.stderr is not None
        while b"Type the name" not in process.stderr.peek(1000):  # type: ignore[attr-defined]  # buffered
            assert process.poll() is None
        time.sleep(BEFORE_READING)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert b"Traceback" not in err
    assert len(program.data("store", "list")) == 1


def test_users_are_created_and_listed(program: Program) -> None:
    assert program.out("user", "create", "eve") == "eve"
    assert program.data("user", "create", "ada lovelace") == {"subject": "ada lovelace"}
    program.out("token", "create", "--create", "--store", "nursery", "--user", "eve")
    program.out("token", "create", "--create", "--store", "orchard", "--user", "eve")
    assert program.data("user", "list") == [
        {"subject": "ada lovelace", "stores": []},
        {
            "subject": "eve",
            "stores": [{"name": "nursery", "role": "owner"}, {"name": "orchard", "role": "owner"}],
        },
    ]
    assert [line.rstrip() for line in program.out("user", "list").splitlines()] == [
        "subject       stores",
        "ada lovelace  -",
        "eve           nursery (owner),orchard (owner)",
    ]
    program.out("member", "add", "--store", "nursery", "--user", "ada lovelace", "--role", "owner")
    owners = [store["owners"] for store in program.data("store", "list")]
    assert owners == [["ada lovelace", "eve"], ["eve"]]


def test_members_are_added_changed_listed_and_removed(program: Program) -> None:
    program.out("store", "create", "nursery")
    for user in ("ada", "eve"):
        program.out("user", "create", user)
    options = ("--store", "nursery", "--user")
    assert program.out("member", "add", *options, "ada", "--role", "owner") == ""
    assert program.out("member", "add", *options, "eve", "--role", "reader") == ""
    assert program.out("member", "add", *options, "eve", "--role", "editor") == ""
    listed = program.data("member", "list", "--store", "nursery")
    assert [(member["user"], member["role"], member["by"]) for member in listed] == [
        ("ada", "owner", None),
        ("eve", "editor", None),
    ]
    assert program.out("member", "remove", *options, "ada", "--yes") == ""
    table = program.out("member", "list", "--store", "nursery").splitlines()
    since = listed[1]["since"]
    assert [line.split() for line in table] == [
        ["user", "role", "since", "by"],
        ["eve", "editor", since, "-"],
    ]


def test_tables_show_unusual_names_unchanged(program: Program) -> None:
    names = ["[bold]ada[/bold]", "שלום", "😀 " + 100 * "x", "a\u200fb"]
    for name in names:
        program.out("user", "create", name)
    assert {row["subject"] for row in program.data("user", "list")} == set(names)
    lines = program.out("user", "list").splitlines()[1:]
    assert {line.removesuffix("-").strip() for line in lines} == set(names)
