"""Error messages of administration commands: what happened, then what to do."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from plantstore.cli.errors import SENTENCES, describe_error
from plantstore.core.errors import NoSuchWebhookError, PlantStoreError, SetupError
from plantstore.features.access.links import MAX_LINKS
from plantstore.program import cli
from tests.cli.program import Program

REFUSALS = {
    "store create nursery": "the store 'nursery' already exists: choose another name",
    "user rename ada eve": "the user 'eve' already exists: choose another name",
    "store create Nursery": "'Nursery' is not a valid store name: use 1 to 63 lowercase letters, "
    "digits and, between them, hyphens",
    "user create ''": "the user's name must be 1 to 255 characters long, not 0",
    "token create --store nursery --user ada --label 'a\nb'": "the label must not contain control ",
    "token create --store nursery --user eve --scope manage": "the role editor does not allow: "
    "manage; give the user the role owner first, with --role owner for a new member, or "
    "`plantstore member add --store nursery --user eve --role owner`",
    "store show meadow": "there is no store 'meadow'; the stores are: full, nursery",
    "store show nurserie": "there is no store 'nurserie' (did you mean 'nursery'?); the stores",
    "user rename evee kim": "there is no user 'evee' (did you mean 'eve'?): `plantstore user list`",
    "user rename kim eve": "there is no user 'kim': `plantstore user list` shows all, "
    "`plantstore user create kim` creates one",
    "link create --store nursery --user 'kim o'": "kim o is not a member of nursery: `plantstore "
    "member list --store nursery` shows the members, `plantstore member add --create --store "
    "nursery --user 'kim o' --role editor` adds kim o",
    "link revoke 0123456789abcdef": "there is no link with the id 0123456789abcdef: it was used",
    "token create --store nursery --user ada --role reader": "ada is already owner of nursery: "
    "change that with `plantstore member add --store nursery --user ada --role reader`",
    "member remove --store nursery --user ada": "ada is the last owner of nursery: make another "
    "member an owner first, with `plantstore member add --store nursery --role owner "
    "--user NAME`, or give --yes",
    "link create --store full --user ada": "full has too many unused links: wait until they expire",
    "token revoke 0123456789abcdef": "there is no such token: `plantstore token list` shows all",
    "token revoke pst_1_x": "the token is mistyped: its checksum is wrong",
    "token rotate {token_id}": "the token {token_id} is revoked: create a new one",
}


@pytest.fixture(scope="module")
def revoked(tmp_path_factory: pytest.TempPathFactory) -> "tuple[Program, str]":
    """The program with stores and users, and the id of a revoked token."""
    folder: Path = tmp_path_factory.mktemp("errors")
    program = Program(folder).with_database()
    create = ("token", "create", "--create", "--store")
    program.out(*create, "full", "--user", "ada")
    token = program.data(*create, "nursery", "--user", "ada")
    program.out(*create, "nursery", "--user", "eve")
    program.out("token", "revoke", token["id"])
    for _ in range(MAX_LINKS):
        error_of(program, "link create --store full --user ada")
    return program, token["id"]


def error_of(program: Program, call: str) -> BaseException | None:
    call = f"--database {program.database} {call}"
    return CliRunner().invoke(cli, shlex.split(call)).exception


def test_each_error_message_says_what_to_do(revoked: tuple[Program, str]) -> None:
    program, token_id = revoked
    tested = set()
    for call, sentence in REFUSALS.items():
        error = error_of(program, call.format(token_id=token_id))
        assert isinstance(error, PlantStoreError | SetupError), call
        said = str(error) if isinstance(error, SetupError) else describe_error(error)
        assert said.startswith(sentence.format(token_id=token_id))
        tested.add(type(error))
    assert tested - {SetupError} == set(SENTENCES) - {
        NoSuchWebhookError
    }  # that feature has a test of its own
