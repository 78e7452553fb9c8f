"""``plantstore token``: made in all combinations, used at once, listed without secrets, revoked."""

import subprocess
from contextlib import closing
from hashlib import sha256

import pytest
from click.testing import CliRunner

from plantstore.core.clock import now
from plantstore.core.tokens import is_well_formed
from plantstore.program import cli
from tests.administration import open_administration
from tests.cli.program import CREATE, PLANTSTORE, Program
from tests.databases import execute
from tests.service import Service
from tests.waiting import wait_until


def test_a_token_made_in_a_shell_works_without_and_with_a_running_server(program: Program) -> None:
    script = (
        'TOKEN=$(plantstore token create --create --store nursery --user ada) && printf %s "$TOKEN"'
    )
    before = program.in_shell(script)
    assert is_well_formed(before.out)
    assert before.err == (
        "created the user ada\ncreated the empty store nursery\nmade ada owner of nursery\n"
    )
    with Service(program.folder, database=program.database) as service:
        meanwhile = program.in_shell(script)
        assert is_well_formed(meanwhile.out)
        assert meanwhile.err == ""
        for token in (before.out, meanwhile.out):
            assert service.status_of(token) == 200
        assert before.out not in service.log()


def test_a_token_is_described_as_json(program: Program) -> None:
    made = program.data(*CREATE, "--label", "till")
    secret = made.pop("token")
    assert is_well_formed(secret)
    assert program.data("token", "list") == [made]
    assert made["id"] in program.out("token", "list")
    assert made | {"id": "", "created_at": ""} == {
        "id": "",
        "store": "nursery",
        "user": "ada",
        "label": "till",
        "scopes": ["create", "delete", "list", "update"],
        "permissions": ["create", "delete", "list", "update"],
        "all_stores": False,
        "state": "active",
        "created_at": "",
        "expires_at": made["expires_at"],
        "revoked_at": None,
        "last_used_at": None,
    }


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--role reader", {"scopes": ["list"]}),
        ("--scope list --scope list", {"scopes": ["list"]}),
        ("--role owner --manage --scope list", {"scopes": ["list", "manage"]}),
        ("--scope delete --scope create", {"scopes": ["create", "delete"]}),
        ("--label ümläut😀 --expires never", {"label": "ümläut😀", "expires_at": None}),
        ("--all-stores --role reader --scope create", {"all_stores": True, "scopes": ["create"]}),
    ],
)
def test_options_give_what_they_ask_for(
    program: Program, options: str, expected: dict[str, object]
) -> None:
    made = program.data(*CREATE, *options.split())
    assert made | expected == made
    assert (made["store"], made["user"]) == ("nursery", "ada")


def test_an_odd_lifetime_is_refused_with_the_form_of_one() -> None:
    for odd in ("", "0d", "-1d", "90", "d", "1.5h", "90D", "1y", "９０d", "9999999d", "99999w"):
        done = CliRunner().invoke(cli, [*CREATE, "--expires", odd])
        assert done.exit_code == 2
        assert "write never, or" in done.output


def test_a_scope_beyond_the_role_is_refused_with_what_gives_that_role(program: Program) -> None:
    program.make_store("nursery")
    create = (*CREATE, "--manage")
    said = program.refusal(*create, status=2)
    assert "does not allow: manage; give the user the role owner first, with --role owner" in said
    assert "for a new member, or `plantstore " in said or "member add --store nursery" in said
    program.out(*create, "--role", "owner")


def test_unused_tokens_are_found(program: Program) -> None:
    used, unused, revoked, new = (program.data(*CREATE)["id"] for _ in range(4))
    execute(program.database, "UPDATE tokens SET created_at = 0")
    program.out("token", "revoke", revoked)
    for token_id, column in ((used, "last_used_at"), (new, "created_at")):
        statement = f"UPDATE tokens SET {column} = $1 WHERE hex(substr(token_hash, 1, 8)) = $2"
        execute(program.database, statement, [(now(), token_id.upper())])
    assert program.token_ids("--not-used-since", "90d") == [unused]


def test_a_token_is_refused_as_soon_as_it_is_revoked(program: Program) -> None:
    with Service(program.folder, database=program.database) as service:
        by_id, by_itself, by_stdin, kept = (program.data(*CREATE) for _ in range(4))
        for made, argument, stdin in (
            (by_id, by_id["id"], ""),
            (by_itself, by_itself["token"], ""),
            (by_stdin, "-", by_stdin["token"] + "\n"),
        ):
            assert service.status_of(made["token"]) == 200
            done = program.run("token", "revoke", argument, stdin=stdin)
            assert (done.status, done.out) == (0, "")
            assert done.err == f"revoked the token {made['id']} of ada for nursery\n"
            assert service.status_of(made["token"]) == 401
        assert service.status_of(kept["token"]) == 200
    revoked = {token["id"]: token["revoked_at"] for token in program.data("token", "list")}
    assert [id_ for id_, at in revoked.items() if at is None] == [kept["id"]]


def test_a_token_that_is_given_twice_is_revoked_once(program: Program) -> None:
    made = program.data(*CREATE)
    assert len(program.data("token", "revoke", made["id"], made["token"])) == 1
    assert "there is no such token" in program.refusal("token", "revoke", "\udcff" * 40)


def test_the_newest_token_of_a_user_ends_with_the_first(program: Program) -> None:
    """Also where the command is killed: a thief's token is the newest, and there may be many."""
    program.out(*CREATE)
    hashes = [(sha256(b"%d" % number).digest(), number) for number in range(3000)]
    columns = "token_hash, created_at, store_id, user_id, all_stores, scopes, label"
    statement = f"INSERT INTO tokens ({columns}) VALUES ($1, $2, 1, 1, 0, 'list', '')"
    execute(program.database, statement, hashes)

    def times() -> set[object]:
        with closing(open_administration(program.database)) as administration:
            return {token.revoked_at for token in administration.list_tokens()}

    command = [*PLANTSTORE, "token", "revoke", "--user", "ada", "--quiet"]
    with subprocess.Popen(command, env=program.environ) as revoking:
        wait_until(lambda: times() != {None})
        revoking.kill()
    assert len(times()) == 1


def test_wrong_settings_do_not_keep_a_token_from_being_revoked(program: Program) -> None:
    token = program.out(*CREATE)
    wrong = Program(program.folder, {"PLANTSTORE_PORT": "abc", "PLANTSTORE_TLS_CERT": "nowhere"})
    wrong.out("token", "revoke", token)
    assert "PLANTSTORE_PORT is 'abc'" in wrong.refusal("check")
