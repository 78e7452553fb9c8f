"""``plantstore token``: creating, listing and revoking tokens."""

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


def test_a_token_can_be_created_before_and_while_the_service_runs(program: Program) -> None:
    script = (
        'TOKEN=$(plantstore token create --create --store nursery --user ada) && printf %s "$TOKEN"'
    )
    before = program.in_shell(script)
    assert is_well_formed(before.out)
    assert before.err == (
        "created the user ada\ncreated the empty store nursery\nmade ada owner of nursery\n"
    )
    with Service(program.folder, database=program.database) as service:
        during = program.in_shell(script)
        assert is_well_formed(during.out)
        assert during.err == ""
        for token in (before.out, during.out):
            assert service.status_of(token) == 200
        assert before.out not in service.log()


def test_create_and_list_describe_a_token_as_json(program: Program) -> None:
    token = program.data(*CREATE, "--label", "till")
    secret = token.pop("token")
    assert is_well_formed(secret)
    assert program.data("token", "list") == [token]
    assert token["id"] in program.out("token", "list")
    assert token | {"id": "", "created_at": ""} == {
        "id": "",
        "store": "nursery",
        "user": "ada",
        "label": "till",
        "scopes": ["create", "delete", "list", "update"],
        "permissions": ["create", "delete", "list", "update"],
        "all_stores": False,
        "state": "active",
        "created_at": "",
        "expires_at": token["expires_at"],
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
def test_create_options_set_the_tokens_fields(
    program: Program, options: str, expected: dict[str, object]
) -> None:
    token = program.data(*CREATE, *options.split())
    assert token | expected == token
    assert (token["store"], token["user"]) == ("nursery", "ada")


def test_an_invalid_lifetime_is_refused_with_the_expected_format() -> None:
    for lifetime in (
        "",
        "0d",
        "-1d",
        "90",
        "d",
        "1.5h",
        "90D",
        "1y",
        "９０d",
        "9999999d",
        "99999w",
    ):
        result = CliRunner().invoke(cli, [*CREATE, "--expires", lifetime])
        assert result.exit_code == 2
        assert "write never, or" in result.output


def test_a_scope_beyond_the_role_is_refused_with_the_required_role(program: Program) -> None:
    program.make_store("nursery")
    create = (*CREATE, "--manage")
    message = program.refusal(*create, status=2)
    assert (
        "does not allow: manage; give the user the role owner first, with --role owner" in message
    )
    assert "for a new member, or `plantstore " in message or "member add --store nursery" in message
    program.out(*create, "--role", "owner")


def test_not_used_since_lists_unused_tokens(program: Program) -> None:
    used, unused, revoked, new = (program.data(*CREATE)["id"] for _ in range(4))
    execute(program.database, "UPDATE tokens SET created_at = 0")
    program.out("token", "revoke", revoked)
    for token_id, column in ((used, "last_used_at"), (new, "created_at")):
        statement = f"UPDATE tokens SET {column} = $1 WHERE hex(substr(token_hash, 1, 8)) = $2"
        execute(program.database, statement, [(now(), token_id.upper())])
    assert program.token_ids("--not-used-since", "90d") == [unused]


def test_token_revoke_takes_effect_immediately(program: Program) -> None:
    with Service(program.folder, database=program.database) as service:
        by_id, by_itself, by_stdin, active = (program.data(*CREATE) for _ in range(4))
        for token, argument, stdin in (
            (by_id, by_id["id"], ""),
            (by_itself, by_itself["token"], ""),
            (by_stdin, "-", by_stdin["token"] + "\n"),
        ):
            assert service.status_of(token["token"]) == 200
            result = program.run("token", "revoke", argument, stdin=stdin)
            assert (result.status, result.out) == (0, "")
            assert result.err == f"revoked the token {token['id']} of ada for nursery\n"
            assert service.status_of(token["token"]) == 401
        assert service.status_of(active["token"]) == 200
    revoked = {token["id"]: token["revoked_at"] for token in program.data("token", "list")}
    assert [id_ for id_, at in revoked.items() if at is None] == [active["id"]]


def test_a_token_that_is_given_twice_is_revoked_once(program: Program) -> None:
    token = program.data(*CREATE)
    assert len(program.data("token", "revoke", token["id"], token["token"])) == 1
    assert "there is no such token" in program.refusal("token", "revoke", "\udcff" * 40)


def test_revoking_all_tokens_of_a_user_is_atomic(program: Program) -> None:
    """A command that is killed revokes all tokens or none, however many there are."""
    program.out(*CREATE)
    hashes = [(sha256(b"%d" % number).digest(), number) for number in range(3000)]
    columns = "token_hash, created_at, store_id, user_id, all_stores, scopes, label"
    statement = f"INSERT INTO tokens ({columns}) VALUES ($1, $2, 1, 1, 0, 'list', '')"
    execute(program.database, statement, hashes)

    def revocation_times() -> set[object]:
        with closing(open_administration(program.database)) as administration:
            return {token.revoked_at for token in administration.list_tokens()}

    command = [*PLANTSTORE, "token", "revoke", "--user", "ada", "--quiet"]
    with subprocess.Popen(command, env=program.environ) as revoking:
        wait_until(lambda: revocation_times() != {None})
        revoking.kill()
    assert len(revocation_times()) == 1


def test_a_token_can_be_revoked_despite_invalid_settings(program: Program) -> None:
    token = program.out(*CREATE)
    wrong = Program(program.folder, {"PLANTSTORE_PORT": "abc", "PLANTSTORE_TLS_CERT": "nowhere"})
    wrong.out("token", "revoke", token)
    assert "PLANTSTORE_PORT is 'abc'" in wrong.refusal("check")
