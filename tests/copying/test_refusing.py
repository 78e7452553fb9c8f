"""A target with a life of its own is refused and left as it is; so is what cannot be copied."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from plantstore.bootstrap import open_administration, open_copy
from plantstore.errors import SetupError
from plantstore.model import Role, TokenRequest
from plantstore.sql.administration import Administration
from tests.cli.program import Program
from tests.copying.contents import contents, seed
from tests.copying.fixtures import fill
from tests.copying.test_arriving import copy
from tests.databases import SQLITE, execute
from tests.postgres.server import PostgresServer
from tests.service import Service


@pytest.fixture
def source(tmp_path: Path) -> str:
    """A source; of which kind makes no difference to what is refused."""
    (tmp_path / "source").mkdir()
    return f"sqlite:///{tmp_path / 'source' / 'plants.db'}"


def first_token(administration: Administration) -> str:
    """The token that was made first, and is not revoked."""
    return next(token.token_id for token in administration.list_tokens("nursery"))


def make_store_again(administration: Administration) -> None:
    """Another store of the same name."""
    administration.delete_store("empty")
    administration.create_store("empty")


OWN: dict[str, Callable[[Administration], object]] = {
    "store 'roof'": lambda it: it.create_store("roof"),
    "store 'empty'": make_store_again,
    "user 'eve'": lambda it: it.create_user("eve"),
    "member of 'empty'": lambda it: it.add_member("empty", "ada", Role.READER),
    "member of 'nursery'": lambda it: it.add_member("nursery", "kiosk", Role.EDITOR),
    "of 'nursery', or has revoked": lambda it: it.revoke_token(first_token(it)),
    "the token": lambda it: it.create_token(TokenRequest(subject="ada", store="nursery")),
}


def refused(program: Program, source: str, target: str) -> str:
    """Copy without success, and with nothing changed; what was said."""
    before = contents(target), contents(source)
    said = program.refusal("copy", "--from", source, "--to", target)
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert (contents(target), contents(source)) == before
    return said


@pytest.mark.parametrize("own", OWN)
def test_a_target_that_was_administered_is_refused(
    program: Program, source: str, target: str, tmp_path: Path, own: str
) -> None:
    fill(tmp_path, source)
    copy(program, source, target)
    with closing(open_administration(target)) as administration:
        OWN[own](administration)
    said = refused(program, source, target)
    assert own in said
    assert "nothing was written" in said


def test_a_target_that_was_written_to_is_refused(
    program: Program, source: str, target: str, tmp_path: Path
) -> None:
    tokens = fill(tmp_path, source)
    copy(program, source, target)
    with Service(tmp_path, database=target) as service, service.client(tokens.owner) as client:
        assert client.post("/plants", json={"id": 50, "name": "of the target"}).status_code == 200
    assert "at revision 11" in refused(program, source, target)
    with Service(tmp_path, database=source) as service, service.client(tokens.owner) as client:
        for plant_id in (50, 51):
            plant = {"id": plant_id, "name": "of the source"}
            assert client.post("/plants", json=plant).status_code == 200
    assert "the change of 'nursery' to revision 11" in refused(program, source, target)


def test_a_target_of_another_service_is_refused(
    program: Program, source: str, target: str, tmp_path: Path
) -> None:
    fill(tmp_path, source)
    seed(target, 10)
    assert "the user 'sower' with the number 1" in refused(program, source, target)


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE plants SET name = 'x' WHERE id = 0",
        "UPDATE plants SET tag = NULL WHERE id = 0",
        "INSERT INTO plants (store_id, id, name) SELECT store_id, 9, 'x' FROM stores",
        "UPDATE events SET at = at + 1 WHERE revision = 2",
        "DELETE FROM events WHERE revision = 2",
        "UPDATE tokens SET scopes = 'list'",
        "UPDATE members SET role = 'owner'",
        "UPDATE users SET subject = 'eve' WHERE subject = 'ada'",
        "UPDATE stores SET name = 'x' WHERE name = 'empty'",
    ],
)
def test_a_target_that_was_tampered_with_is_found(
    program: Program, source: str, target: str, tmp_path: Path, tampering: str
) -> None:
    fill(tmp_path, source)
    copy(program, source, target)
    execute(target, tampering)
    refused(program, source, target)


def test_what_differs_after_all_is_found(source: str, target: str, tmp_path: Path) -> None:
    fill(tmp_path, source)
    with open_copy(source, target) as copying:
        copying.check()
        assert sum(copying.write()) == copying.count_rows()
        execute(target, "UPDATE plants SET name = 'x' WHERE id = 0")
        with pytest.raises(SetupError, match=r"the plants of 'nursery' differ: .* SHA-256"):
            sum(copying.verify())


def test_a_store_that_is_changed_while_it_is_copied_to_is_left(source: str, target: str) -> None:
    seed(source, 60_000)
    with open_copy(source, target) as copying:
        copying.check()
        steps = copying.write()
        while "stores" not in copying.written or not contents(target)["stores"]:
            next(steps)
        table = "revisions" if target.startswith("postgres") else "stores"
        execute(target, f"UPDATE {table} SET revision = revision + 1")
        changed = contents(target)
        with pytest.raises(SetupError, match="was changed during the copy"):
            sum(steps)
    assert contents(target) == changed


def test_a_database_is_not_copied_to_itself(program: Program, target: str) -> None:
    program.out("store", "create", "nursery", "--database", target)
    spelled_otherwise = target.replace("/plants.db", "/../target/plants.db")
    assert "name two databases" in refused(program, target, spelled_otherwise)


def test_a_source_that_is_missing_is_not_made(program: Program) -> None:
    source, target = (f"sqlite:///{program.folder / name}" for name in ("a.db", "b.db"))
    said = program.refusal("copy", "--from", source, "--to", target)
    assert said == f"Error: there is no database {program.folder / 'a.db'}\n"
    assert list(program.folder.iterdir()) == []


def test_a_target_without_tables_is_to_be_migrated_first(
    program: Program, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    with SQLITE.fresh(tmp_path) as source:
        program.out("store", "create", "nursery", "--database", source)
        empty = postgres_server.make_database()
        said = program.refusal("copy", "--from", source, "--to", empty)
        assert "run `plantstore migrate` first" in said
        program.out("migrate", "--database", empty)
        copy(program, source, empty)
