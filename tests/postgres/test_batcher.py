"""The batcher continues after refused items and failed batches; reads are shared by stores."""

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest

from plantstore.core.completion import Completion
from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.fair_queue import Active
from plantstore.postgres import reading
from plantstore.postgres.batcher import Batcher, Waiting
from plantstore.postgres.pool import Pool
from plantstore.postgres.reading import Reads
from plantstore.sql.reading import Query

pytestmark = pytest.mark.anyio


class Batches(Batcher[int, int]):
    """All items are of one store."""

    store_of = staticmethod(lambda _: None)


class Refusing(Batches):
    """Refuses all waiting items, as a writer does with writes that waited too long."""

    def next_batch(self) -> list[Waiting[int, int]]:
        for waiting in super().next_batch():
            waiting.future.set_exception(DatabaseUnavailableError())
        return []


class Failing(Batches):
    """Fails every batch that has an odd item."""

    async def run(self, items: Sequence[int]) -> Sequence[int]:
        if any(item % 2 for item in items):
            raise DatabaseUnavailableError
        return items


class SlowPool:
    """Reads so many ``seconds`` once, and then at once."""

    seconds = 0.0

    async def read(self, *queries: Query) -> list[str]:
        seconds, self.seconds = self.seconds, 0.0
        await asyncio.sleep(seconds)
        return [f"of {arguments[0]}" for _, arguments in queries]


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


async def test_among_others_a_store_rests_after_a_long_batch_of_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "_CREDIT", 0.1)
    pool, stores, done = SlowPool(), Active(), list[object]()
    for store in (1, 2):
        stores.see(store)
    reads = Reads(cast("Pool", pool), 2, stores)
    await reads.submit(("quick", (2, 0)))  # the network takes no longer
    pool.seconds = 0.1
    await asyncio.gather(*(reads.submit(("slow", (1, number))) for number in range(2)))
    futures = [reads.submit(("quick", (store, 1))) for store in (1, 2)]
    for future in futures:
        future.add_done_callback(lambda it: done.append(it.result()))
    await asyncio.gather(*futures)
    assert done == ["of 2", "of 1"]


async def test_reads_for_clients_without_a_known_token_share_like_one_store() -> None:
    """Each has another hash of a token in the place of the store."""
    reads = Reads(cast("Pool", None), 1, Active())
    items: list[Query] = [("find_store_of_token", (bytes([number]),)) for number in range(9)]
    items.append(("find_members", (1,)))
    for item in items:
        reads.waiting[reads.store_of(item)].append(Waiting(item, 0.0, Completion()))
    first = [waiting.item for _ in range(4) for waiting in reads.next_batch()]
    assert first == [items[0], items[-1], items[1]]  # one share is left, but for another store
