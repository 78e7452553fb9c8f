"""The SQLite database: blocked writes, damage, and connections after errors."""

import asyncio
import gc
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import apsw
import pytest

from plantstore.core.errors import DatabaseUnavailableError, OutcomeUnknownError
from plantstore.core.model import NewPlant, Outcome
from plantstore.core.operations import Atomic, Create, Delete, RefusedError, Write, Written
from plantstore.core.thread import Thread
from plantstore.sqlite.batch import BatchWriter
from plantstore.sqlite.connection import connect
from plantstore.sqlite.file_lock import FileLock
from tests.administration import open_administration
from tests.contract.harness import DatabaseHarness
from tests.databases import create_sqlite
from tests.waiting import wait_until

pytestmark = pytest.mark.anyio

FICUS = NewPlant(1, "Ficus", "indoor")


@pytest.fixture
async def harness(tmp_path: Path) -> AsyncIterator[DatabaseHarness]:
    url = create_sqlite(tmp_path)
    with closing(open_administration(url)) as administration:
        async with DatabaseHarness(url, administration) as opened:
            yield opened


async def test_writes_recover_after_another_programs_transaction(
    harness: DatabaseHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program does not use our lock; SQLite's busy timeout ends the wait."""
    monkeypatch.setattr("plantstore.sqlite.writer.BUSY_TIMEOUT_MS", 200)
    with closing(connect(tmp_path / "plants.db")) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseUnavailableError):
            await asyncio.wait_for(harness.create(FICUS), 30)
        connection.execute("COMMIT")
    assert await harness.create(FICUS) is Outcome.CREATED


