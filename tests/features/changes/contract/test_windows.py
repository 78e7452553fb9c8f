"""A window of lines whose writes are in several batches, on every database."""

import asyncio

import pytest

from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.model import NewPlant
from plantstore.core.operations import Create
from plantstore.features.changes.writes import Writes
from tests.contract.harness import DatabaseHarness
from tests.features.changes.client import numbers_of, read_lines

pytestmark = pytest.mark.anyio

LINES = 120  # more than a store's part of any batch, also after slow commits


async def test_no_line_is_written_after_a_failed_batch(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While several stores write, a batch has only a part of a store's lines."""
    other = await harness.make_caller("orchard", "eve")
    await harness.create(NewPlant(1000, "Fern"))
    await harness.database.write(Create(other.store_id, other, NewPlant(1, "Fern"), None))
    writer = type(harness.database.write.__self__)  # type: ignore[attr-defined]  # a method
    commit, sizes = vars(writer)["_commit"], list[int]()

    async def fail_once(self: object, batch: list[object], **options: bool) -> object:
        sizes.append(len(batch))
        if len(sizes) > 1:
            return await commit(self, batch, **options)
        if "sqlite" in writer.__module__:
            return [DatabaseUnavailableError() for _ in batch]
        raise DatabaseUnavailableError

    monkeypatch.setattr(writer, "_commit", fail_once)
    writes = Writes(harness.database, asyncio.Lock())
    plants = [NewPlant(number, "Fern") for number in range(1, LINES + 1)]
    creates = [Create(harness.store_id, harness.owner, plant, None) for plant in plants]
    await writes.exchange(list(enumerate(creates, 1)))
    results = numbers_of(read_lines(await writes.exchange([])))
    assert sizes[0] < LINES
    assert results == [(line, 50302) for line in range(1, sizes[0] + 1)]
    assert writes.are_over
    await harness.delete(1000)  # the queue is empty afterwards
    await harness.assert_consistency()
    assert sizes == [sizes[0], 1]
