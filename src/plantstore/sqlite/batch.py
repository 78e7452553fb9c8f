"""Applies a batch of writes in one transaction: plants, events, revisions, idempotency keys.

Invariant: each change raises its store's revision by one and has its event under that revision;
an outcome is given out only after the commit that holds it.
"""

from collections.abc import Callable, Sequence

import apsw

from plantstore.model import IdempotencyKey, NewPlant, Outcome
from plantstore.sql.queries import load_queries
from plantstore.sql.writes import KEY_LIFETIME_MS, Create, Delete, Write

_PURGE_INTERVAL_MS = 60_000


class BatchWriter:
    """Writes batches through one connection; ``now`` gives Unix time in milliseconds."""

    def __init__(self, connection: apsw.Connection, now: Callable[[], int]) -> None:
        self._connection = connection
        self._execute = connection.cursor().execute
        self._sql = load_queries("plantstore.sqlite")
        self._now = now
        self._purged_at = 0
        # Of the batch in hand:
        self._at = 0
        self._revisions: dict[int, int | None] = {}
        self._changed: set[int] = set()

    def write(self, batch: Sequence[Write]) -> list[Outcome]:
        """Apply all in order and commit; on any error nothing of the batch is applied."""
        self._at = self._now()
        self._revisions.clear()
        self._changed.clear()
        self._execute("BEGIN IMMEDIATE")
        try:
            outcomes = [self._apply(write) for write in batch]
            for store_id in self._changed:
                self._execute(self._sql["set_revision"], (store_id, self._revisions[store_id]))
            self._purge_keys()
            self._execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        return outcomes

    def _apply(self, write: Write) -> Outcome:
        if self._find_revision(write.store_id) is None:
            return Outcome.NO_SUCH_STORE
        if isinstance(write, Delete):
            return self._delete(write)
        if write.key is None:
            return self._create(write)
        return self._create_once(write, write.key)

    def _create_once(self, write: Create, key: IdempotencyKey) -> Outcome:
        row = (write.store_id, write.caller.user_id, key.key)
        stored = self._execute(self._sql["find_key"], (*row, self._at - KEY_LIFETIME_MS)).get
        if stored is not None:
            fingerprint, outcome = stored
            return Outcome(outcome) if fingerprint == key.fingerprint else Outcome.KEY_REUSED
        created = self._create(write)
        self._execute(self._sql["insert_key"], (*row, key.fingerprint, created.value, self._at))
        return created

    def _create(self, write: Create) -> Outcome:
        plant = write.plant
        self._execute(self._sql["insert_plant"], (write.store_id, plant.id, plant.name, plant.tag))
        if not self._connection.changes():
            stored = self._execute(self._sql["find_plant"], (write.store_id, plant.id)).get
            identical = stored == (plant.name, plant.tag)
            return Outcome.ALREADY_STORED if identical else Outcome.ID_TAKEN
        self._record("plant.created", write, plant)
        return Outcome.CREATED

    def _delete(self, write: Delete) -> Outcome:
        row = self._execute(self._sql["delete_plant"], (write.store_id, write.plant_id)).get
        if row is None:
            return Outcome.NO_SUCH_PLANT
        self._record("plant.deleted", write, NewPlant(write.plant_id, *row))
        return Outcome.DELETED

    def _record(self, kind: str, write: Write, plant: NewPlant) -> None:
        store_id, caller = write.store_id, write.caller
        revision = (self._revisions[store_id] or 0) + 1
        self._revisions[store_id] = revision
        self._changed.add(store_id)
        event = (store_id, revision, kind, plant.id, plant.name, plant.tag, self._at)
        self._execute(self._sql["insert_event"], (*event, caller.user_id, caller.token_label))

    def _find_revision(self, store_id: int) -> int | None:
        """The store's revision as of this batch; None where there is no such store."""
        if store_id not in self._revisions:
            found = self._execute(self._sql["find_revision"], (store_id,)).get
            self._revisions[store_id] = found
        return self._revisions[store_id]

    def _purge_keys(self) -> None:
        if abs(self._at - self._purged_at) >= _PURGE_INTERVAL_MS:
            self._execute(self._sql["delete_old_keys"], (self._at - KEY_LIFETIME_MS,))
            if not self._connection.changes():  # else there may be more, for the next batch
                self._purged_at = self._at

    def _roll_back(self) -> None:
        # SQLite has rolled back by itself after some errors.
        if self._connection.in_transaction:
            self._execute("ROLLBACK")