async def test_another_process_may_write_before_the_event_loop_goes_on(
    harness: DatabaseHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, lock, acquired = Thread.run, FileLock(tmp_path / "plants.db"), list[bool]()

    def run_and_wait(thread: Thread, function: Callable[[], Any]) -> "asyncio.Future[Any]":
        future = run(thread, function)
        acquired.append(lock.try_acquire(10))
        lock.release()
        return future

    monkeypatch.setattr(Thread, "run", run_and_wait)
    assert await harness.create(FICUS) is Outcome.CREATED
    lock.close()
    assert acquired == [True]


async def test_while_writes_are_committed_those_that_time_out_do_not_make_the_database_unready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a slow disk, a store may queue more than its share of the commits in that time."""
    run = Thread.run

    def run_slowly(thread: Thread, function: Callable[[], Any]) -> "asyncio.Future[Any]":
        def wait_and_run() -> Any:  # noqa: ANN401 - as the function
            time.sleep(0.1)
            return function()

        return run(thread, wait_and_run)

    monkeypatch.setattr(Thread, "run", run_slowly)
    monkeypatch.setattr("plantstore.sqlite.writer._SWEEP_SECONDS", 0.05)
    url = create_sqlite(tmp_path)
    with closing(open_administration(url)) as administration:
        async with DatabaseHarness(url, administration, write_timeout=1) as slow:
            other = await slow.make_caller("orchard", "ben")
            await slow.create(FICUS, caller=other)
            flood = [asyncio.ensure_future(slow.create(NewPlant(n, "Ficus"))) for n in range(2000)]
            await asyncio.wait(flood, return_when=asyncio.FIRST_EXCEPTION)
            await slow.database.check()
            outcomes = await asyncio.gather(*flood, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {Outcome, DatabaseUnavailableError}


async def test_the_lock_is_left_to_a_thread_that_waits_for_it(
    harness: DatabaseHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as for a change of members, which polls: a busy writer would always be first."""
    monkeypatch.setattr("plantstore.sqlite.writer._GATHERING_SECONDS", 60)
    monkeypatch.setattr("plantstore.sqlite.file_lock._WANTED_SECONDS", 60)
    path = tmp_path / "plants.db"
    with closing(FileLock(path)) as held, closing(FileLock(path)) as wanted:
        assert held.try_acquire()
        waiting = threading.Thread(target=wanted.try_acquire, args=(60,))
        waiting.start()
        await asyncio.to_thread(wait_until, lambda: held.is_wanted)
        write = asyncio.ensure_future(harness.create(FICUS))
        await asyncio.sleep(0.1)
        held.release()
        await asyncio.to_thread(waiting.join)
        assert not write.done()
        wanted.release()
        assert await write is Outcome.CREATED


@pytest.mark.parametrize(("method", "arguments"), [("try_acquire", (60,)), ("acquire", ())])
def test_the_lock_is_left_to_another_worker_that_waits_for_it(
    tmp_path: Path, method: str, arguments: tuple[int, ...]
) -> None:
    path = tmp_path / "plants.db"
    path.touch()
    with closing(FileLock(path)) as held, closing(FileLock(path)) as wanted:
        assert held.try_acquire()
        worker = get_context("fork").Process(target=getattr(wanted, method), args=arguments)
        worker.start()
        wait_until(lambda: held.is_wanted)
        held.release()
        worker.join()
        assert not held.is_wanted


async def test_slow_writes_of_a_batch_let_the_loop_run(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as deletes of long plants."""
    apply = BatchWriter.apply

    def apply_slowly(batch: BatchWriter, write: Any) -> Written:  # noqa: ANN401 - any item
        time.sleep(0.002)
        turns.append(0)
        return apply(batch, write)

    monkeypatch.setattr(BatchWriter, "apply", apply_slowly)
    turns = [0]
    writes = asyncio.gather(*(harness.create(NewPlant(n, "Ficus")) for n in range(10)))
    while not writes.done():
        await asyncio.sleep(0)
        turns[-1] += 1
    assert len(turns) == 11
    assert all(turns)


async def test_the_lock_is_held_while_the_writes_of_a_failed_batch_are_made_one_by_one(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    free, apply = list[bool](), BatchWriter.apply
    with closing(FileLock(tmp_path / "plants.db")) as other:

        def apply_and_look(batch: BatchWriter, write: Any) -> Written:  # noqa: ANN401 - any item
            free.append(other.try_acquire())
            if free[-1]:
                other.release()
            if write.plant.id == 1:
                raise ValueError
            return apply(batch, write)

        monkeypatch.setattr(BatchWriter, "apply", apply_and_look)
        creates = (harness.create(NewPlant(number, "Ficus")) for number in range(3))
        _, failed, _ = await asyncio.gather(*creates, return_exceptions=True)
        assert isinstance(failed, ValueError)
    assert not any(free)


async def test_an_atomic_ends_at_the_write_that_refuses_it(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await harness.make_caller("orchard", "ben")
    apply, applied = BatchWriter.apply, list[Write]()

    def note_and_apply(batch: BatchWriter, write: Any) -> Written:  # noqa: ANN401 - any item
        applied.append(write)
        return apply(batch, write)

    monkeypatch.setattr(BatchWriter, "apply", note_and_apply)
    writes = [Delete(caller.store_id, caller, number) for number in range(10)]
    with pytest.raises(RefusedError):
        await harness.database.write(Atomic(caller.store_id, writes))
    assert applied == writes[:1]


async def test_among_others_writes_wait_for_one_atomic_at_a_time(harness: DatabaseHarness) -> None:
    callers = [await harness.make_caller(store, "ben") for store in ("orchard", "park")]
    for caller in callers:  # several stores are active
        await harness.create(NewPlant(0, "Fern"), caller=caller)
    sizes, atomics = list[int](), list[asyncio.Future[Written]]()
    harness.database.writes.observers.append(lambda count, _: sizes.append(count))
    for count, caller in enumerate(callers, 2):
        creates = [
            Create(caller.store_id, caller, NewPlant(n, "Fern")) for n in range(1, 1 + count)
        ]
        atomics.append(
            asyncio.ensure_future(harness.database.write(Atomic(caller.store_id, creates)))
        )
    await atomics[0]
    await asyncio.gather(atomics[1], harness.create(NewPlant(9, "Fern"), caller=callers[0]))
    assert sizes == [2, 1, 3]


async def test_among_others_a_full_batch_waits_for_no_more_writes(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plantstore.core.write_queue._WRITE_SECONDS", 60)  # else slow commits add
    other = await harness.make_caller("orchard", "ben")
    await harness.create(NewPlant(100, "Ficus"), caller=other)
    await harness.create(NewPlant(100, "Ficus"))
    sizes = list[int]()
    harness.database.writes.observers.append(lambda count, _: sizes.append(count))
    writes = [asyncio.ensure_future(harness.create(NewPlant(n, "Ficus"))) for n in range(40)]
    for number in range(5):  # one more in each iteration of the loop
        await asyncio.sleep(0)
        late = harness.create(NewPlant(number, "Ficus"), caller=other)
        writes.append(asyncio.ensure_future(late))
    await asyncio.gather(*writes)
    assert sizes[0] < 12 + 5


async def test_a_store_that_has_its_share_of_a_batch_is_not_looked_at_again(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await harness.make_caller("orchard", "ben")
    await harness.create(NewPlant(1000, "Ficus"), caller=other)
    await harness.create(NewPlant(1000, "Ficus"))
    queue, sizes, looked = harness.database.writes, list[int](), list[int]()
    may_leave = queue.try_leave

    def count(store_id: int, write: object, costs: Counter[int]) -> bool:
        looked.append(store_id)
        return may_leave(store_id, write, costs)

    monkeypatch.setattr(queue, "try_leave", count)
    queue.observers.append(lambda size, _: sizes.append(size))
    await asyncio.gather(*(harness.create(NewPlant(n, "Ficus")) for n in range(500)))
    assert len(looked) <= 500 + len(sizes)


async def test_a_damaged_index_marks_the_database_as_broken(
    harness: DatabaseHarness, tmp_path: Path
) -> None:
    """SQLite reports it with an error code of its own."""
    await harness.database.close()
    path = tmp_path / "plants.db"
    change_condition_of_index(path, "tag IS NOT NULL", "tag IS NULL")
    with closing(connect(path)) as connection:
        connection.execute(
            "INSERT INTO plants (store_id, id, name, tag) VALUES (1, 1, 'Ficus', 'not in index')"
        )
    change_condition_of_index(path, "tag IS NULL", "tag IS NOT NULL")
    await harness.open()
    with pytest.raises(OutcomeUnknownError):
        await harness.delete(1)
    with pytest.raises(DatabaseUnavailableError):
        await harness.database.check()
    broken = await asyncio.wait_for(harness.database.wait_until_broken(), 5)
    assert isinstance(broken, apsw.CorruptError)


async def test_a_long_read_does_not_wait_for_another(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    barrier = threading.Barrier(2)
    monkeypatch.setattr(type(harness.database), "_read_briefly", lambda *_: None)
    monkeypatch.setattr(type(harness.database), "_read_long", lambda *_: barrier.wait(10))
    await asyncio.gather(*(harness.database.read("find_plant", 1, 1) for _ in range(2)))


async def test_a_read_of_a_client_that_has_gone_ends_when_its_thread_is_free(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps its lane: else clients that come and go would take all threads."""
    may_end = threading.Event()
    monkeypatch.setattr(type(harness.database), "_read_briefly", lambda *_: None)
    monkeypatch.setattr(type(harness.database), "_read_long", lambda *_: may_end.wait(10))
    reading = asyncio.ensure_future(harness.database.read("find_plant", 1, 1))
    await asyncio.sleep(0)
    reading.cancel()
    await asyncio.sleep(0.1)
    assert not reading.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await reading


@pytest.mark.parametrize("seconds", [0.0, 60.0])
async def test_a_read_leaves_the_loop_after_a_time_however_often_it_ran(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """SQLite counts the steps of all runs of a prepared statement."""
    in_threads = list[object]()
    monkeypatch.setattr("plantstore.sqlite.database._BRIEF_SECONDS", seconds)
    monkeypatch.setattr(type(harness.database), "_read_long", lambda *_: in_threads)
    for _ in range(500):
        rows = await harness.database.read("find_plants_among", 1, "[1, 2, 3, 4, 5, 6, 7, 8, 9]")
        if rows is in_threads:
            in_threads.append(rows)
    assert bool(in_threads) == (seconds == 0)


def change_condition_of_index(path: Path, before: str, after: str) -> None:
    with closing(connect(path)) as connection:
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection.execute("PRAGMA writable_schema = ON")
        change = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'plants_by_tag'"
        connection.execute(change, (before, after))


def count_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_failed_snapshots_leave_no_connections_open(
    harness: DatabaseHarness, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    gc.disable()  # as in the service, where it seldom runs
    request.addfinalizer(gc.enable)
    with closing(connect(tmp_path / "plants.db")) as connection:
        connection.execute("ALTER TABLE revisions RENAME TO lost")
    before = count_files()
    for _ in range(10):
        with pytest.raises(DatabaseUnavailableError):
            await harness.database.open_snapshot(1)
    deadline = time.monotonic() + 10
    while count_files() > before + 5:  # SQLite keeps some for the next connection
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
