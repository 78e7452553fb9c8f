"""Pages contain the plants that a query selects, as JSON equal to what was stored."""

from itertools import product

import pytest

from plantstore.core.model import (
    INT64_MAX,
    INT64_MIN,
    TEXT_LENGTHS,
    NewPlant,
    Page,
    PlantQuery,
    broken_rule,
)
from plantstore.http.list_parameters import LIMIT_MAX
from tests.contract.harness import MANY, DatabaseHarness, decode, describe, select

pytestmark = pytest.mark.anyio

ODD_TEXTS = (
    'double "quotes"',
    "single 'quotes' and -- a comment",
    "back\\slash \\n \\u0041 \\",
    "/slash </script>",
    "😀 family 👨‍👩‍👧‍👦 flag 🇫🇷",
    "شجرة النخيل",
    "עץ הזית \u202e reversed",
    "e\u0301 is not \u00e9",
    "\u00a0\u2028line\u2029paragraph\u0085",
    "\ufeffmark\uffff\U0010ffff",
    " spaces ",
    "null",
    "{},[]:",
    "%s ?1 :name $1 {0}",
)
EDGE_IDS = [
    *range(INT64_MIN, INT64_MIN + 8),
    *range(-6, 8),
    *range(INT64_MAX - 5, INT64_MAX + 1),
]
ODD_PLANTS = [
    NewPlant(plant_id, text, [None, "tropical", text][number % 3])
    for number, (plant_id, text) in enumerate(zip(EDGE_IDS, ODD_TEXTS * 2, strict=True))
]


async def test_every_query_matches_a_model(harness: DatabaseHarness) -> None:
    await harness.create_all(ODD_PLANTS)
    firsts = [INT64_MIN, INT64_MIN + 1, INT64_MIN + 8, 0, INT64_MAX]
    tags = [(), ("tropical",), ("Tropical", "absent"), (ODD_TEXTS[5], ODD_TEXTS[2], "tropical")]
    limits = [None, 0, 1, 7, len(ODD_PLANTS) - 1, len(ODD_PLANTS), LIMIT_MAX]
    for limit, first_id, tag_filter, flag in product(limits, firsts, tags, (True, False)):
        query = PlantQuery(limit, first_id, tag_filter, with_total=flag, with_ids=flag)
        for max_plants in (3, MANY):
            check_page(await harness.read_page(query, max_plants), query, max_plants)


def check_page(page: Page, query: PlantQuery, max_plants: int) -> None:
    matching = select(ODD_PLANTS, PlantQuery(first_id=query.first_id, tags=query.tags))
    limit = max_plants if query.limit is None else min(max_plants, query.limit)
    expected = matching[:limit]
    assert decode(page) == [describe(plant, with_ids=query.with_ids) for plant in expected]
    assert page.revision == len(ODD_PLANTS)
    if query.with_total:
        assert page.total == len(select(ODD_PLANTS, PlantQuery(tags=query.tags)))
    if expected:
        assert page.last_id == expected[-1].id
    assert page.more is (bool(expected) and len(matching) > len(expected))


async def test_a_missing_store_reads_as_empty(harness: DatabaseHarness) -> None:
    page = await harness.database.read_page(62**10 - 1, PlantQuery(), MANY)
    assert (page.revision, page.count, page.plants, page.more) == (0, 0, b"", False)


def is_allowed(character: str) -> bool:
    return broken_rule(f"a{character}", 2) is None


async def test_every_allowed_character_is_stored_unchanged(harness: DatabaseHarness) -> None:
    characters = "".join(filter(is_allowed, map(chr, range(0x110000))))
    longest = [longest for longest, _ in TEXT_LENGTHS.values()]
    step = max(longest)
    texts = [characters[start:][:step] for start in range(0, len(characters), step)]
    plants = [NewPlant(at, *(text[:end] for end in longest)) for at, text in enumerate(texts)]
    for start in range(0, len(plants), 500):
        await harness.create_all(plants[start:][:500])
    assert await harness.read_plants() == plants


@pytest.mark.parametrize("tags", [(), ("x",)])
async def test_pages_of_long_texts_are_read_only_from_snapshots(
    harness: DatabaseHarness, tags: tuple[str, ...]
) -> None:
    """Copying megabytes of text takes milliseconds of the event loop."""
    await harness.create_all([NewPlant(n, "\N{HERB}" * 1000, "x") for n in range(100)])
    assert (await harness.read_page(PlantQuery(30, tags=tags))).count == 30
    page = await harness.read_page(PlantQuery(100, tags=tags))
    assert (page.count, page.plants, page.more) == (0, b"", True)
    snapshot = await harness.database.open_snapshot(harness.store_id)
    pages = [await snapshot.read_page(PlantQuery(first_id=n, tags=tags), 100) for n in (0, 25, 50)]
    assert [(page.count, page.more) for page in pages] == [(25, True), (25, True), (25, True)]
    await snapshot.close()
