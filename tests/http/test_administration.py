"""Administration jobs run one at a time, and their holders take turns, in which they rest."""

import asyncio
import gc
import threading
import weakref
from functools import partial

import pytest

from plantstore.core.pools import Pool
from plantstore.databases import open_session
from plantstore.http.administration import Administration

pytestmark = pytest.mark.anyio


def note(order: list[str], holder: str, _: object) -> None:
    order.append(holder)


async def test_a_holder_of_which_jobs_wait_rests_while_others_run_theirs(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plantstore.http.administration._REST", 0.4)
    administration = Administration(partial(open_session, url), 30.0, Pool("administration", 64))
    has_begun, may_end, order = threading.Event(), threading.Event(), list[str]()

    def wait_for_the_others(_: object) -> bool:
        has_begun.set()
        return may_end.wait(30)

    first = asyncio.ensure_future(administration.run("many", wait_for_the_others))
    await asyncio.to_thread(has_begun.wait, 30)
    work = partial(note, order, "cancelled")
    cancelled, known = asyncio.ensure_future(administration.run("one", work)), weakref.ref(work)
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.wait([cancelled])
    del work, cancelled
    gc.collect()
    assert known() is None  # a job that nobody waits for does not stay
    holders = (*2 * ["many"], "one", "other")
    waiting = [
        asyncio.ensure_future(administration.run(holder, partial(note, order, holder)))
        for holder in holders
    ]
    await asyncio.sleep(0)
    may_end.set()
    await asyncio.gather(first, *waiting)
    assert order == ["one", "other", *2 * ["many"]]
    await administration.close()


async def test_holders_that_rest_at_the_same_time_rest_longer(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plantstore.http.administration._REST", 0.1)
    administration = Administration(partial(open_session, url), 30.0, Pool("administration", 64))
    began = asyncio.get_running_loop().time()
    jobs = (administration.run(holder, lambda _: None) for holder in 3 * ["many", "other"])
    await asyncio.gather(*jobs)
    assert asyncio.get_running_loop().time() - began > 0.35  # 0.1, then 0.2 for each of the two
    await administration.close()


async def test_a_job_whose_thread_cannot_start_leaves_its_slot(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    slots = Pool("administration", 64)
    administration = Administration(partial(open_session, url), 30.0, slots)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        with pytest.raises(RuntimeError):
            await administration.run(1, lambda _: True)
    assert not slots.used
    assert await administration.run(1, lambda _: True)
    await administration.close()
