"""Batches end, whatever becomes of what waits for them."""

from collections.abc import Sequence

import pytest

from plantstore.core.errors import DatabaseUnavailableError
from plantstore.postgres.batcher import Batcher, Waiting

pytestmark = pytest.mark.anyio


class Refusing(Batcher[int, int]):
    """Gives all that waits up, as a writer does with what waited too long."""

    def next_batch(self) -> list[Waiting[int, int]]:
        for waiting in super().next_batch():
            waiting.future.set_exception(DatabaseUnavailableError())
        return []


class Failing(Batcher[int, int]):
    """Fails as a whole at the first item that is odd."""

    async def run(self, items: Sequence[int]) -> Sequence[int]:
        if any(item % 2 for item in items):
            raise DatabaseUnavailableError
        return items


async def test_what_is_given_up_does_not_hold_up_the_end() -> None:
    refusing = Refusing(max_batches=1)
    future = refusing.submit(1)
    await refusing.drain()
    with pytest.raises(DatabaseUnavailableError):
        await future


async def test_a_group_that_fails_lets_the_next_go() -> None:
    failing = Failing(max_batches=1)
    futures = [failing.submit(number) for number in (1, 2)]
    await failing.drain()
    assert [type(future.exception()) for future in futures] == 2 * [DatabaseUnavailableError]
    assert await failing.submit(4) == 4
