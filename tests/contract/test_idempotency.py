"""An idempotency key makes a create happen once, whatever its outcome was."""

from contextlib import closing

import pytest

from plantstore.core.model import IdempotencyKey, NewPlant, Outcome
from tests.administration import Administration, open_test_session
from tests.contract.harness import DatabaseHarness
from tests.databases import execute

pytestmark = pytest.mark.anyio

MONSTERA = NewPlant(1, "Monstera", "tropical")
FICUS = NewPlant(1, "Ficus")
KEY = IdempotencyKey("first", 32 * b"\x01")
KEY_WITH_ANOTHER_BODY = IdempotencyKey("first", 32 * b"\x02")


async def test_a_create_that_failed_leaves_its_key_free(harness: DatabaseHarness) -> None:
    with pytest.raises(UnicodeEncodeError):
        await harness.create(NewPlant(1, "\ud800"), KEY)
    assert await harness.create(MONSTERA, KEY_WITH_ANOTHER_BODY) is Outcome.CREATED


async def test_a_deleted_store_loses_its_keys(
    harness: DatabaseHarness, administration: Administration
) -> None:
    await harness.create(MONSTERA, KEY)
    administration.delete_store("nursery")
    assert await harness.create(MONSTERA, KEY) is Outcome.TOKEN_INVALID
    again = await harness.make_caller("nursery", "ada")
    assert await harness.create(MONSTERA, KEY_WITH_ANOTHER_BODY, again) is Outcome.CREATED


async def test_old_keys_do_not_pile_up(harness: DatabaseHarness, url: str) -> None:
    """More grow old between two batches than one of them deletes."""
    sql = "INSERT INTO idempotency_keys VALUES ($1, $2, $3, $4, 'created', 0)"
    store_id, user_id = harness.store_id, harness.owner.user_id
    rows = [(store_id, user_id, f"old-{number}", 32 * b"x") for number in range(2500)]
    execute(url, sql, rows)
    for number in range(5):
        assert await harness.create(NewPlant(number, "Fern")) is Outcome.CREATED
    with closing(open_test_session(url)) as session:
        assert session.query("keys_of_store", store_id) == []
