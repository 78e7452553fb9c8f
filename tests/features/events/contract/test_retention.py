"""Old events are trimmed in order of their revisions, and the store records how far."""

import asyncio
from contextlib import closing

import pytest

from plantstore.bootstrap import create_app
from plantstore.core.clock import now
from plantstore.core.model import Grant, NewPlant, Outcome, Role
from plantstore.core.settings import Settings
from plantstore.databases import open_session
from plantstore.features.events.retention import MAX_TRIMMED, trim_access, trim_events
from tests.contents import select
from tests.contract.harness import DatabaseHarness
from tests.databases import execute

pytestmark = pytest.mark.anyio


async def make_events(harness: DatabaseHarness, url: str, count: int, old: int) -> None:
    """Create ``count`` events in the store, of which the first ``old`` are old."""
    for start in range(0, count, 100):  # fewer at a time than a store's share of the queue
        numbers = range(start, min(start + 100, count))
        await asyncio.gather(*(harness.create(NewPlant(n, "Fern")) for n in numbers))
    execute(url, "UPDATE events SET at = 0 WHERE revision <= $1", [(old,)])


def trim_store(harness: DatabaseHarness, url: str) -> bool:
    """Trim the first store's events of the time 0; return whether there were any."""
    with closing(open_session(url)) as session:
        return trim_events(session, harness.store_id, 1)


def read_trimmed(url: str) -> object:
    return select(url, "SELECT trimmed FROM revisions ORDER BY store_id")[0][0]


async def test_events_before_a_time_are_trimmed_in_steps(
    harness: DatabaseHarness, url: str
) -> None:
    await make_events(harness, url, MAX_TRIMMED + 30, MAX_TRIMMED + 20)
    assert [trim_store(harness, url) for _ in range(3)] == [True, True, False]
    assert [event.revision for event in harness.read_events()] == [
        *range(MAX_TRIMMED + 21, MAX_TRIMMED + 31)
    ]
    assert read_trimmed(url) == MAX_TRIMMED + 20
    assert len(await harness.read_plants()) == MAX_TRIMMED + 30


async def test_the_service_trims_events_of_all_stores_and_unused_users(
    harness: DatabaseHarness, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = await harness.make_caller("orchard", "eve")
    await harness.create(NewPlant(1, "Apple"), caller=eve)
    await harness.create(NewPlant(2, "Pear"), caller=eve)
    await make_events(harness, url, 4, 3)
    execute(url, "UPDATE events SET at = 0 WHERE revision <= $1", [(1,)])
    harness.administration.create_user("fay")
    execute(url, "UPDATE users SET created_at = $1", [(0,)])
    monkeypatch.setattr("plantstore.core.clock._STEADY_SECONDS", 0.0)
    app = await create_app(Settings(database=url), 0.0, 0)
    async with asyncio.timeout(30):
        while (len(harness.read_events()), len(harness.read_events("orchard"))) != (1, 0):  # noqa: ASYNC110 - no event tells
            await asyncio.sleep(0.05)
        while len(harness.administration.list_users()) > 2:  # noqa: ASYNC110 - nor here
            await asyncio.sleep(0.05)
    await app.close()


async def test_after_a_restore_the_trimmed_revision_does_not_decrease(
    harness: DatabaseHarness, url: str
) -> None:
    """Events between the backup and the restore may be missing: the store must report them."""
    await make_events(harness, url, 4, 2)
    restored = 1000
    execute(url, "UPDATE revisions SET revision = $1, trimmed = $1", [(restored,)])
    assert trim_store(harness, url)
    assert read_trimmed(url) == restored
    await harness.create(NewPlant(9, "Fern"))
    assert [event.revision for event in harness.read_events()] == [3, 4, restored + 1]
    execute(url, "UPDATE events SET at = 0 WHERE revision > $1", [(0,)])
    assert trim_store(harness, url)
    assert read_trimmed(url) == restored + 1


async def test_ended_tokens_and_unused_users_are_deleted_after_retention(
    harness: DatabaseHarness, url: str
) -> None:
    administration = harness.administration
    administration.create_user("invented")
    for user in ("expired", "member", "revoked", "valid"):
        grant = Grant(subject=user, store="nursery", role=Role.EDITOR)
        administration.create_token(grant)
        if user != "member":
            administration.remove_member("nursery", user)
    execute(url, "UPDATE users SET created_at = 0")
    for user, end in (
        ("expired", "expires_at"),
        ("member", "revoked_at"),
        ("revoked", "revoked_at"),
    ):
        of_user = "user_id = (SELECT user_id FROM users WHERE subject = $1)"
        execute(url, f"UPDATE tokens SET {end} = 5, created_at = 0 WHERE {of_user}", [(user,)])
    assert trim_and_list_users(url, 5) == {"ada", "expired", "member", "revoked", "valid"}
    assert trim_and_list_users(url, 6) == {"ada", "member", "valid"}
    assert {token.subject for token in administration.list_tokens()} == {"ada", "valid"}
    assert await harness.create(NewPlant(1, "Fern")) is Outcome.CREATED


async def test_the_newest_token_is_kept_to_compare_with_a_backup(
    harness: DatabaseHarness, url: str
) -> None:
    harness.administration.revoke_tokens()
    trim_and_list_users(url, now() + 1)
    assert [token.subject for token in harness.administration.list_tokens()] == ["ada"]


def trim_and_list_users(url: str, before: int) -> set[object]:
    """Delete access that ended before a time; return the names of the remaining users."""
    with closing(open_session(url)) as session:
        while trim_access(session, before) < 1:
            pass
    return {subject for (subject,) in select(url, "SELECT subject FROM users")}
