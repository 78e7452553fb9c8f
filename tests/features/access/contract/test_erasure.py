"""Deleting a user removes the name everywhere; renaming updates labels: on every database."""

import pytest

from plantstore.core.model import Grant, IdempotencyKey, NewPlant, Outcome, Role
from plantstore.features.access.links import list_links
from plantstore.sqlite.connection import database_path
from tests.administration import Member
from tests.contract.harness import DatabaseHarness
from tests.databases import SQLITE_ONLY, execute

pytestmark = pytest.mark.anyio

FERN, FICUS = NewPlant(1, "Fern", "green"), NewPlant(2, "Ficus")


async def test_deleting_a_user_keeps_plants_and_anonymizes_events(
    harness: DatabaseHarness,
) -> None:
    eve = await harness.make_caller("nursery", "eve", "Eve's phone")
    await harness.create(FERN)
    assert await harness.create(FICUS, IdempotencyKey("one", b"x" * 32), eve) is Outcome.CREATED
    harness.administration.delete_user("eve")
    assert await harness.create(NewPlant(3, "Aloe"), None, eve) is Outcome.TOKEN_INVALID
    assert await harness.database.find_caller(eve.store_id, eve.token_hash, None) is None
    ada_event, eve_event = harness.read_events()
    assert (ada_event.subject, ada_event.is_user_deleted) == ("ada", False)
    assert (eve_event.subject, eve_event.token_label, eve_event.is_user_deleted) == (None, "", True)
    assert [user.subject for user in harness.administration.list_users()] == ["ada"]
    assert harness.administration.list_members("nursery") == [Member("ada", Role.OWNER)]
    assert [token.subject for token in harness.administration.list_tokens()] == ["ada"]
    await harness.assert_consistency()
    new_eve = await harness.make_caller("nursery", "eve")
    assert new_eve.user_id != eve.user_id
    assert await harness.create(FICUS, IdempotencyKey("one", b"y" * 32), new_eve) is (
        Outcome.ALREADY_STORED  # not KEY_REUSED: the deleted user's keys are deleted
    )


async def test_in_a_long_history_only_the_deleted_users_events_are_anonymized(
    harness: DatabaseHarness, url: str
) -> None:
    eve = await harness.make_caller("nursery", "eve")
    columns = "store_id, revision, kind, plant_id, name, at, user_id, token_label"
    users = (eve.user_id, harness.owner.user_id, eve.user_id)
    rows = [
        (harness.store_id, revision, revision, users[revision % 3]) for revision in range(1, 9001)
    ]
    values = "$1, $2, 'plant.created', $3, 'Fern', 0, $4, 'x'"
    execute(url, f"INSERT INTO events ({columns}) VALUES ({values})", rows)
    harness.administration.delete_user("eve")
    events = harness.read_events()
    assert [event.subject is None for event in events] == [
        revision % 3 != 1 for revision in range(1, 9001)
    ]
    assert {event.token_label for event in events if event.subject == "ada"} == {"x"}


@pytest.mark.parametrize("renames", [False, True], ids=["delete", "rename"])
async def test_deleting_or_renaming_a_user_updates_default_labels(
    harness: DatabaseHarness, *, renames: bool
) -> None:
    administration = harness.administration
    new_label = "50% 2030-01-31" if renames else "2030-01-31"
    labels = {"100% 2030-01-31": new_label, "100% ": "100% ", "1000 2030-01-31": "1000 2030-01-31"}
    await harness.make_caller("nursery", "100%")
    for number, label in enumerate(labels):
        caller = await harness.make_caller("nursery", "ada", label)
        await harness.create(NewPlant(number, "Fern"), caller=caller)
        administration.create_link("nursery", Grant(subject="ada", label=label))
    if renames:
        administration.rename_user("100%", "50%")
    else:
        administration.delete_user("100%")
    assert [event.token_label for event in harness.read_events()] == list(labels.values())
    assert {event.subject for event in harness.read_events()} == {"ada"}
    assert {token.label for token in administration.list_tokens()} == {"", *labels.values()}
    links = list_links(administration.session)
    assert sorted(link.grant.label for link in links) == sorted(labels.values())


@SQLITE_ONLY
async def test_a_deleted_users_name_is_in_no_file(harness: DatabaseHarness, url: str) -> None:
    """The name is in no row, free page or moved row, and not in the WAL."""
    administration = harness.administration
    users = [await harness.make_caller("nursery", f"user {n:03}", f"user {n:03}") for n in range(9)]
    for number in range(300):
        await harness.create(NewPlant(number, "Fern"), caller=users[number % 9])
    administration.create_link("nursery", Grant(subject="user 004", label="user 004"))
    assert find_files_with(url, b"user 004")
    reader = await harness.database.open_snapshot(harness.store_id)
    assert not administration.delete_user("user 004")  # the WAL keeps what the reader may read
    await reader.close()
    assert administration.delete_user("user 005")
    assert find_files_with(url, b"user 006")
    assert not find_files_with(url, b"user 004")
    assert not find_files_with(url, b"user 005")


def find_files_with(url: str, name: bytes) -> list[str]:
    path = database_path(url)
    return [file.name for file in path.parent.glob(f"{path.name}*") if name in file.read_bytes()]


async def test_a_store_is_measured_in_members_tokens_and_bytes(harness: DatabaseHarness) -> None:
    administration = harness.administration
    assert tuple(administration.measure_store(harness.store_id)) == (1, 1, 0, None)
    administration.create_token(Grant(subject="eve", store="nursery", expires_at=1))
    await harness.create(NewPlant(1, "Żółw", "é"))
    (event,) = harness.read_events()
    plant, label = len("Żółwé".encode()), len(event.token_id)
    size = 8 + plant + 32 + len("plant.created") + plant + label
    assert tuple(administration.measure_store(harness.store_id)) == (2, 1, size, event.at)
