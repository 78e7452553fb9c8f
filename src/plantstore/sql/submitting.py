"""Many writes at a time, each with an outcome of its own."""

import asyncio
from collections.abc import Callable, Iterable

from plantstore.errors import PlantStoreError
from plantstore.model import Outcome
from plantstore.sql.writes import Create

Submit = Callable[[Create], "asyncio.Future[Outcome]"]


async def submit_all(submit: Submit, creates: Iterable[Create]) -> list[Outcome | PlantStoreError]:
    """Submit them one after the other, so that they wait for a commit together."""
    submitted = [_try_submit(submit, create) for create in creates]
    return [await _wait_for(one) for one in submitted]


def _try_submit(submit: Submit, create: Create) -> "asyncio.Future[Outcome] | PlantStoreError":
    try:
        return submit(create)
    except PlantStoreError as error:
        return error


async def _wait_for(
    submitted: "asyncio.Future[Outcome] | PlantStoreError",
) -> Outcome | PlantStoreError:
    if isinstance(submitted, PlantStoreError):
        return submitted
    try:
        return await submitted
    except PlantStoreError as error:
        return error
