"""The batcher continues after refused items and failed batches."""

from collections.abc import Sequence

import pytest

from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.fair_queue import Active
from plantstore.postgres.batcher import Batcher, Waiting

pytestmark = pytest.mark.anyio


class Refusing(Batcher[int, int]):
    """Refuses all waiting items, as a writer does with writes that waited too long."""

    def next_batch(self) -> list[Waiting[int, int]]:
        for waiting in super().next_batch():
            waiting.future.set_exception(DatabaseUnavailableError())
        return []


class Failing(Batcher[int, int]):
    """Fails every batch that has an odd item."""

    async def run(self, items: Sequence[int]) -> Sequence[int]:
        if any(item % 2 for item in items):
            raise DatabaseUnavailableError
        return items


async def test_refused_items_do_not_block_the_drain() -> None:
    refusing = Refusing(1, Active())
    future = refusing.submit(1)
    await refusing.drain()
    with pytest.raises(DatabaseUnavailableError):
        await future


async def test_a_failed_batch_does_not_affect_the_next() -> None:
    failing = Failing(1, Active())
    futures = [failing.submit(number) for number in (1, 2)]
    await failing.drain()
    assert [type(future.exception()) for future in futures] == 2 * [DatabaseUnavailableError]
    assert await failing.submit(4) == 4
