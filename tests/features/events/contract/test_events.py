"""Events are read by revision, with what a listener needs to know of its store and its caller."""

import asyncio
from functools import partial

import pytest

from plantstore.core.model import Caller, Grant, NewPlant, Role
from plantstore.features.events import reading
from plantstore.features.events.reading import read_page
from tests.administration import Event
from tests.contract.harness import DatabaseHarness
from tests.databases import execute
from tests.features.events.contract.test_retention import make_events

pytestmark = pytest.mark.anyio


async def test_events_are_read_in_pages_by_revision(harness: DatabaseHarness, url: str) -> None:
    await make_events(harness, url, 25, 0)
    read = partial(read_page, harness.database)
    expected = harness.read_events()
    assert [event.subject for event in expected] == ["ada"] * 25
    after, found = 0, list[reading.Event]()
    while page := await read(harness.store_id, after, 10):
        assert (page.revision, page.trimmed) == (25, 0)
        if not page.events:
            break
        found += page.events
        after = page.events[-1].revision
    assert [to_row(event) for event in found] == expected
    assert (await read(harness.store_id, 2**53 - 1, 10)) == page
    assert await read(harness.store_id + 1, 0, 10) is None


def to_row(event: reading.Event) -> Event:
    return Event(*(getattr(event, field) for field in Event.__struct_fields__))


async def test_events_up_to_the_trimmed_revision_are_never_read(
    harness: DatabaseHarness, url: str
) -> None:
    """Also where they are still there, as after a backup was restored."""
    await make_events(harness, url, 5, 0)
    execute(url, "UPDATE revisions SET trimmed = $1", [(3,)])
    page = await read_page(harness.database, harness.store_id, 0, 10)
    assert page is not None
    assert page.trimmed == 3
    assert [event.revision for event in page.events] == [4, 5]


async def test_a_reader_never_sees_a_revision_before_its_event(harness: DatabaseHarness) -> None:
    """What was read up to a page's revision is complete: nothing comes before it later."""
    writes = [asyncio.ensure_future(write_some(harness, first)) for first in (0, 100, 200)]
    last = 0
    while last < 150:
        page = await read_page(harness.database, harness.store_id, last, 1000)
        assert page is not None
        revisions = [event.revision for event in page.events]
        assert revisions == list(range(last + 1, page.revision + 1))
        last = page.revision
        await asyncio.sleep(0)
    await asyncio.gather(*writes)


async def write_some(harness: DatabaseHarness, first: int) -> None:
    for number in range(first, first + 50):
        await harness.create(NewPlant(number, "Fern"))


async def find_again(harness: DatabaseHarness, *callers: Caller) -> list[Caller | None]:
    return list(await harness.database.find_callers_again(callers))


def same(found: Caller | None, caller: Caller) -> bool:
    """Whether it is the same caller, with all that may change."""
    assert found is not None
    fields = (field for field in caller.__struct_fields__ if field != "unchanged")
    return all(getattr(found, field) == getattr(caller, field) for field in fields)


async def test_callers_are_found_again_as_they_are_now(harness: DatabaseHarness) -> None:
    eve = await harness.make_caller("orchard", "eve", "door")
    await harness.create(NewPlant(1, "Fern"))
    owner, other = await find_again(harness, harness.owner, eve)
    assert same(other, eve)
    assert owner is not None
    assert owner.revision == harness.owner.revision + 1
    harness.administration.add_member("orchard", "eve", Role.READER)
    (reader,) = await find_again(harness, eve)
    assert reader is not None
    assert reader.role is Role.READER
    assert reader.permissions == Role.READER.scopes
    assert await find_again(harness) == []


async def test_a_caller_is_not_found_again_where_the_token_opens_the_store_no_more(
    harness: DatabaseHarness,
) -> None:
    names = ("revoked", "removed", "deleted")
    request = Grant(subject="eve", store="own", all_stores=True)
    token = harness.administration.create_token(request)
    callers = []
    for name in names:
        harness.administration.create_store(name)
        harness.administration.add_member(name, "eve", Role.OWNER)
        caller = await harness.find_caller(token.secret, name)
        assert caller is not None
        callers.append(caller)
    own = await harness.make_caller("own", "ada")
    callers.append(own)
    found = await find_again(harness, *callers)
    assert all(map(same, found, callers))
    harness.administration.remove_member("removed", "eve")
    harness.administration.delete_store("deleted")
    harness.administration.create_store("deleted")
    harness.administration.add_member("deleted", "eve", Role.OWNER)
    found = await find_again(harness, *callers)
    assert same(found[0], callers[0])
    assert found[1:3] == [None, None]
    harness.administration.revoke_token(token.secret)
    found = await find_again(harness, *callers)
    assert found[:3] == [None] * 3
    assert same(found[3], own)
