"""Reads single plants: those requested while others are in flight share one round trip."""

from collections.abc import Sequence

from plantstore.model import NewPlant
from plantstore.postgres.batcher import Batcher
from plantstore.postgres.pool import Pool

_MAX_BATCHES = 4

PlantKey = tuple[int, int]  # the store's id, and the plant's


class Plants(Batcher[PlantKey, NewPlant | None]):
    """Reads with the named queries ``sql``."""

    def __init__(self, pool: Pool, sql: dict[str, str], max_waiting: int) -> None:
        super().__init__(_MAX_BATCHES, max_waiting)
        self._pool = pool
        self._sql = sql["find_plant"]

    async def run(self, items: Sequence[PlantKey]) -> Sequence[NewPlant | None]:
        """The plants, each read once."""
        keys = list(dict.fromkeys(items))
        results = await self._pool.read(*((self._sql, key) for key in keys))
        found = {
            key: NewPlant(key[1], *rows[0]) if rows else None
            for key, rows in zip(keys, results, strict=True)
        }
        return [found[key] for key in items]
