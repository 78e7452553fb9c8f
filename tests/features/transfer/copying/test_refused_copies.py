"""A target that was changed independently is refused and not changed."""

from collections.abc import Callable
from contextlib import closing

import pytest
from msgspec.structs import astuple

from plantstore.core.errors import SetupError
from plantstore.core.model import Grant, NewPlant
from plantstore.databases import migrate, open_session
from plantstore.features.transfer import copying as rows
from plantstore.features.transfer.copying import open_copy
from tests.administration import Administration, open_administration
from tests.cli.program import Program
from tests.contents import contents, seed
from tests.databases import execute
from tests.features.transfer.copying.copies import copy
from tests.features.transfer.copying.fixtures import Filled
from tests.postgres.server import PostgresServer

# What is refused does not depend on the source's kind.
pytestmark = pytest.mark.parametrize(
    "pair", [("sqlite", "sqlite"), ("sqlite", "postgres")], indirect=True, ids="-to-".join
)


@pytest.fixture
def copied(filled: Filled, target: str) -> str:
    copy(filled.url, target)
    return target


def first_token(administration: Administration) -> str:
    """The id of the first token that is not revoked."""
    return next(token.token_id for token in administration.list_tokens("nursery"))


def recreate_store(administration: Administration) -> None:
    administration.delete_store("empty")
    administration.create_store("empty")


LOCAL_CHANGES: dict[str, Callable[[Administration], object]] = {
    "store 'roof'": lambda admin: admin.create_store("roof"),
    "store 'empty'": recreate_store,
    "user 'eve'": lambda admin: admin.create_user("eve"),
    "a revocation or an earlier expiry of the token": lambda admin: admin.revoke_token(
        first_token(admin)
    ),
    "has the token": lambda admin: admin.create_token(Grant(subject="ada", store="nursery")),
}


def assert_refused(source: str, target: str, reason: str) -> None:
    """Fail unless the copy is refused for this reason, with nothing changed."""
    before = contents(target), contents(source)
    with pytest.raises(SetupError) as error:
        copy(source, target)
    assert reason in str(error.value)
    assert (contents(target), contents(source)) == before


@pytest.mark.parametrize("reason", LOCAL_CHANGES)
def test_a_target_with_administrative_changes_is_refused(
    filled: Filled, copied: str, reason: str
) -> None:
    with closing(open_administration(copied)) as administration:
        LOCAL_CHANGES[reason](administration)
    assert_refused(filled.url, copied, reason)


def test_a_target_where_a_token_expires_earlier_is_refused(filled: Filled, copied: str) -> None:
    execute(copied, "UPDATE tokens SET expires_at = 0 WHERE expires_at = 1")
    assert_refused(filled.url, copied, "an earlier expiry of the token")


def test_a_target_with_new_events_is_refused(filled: Filled, copied: str) -> None:
    change(copied, 1)
    assert_refused(filled.url, copied, "at revision 11")
    change(filled.url, 2)
    assert_refused(filled.url, copied, "at revision 11")


def change(url: str, times: int) -> None:
    """Create plants as the service does, with other names in each database."""
    with closing(open_session(url)) as session, session.transaction():
        store_id, *_, revision = session.query("find_store", "nursery")[0]
        for number in range(times):
            plant = NewPlant(50 + number, url[-64:])
            values = ("plant.created", *astuple(plant), 0, 1, "", "")
            session.write_rows("insert_plant", [(store_id, *astuple(plant))])
            session.write_rows("insert_event", [(store_id, revision + number + 1, *values)])
    execute(url, f"UPDATE revisions SET revision = {revision + times} WHERE store_id = {store_id}")


def test_a_target_of_another_service_is_refused(
    program: Program, filled: Filled, target: str
) -> None:
    seed(target, 10)
    reason = "the user 'sower' with the number 1"
    assert_refused(filled.url, target, reason)
    message = program.refusal("copy", "--from", filled.url, "--to", target)
    assert reason in message
    assert "nothing was written" in message
    assert message.count("\n") == 1


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE plants SET tag = NULL WHERE id = 0",
        "INSERT INTO plants (store_id, id, name) SELECT store_id, 9, 'x' FROM stores",
        "DELETE FROM events WHERE revision = 2",
        "UPDATE tokens SET scopes = 'list'",
        "UPDATE members SET role = 'owner'",
        "UPDATE users SET subject = 'eve' WHERE subject = 'ada'",
        "UPDATE stores SET name = 'x' WHERE name = 'empty'",
    ],
)
def test_verify_finds_rows_that_differ(filled: Filled, target: str, tampering: str) -> None:
    with open_copy(filled.url, target) as copying:
        copying.check()
        sum(copying.write())
        execute(target, tampering)
        table = next(word for word in tampering.split() if word.islower())
        with pytest.raises(SetupError, match=f"the {table} with the "):
            sum(copying.verify())


def test_a_store_that_changes_in_the_target_meanwhile_is_not_overwritten(
    filled: Filled, source: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_STORES", 1)
    copy(filled.url, source)
    copy(source, target)
    change(source, 1)
    with open_copy(source, target) as copying:
        copying.check()
        steps = copying.write()
        next(steps)
        execute(target, "UPDATE revisions SET revision = revision + 1")
        changed = contents(target)
        with pytest.raises(SetupError, match="was changed during the copy"):
            sum(steps)
    assert contents(target) == changed


def test_a_database_is_not_copied_to_itself(target: str) -> None:
    open_session(target).close()
    same_file = target.replace("/plants.db", "/../target/plants.db")
    assert_refused(target, same_file, "give two databases")


def test_a_missing_source_is_not_created(target: str, program: Program) -> None:
    missing = program.folder / "missing.db"
    with pytest.raises(SetupError, match=f"there is no database {missing}"):
        copy(f"sqlite:///{missing}", target)
    assert not missing.exists()


def test_a_target_without_tables_must_be_migrated_first(
    source: str, postgres_server: PostgresServer
) -> None:
    open_session(source).close()
    empty = postgres_server.make_database()
    with pytest.raises(SetupError, match="run `plantstore migrate`"):
        copy(source, empty)
    migrate(empty)
    assert copy(source, empty) == {}
