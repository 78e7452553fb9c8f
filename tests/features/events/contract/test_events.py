"""Events are read by revision, and the callers of listeners are looked up again."""

import asyncio
import json

import msgspec
import pytest
from msgspec.structs import asdict

from plantstore.core.clock import write_time
from plantstore.core.model import Caller, Grant, NewPlant, Role
from plantstore.features.events.reading import ARRAY, NO_EVENTS, STREAM, EventPage, Form, read_page
from tests.administration import Event
from tests.contract.harness import DatabaseHarness
from tests.databases import execute
from tests.features.events.contract.test_retention import make_events

pytestmark = pytest.mark.anyio


MAX = 2**53 - 1
SPECIAL = (
    "\"\\/\\u0041 <&'> é\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}\ufeff\uffff \N{POTTED PLANT}{},%s"
)
TIMES = (0, 1, 999, 1000, 951782400007, 1893456000010, 1893456000999, 253402300799999)


async def read(
    harness: DatabaseHarness, after: int, count: int, form: Form = ARRAY, *, for_owner: bool = True
) -> EventPage:
    page = await read_page(
        harness.database, harness.store_id, after, count, form, for_owner=for_owner
    )
    assert page is not None
    return page


def revisions(page: EventPage) -> list[int]:
    return [event["revision"] for event in json.loads(page.events)]


async def test_events_are_read_in_pages_by_revision(harness: DatabaseHarness, url: str) -> None:
    await make_events(harness, url, 25, 0)
    assert [event.subject for event in harness.read_events()] == ["ada"] * 25
    pages = [await read(harness, after, 10) for after in (0, 10, 20, 25, MAX)]
    assert [page.revision for page in pages] == [25] * 5
    assert [page.last for page in pages] == [10, 20, 25, 25, MAX]
    all_revisions = [revision for page in pages for revision in revisions(page)]
    assert all_revisions == list(range(1, 26))
    without_events = await read(harness, 10, 10, NO_EVENTS)
    assert without_events == msgspec.structs.replace(pages[1], events=b"")
    for form in (ARRAY, NO_EVENTS):
        source = (harness.database, harness.store_id + 1)
        assert await read_page(*source, 0, 10, form, for_owner=True) is None


def write(event: Event, *, for_owner: bool) -> bytes:
    """The event's JSON, as a complete JSON encoder writes it."""
    plant = {key: value for key, value in asdict(event.plant).items() if value is not None}
    change = {"revision": event.revision, "kind": event.kind, "at": write_time(event.at)}
    author = {"user": event.subject, "token_label": event.token_label, "token_id": event.token_id}
    shown_author = {key: value for key, value in author.items() if value and for_owner}
    return msgspec.json.encode(change | {"plant": plant} | shown_author)


async def test_any_text_and_time_is_encoded_as_json(harness: DatabaseHarness, url: str) -> None:
    caller = await harness.make_caller("nursery", SPECIAL, SPECIAL)
    for number in range(len(TIMES)):
        tag = SPECIAL if number % 2 else None
        plant = NewPlant(-(2**63) + number, f"{SPECIAL}{number}", tag)
        await harness.create(plant, caller=caller if number % 3 else None)
    execute(url, "UPDATE events SET at = $2 WHERE revision = $1", enumerate(TIMES, 1))
    execute(url, "UPDATE events SET token_id = '' WHERE revision > $1", [(4,)])
    execute(url, "UPDATE events SET user_id = 0 WHERE revision > $1", [(6,)])
    events = harness.read_events()
    for for_owner in (True, False):
        written = [write(event, for_owner=for_owner) for event in events]
        page = await read(harness, 0, 10, for_owner=for_owner)
        assert page.events == b"[%s]" % b",".join(written)
        streamed = await read(harness, 0, 10, STREAM, for_owner=for_owner)
        assert streamed.events == b"".join(
            b"id: %d\nevent: plant.created\ndata: %s\n\n" % numbered
            for numbered in enumerate(written, 1)
        )


async def test_events_up_to_the_trimmed_revision_are_never_read(
    harness: DatabaseHarness, url: str
) -> None:
    """The events may still exist, as after a backup was restored."""
    await make_events(harness, url, 5, 0)
    execute(url, "UPDATE revisions SET trimmed = $1", [(3,)])
    page = await read(harness, 0, 10)
    assert (page.after, page.last) == (3, 5)
    assert revisions(page) == [4, 5]


async def test_a_reader_never_sees_a_revision_before_its_event(harness: DatabaseHarness) -> None:
    """A page has all events up to its revision: none is added later."""
    writes = [asyncio.ensure_future(write_some(harness, first)) for first in (0, 100, 200)]
    last = 0
    while last < 150:
        page = await read(harness, last, 1000)
        assert revisions(page) == list(range(last + 1, page.revision + 1))
        last = page.revision
        await asyncio.sleep(0)
    await asyncio.gather(*writes)


async def write_some(harness: DatabaseHarness, first: int) -> None:
    for number in range(first, first + 50):
        await harness.create(NewPlant(number, "Fern"))


async def find_again(harness: DatabaseHarness, *callers: Caller) -> list[Caller | None]:
    return list(await harness.database.find_callers_again(callers))


def is_same(current: Caller | None, caller: Caller) -> bool:
    """Whether both are the same caller, with the same fields."""
    assert current is not None
    fields = (field for field in caller.__struct_fields__ if field != "unchanged")
    return all(getattr(current, field) == getattr(caller, field) for field in fields)


async def test_callers_are_looked_up_again_with_their_current_state(
    harness: DatabaseHarness,
) -> None:
    eve = await harness.make_caller("orchard", "eve", "door")
    await harness.create(NewPlant(1, "Fern"))
    owner, other = await find_again(harness, harness.owner, eve)
    assert is_same(other, eve)
    assert owner is not None
    assert owner.revision == harness.owner.revision + 1
    harness.administration.add_member("orchard", "eve", Role.READER)
    (reader,) = await find_again(harness, eve)
    assert reader is not None
    assert reader.role is Role.READER
    assert reader.permissions == Role.READER.scopes
    assert await find_again(harness) == []


async def test_callers_who_lost_access_to_a_store_are_not_found_again(
    harness: DatabaseHarness,
) -> None:
    administration = harness.administration
    token = administration.create_token(Grant(subject="eve", store="own", all_stores=True))
    callers = [await harness.make_caller("own", "ada")]
    for name in ("revoked", "removed", "deleted"):
        administration.create_store(name)
        administration.add_member(name, "eve", Role.OWNER)
        caller = await harness.find_caller(token.secret, name)
        assert caller is not None
        callers.append(caller)
    assert all(map(is_same, await find_again(harness, *callers), callers))
    administration.remove_member("removed", "eve")
    administration.delete_store("deleted")
    administration.create_store("deleted")
    administration.add_member("deleted", "eve", Role.OWNER)
    own, revoked, *ended = await find_again(harness, *callers)
    assert is_same(own, callers[0])
    assert is_same(revoked, callers[1])
    assert ended == [None, None]
    administration.revoke_token(token.secret)
    own, *ended = await find_again(harness, *callers)
    assert is_same(own, callers[0])
    assert ended == [None] * 3
