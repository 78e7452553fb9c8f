"""Tokens' states, permissions, rotation and last use, on every database."""

import asyncio

import pytest

from plantstore.core.clock import now
from plantstore.core.errors import SetupError
from plantstore.core.model import Grant, NewPlant, Role, Scope
from plantstore.sql import token_uses
from plantstore.sql.administration.tokens import Token, TokenState
from tests.administration import Administration
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio

HOUR, DAY = 3_600_000, 86_400_000


def create(administration: Administration, **request: object) -> Token:
    values = {"subject": "ada", "store": "nursery"} | request
    return administration.create_token(Grant(**values)).token  # type: ignore[arg-type]


def test_a_tokens_state_depends_on_expiry_and_revocation(administration: Administration) -> None:
    states = {
        None: TokenState.ACTIVE,
        now() + 15 * DAY: TokenState.ACTIVE,
        now() + 13 * DAY: TokenState.EXPIRING,
        now() - 1: TokenState.EXPIRED,
    }
    for expires_at, state in states.items():
        token = create(administration, expires_at=expires_at)
        assert (token.state, token.is_valid) == (state, state is not TokenState.EXPIRED)
    revoked = administration.revoke_token(create(administration, expires_at=1).token_id)
    assert (revoked.state, revoked.is_valid) == (TokenState.REVOKED, False)


def test_permissions_follow_scopes_and_current_roles(administration: Administration) -> None:
    for store in ("nursery", "orchard"):
        create(administration, subject="eve", store=store)
    create(administration)
    narrow = create(administration, scopes=frozenset({Scope.LIST, Scope.CREATE}))
    wide = create(administration, all_stores=True)

    def permissions() -> list[set[str]]:
        tokens = {token.token_id: token for token in administration.list_tokens(subject="ada")}
        return [set(tokens[token.token_id].permissions) for token in (narrow, wide)]

    everything = {"list", "create", "update", "delete"}
    assert permissions() == [{"list", "create"}, everything]
    administration.add_member("nursery", "ada", Role.READER)
    assert permissions() == [{"list"}, {"list"}]
    administration.add_member("orchard", "ada", Role.EDITOR)
    assert permissions() == [{"list"}, everything]
    administration.remove_member("nursery", "ada")
    assert permissions() == [set(), everything]


def test_a_rotated_token_expires_after_the_grace_period(administration: Administration) -> None:
    original = create(administration, label="till", scopes=frozenset({Scope.LIST}), all_stores=True)
    issued, old = administration.rotate_token(original.token_id, HOUR)
    new = issued.token
    assert new.token_id != original.token_id
    for field in ("store", "subject", "label", "scopes", "all_stores", "expires_at"):
        assert getattr(new, field) == getattr(original, field)
    assert old.expires_at is not None
    assert 0 <= old.expires_at - HOUR - new.created_at < 60_000
    assert administration.find_token(issued.secret) == new


def test_a_rotation_keeps_the_lifetime_and_an_earlier_expiry(
    administration: Administration,
) -> None:
    original = create(administration, expires_at=now() + HOUR)
    assert original.expires_at is not None
    issued, old = administration.rotate_token(original.token_id, DAY)
    new = issued.token
    assert old.expires_at == original.expires_at
    assert new.expires_at is not None
    assert abs(new.expires_at - new.created_at - HOUR) < 1000
    _, old = administration.rotate_token(new.token_id, 0)
    assert old.state is TokenState.REVOKED
    with pytest.raises(SetupError, match="is revoked"):
        administration.rotate_token(new.token_id, 0)


def last_uses(harness: DatabaseHarness) -> dict[str, int | None]:
    return {token.subject: token.last_used_at for token in harness.administration.list_tokens()}


async def test_last_uses_are_written_by_write_token_uses(harness: DatabaseHarness) -> None:
    harness.administration.create_token(Grant(subject="eve", store="nursery"))
    expired = Grant(subject="kim", store="nursery", expires_at=1)
    assert await harness.find_caller(harness.administration.create_token(expired).secret)
    await harness.create(NewPlant(1, "Fern"))
    before = await harness.read_revision()
    assert last_uses(harness) == {"ada": None, "eve": None, "kim": None}
    await harness.database.write_token_uses()
    first = last_uses(harness)["ada"]
    assert first is not None
    assert 0 <= now() - first < 60_000
    assert last_uses(harness) == {"ada": first, "eve": None, "kim": None}
    assert await harness.read_revision() == before
    await harness.assert_consistency()


async def test_each_use_between_two_writes_is_recorded(harness: DatabaseHarness) -> None:
    """Also if the caller is cached."""
    key = (harness.store_id, harness.owner.token_hash, None)
    use_times = []
    for _ in range(3):
        for _ in range(2):
            await harness.database.find_caller(*key)
        await harness.database.write_token_uses()
        use_times.append(last_uses(harness)["ada"])
        while now() == use_times[-1]:
            pass  # the next use is in another millisecond
    assert len(set(use_times)) == 3
    await harness.database.write_token_uses()
    assert last_uses(harness)["ada"] == use_times[-1]


async def test_many_uses_are_written_in_batches(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_uses, "MAX_WRITTEN", 2)
    for number in range(5):
        await harness.make_caller("nursery", f"user-{number}")
    await harness.database.write_token_uses()
    assert None not in last_uses(harness).values()
    assert len(last_uses(harness)) == 6


async def test_uses_during_a_write_wait_for_the_next(harness: DatabaseHarness) -> None:
    """Else the write would not end while tokens are in use."""

    async def use() -> None:
        while True:
            await harness.database.find_caller(harness.store_id, harness.owner.token_hash, None)
            await asyncio.sleep(0)

    await harness.database.find_caller(harness.store_id, harness.owner.token_hash, None)
    in_use = asyncio.create_task(use())
    try:
        await asyncio.wait_for(harness.database.write_token_uses(), 10)
    finally:
        in_use.cancel()
        await asyncio.wait([in_use])
