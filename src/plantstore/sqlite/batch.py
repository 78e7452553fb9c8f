"""Applies a batch of writes in one transaction: plants, events, revisions, idempotency keys.

Invariant: each change raises its store's revision by one and has its event under that revision;
an outcome is reported only after its commit.
"""

from collections.abc import Callable

import apsw

from plantstore.model import IdempotencyKey, NewPlant, Outcome
from plantstore.sql.queries import load_queries
from plantstore.sql.writes import KEY_LIFETIME_MS, Create, Delete, Write
from plantstore.sqlite.connection import BUSY_TIMEOUT_MS

_PURGE_INTERVAL_MS = 60_000


class BatchWriter:
    """Writes batches through one connection; ``clock`` gives Unix time in seconds.

    A batch is begun, its writes are applied in order, it is finished and committed; after any
    error it is rolled back.
    """

    def __init__(self, connection: apsw.Connection, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._execute = connection.cursor().execute
        self._sql = load_queries("plantstore.sqlite")
        self._clock = clock
        self._purged_at = 0
        # Of the current batch:
        self._at = 0
        self._revisions: dict[int, int | None] = {}
        self._changed: set[int] = set()

    def try_begin(self) -> bool:
        """Begin a batch without waiting; False if another connection is writing."""
        self._connection.set_busy_timeout(0)
        try:
            self.begin()
        except apsw.BusyError:
            return False
        finally:
            self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        return True

    def begin(self) -> None:
        """Begin a batch, waiting for those of other connections."""
        self._at = int(self._clock() * 1000)
        self._revisions.clear()
        self._changed.clear()
        self._execute("BEGIN IMMEDIATE")

    def apply(self, write: Write) -> Outcome:
        """Apply a write; returns its outcome, valid once the batch is committed."""
        store_id = write.store_id
        if store_id not in self._revisions:
            found = self._execute(self._sql["find_revision"], (store_id,)).get
            self._revisions[store_id] = found
        if self._revisions[store_id] is None:
            return Outcome.NO_SUCH_STORE
        if isinstance(write, Delete):
            return self._delete(write)
        if write.key is None:
            return self._create(write)
        return self._create_once(write, write.key)

    def finish(self) -> None:
        """Write the revisions, and purge old keys from time to time."""
        for store_id in self._changed:
            self._execute(self._sql["set_revision"], (store_id, self._revisions[store_id]))
        if abs(self._at - self._purged_at) >= _PURGE_INTERVAL_MS:
            self._purge_keys()

    def commit(self) -> None:
        """Make the batch durable."""
        self._execute("COMMIT")

    def roll_back(self) -> None:
        """Undo all of the batch."""
        # SQLite has rolled back by itself after some errors.
        if self._connection.in_transaction:
            self._execute("ROLLBACK")

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

    def _purge_keys(self) -> None:
        self._execute(self._sql["delete_old_keys"], (self._at - KEY_LIFETIME_MS,))
        if not self._connection.changes():  # else there may be more, for the next batch
            self._purged_at = self._at
