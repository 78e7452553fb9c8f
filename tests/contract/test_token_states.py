"""What tokens may do now, how they are replaced, and when they were used: on every database."""

import pytest

from plantstore.core.clock import now
from plantstore.core.errors import TokenEndedError
from plantstore.core.model import Grant, NewPlant, Role, Scope
from plantstore.sql import token_uses
from plantstore.sql.administration.tokens import Token, TokenState
from tests.administration import Administration
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio

HOUR, DAY = 3_600_000, 86_400_000


def make(administration: Administration, **request: object) -> Token:
    values = {"subject": "ada", "store": "nursery"} | request
    return administration.create_token(Grant(**values)).token  # type: ignore[arg-type]


def test_the_state_says_whether_a_token_is_valid(administration: Administration) -> None:
    states = {
        None: TokenState.ACTIVE,
        now() + 15 * DAY: TokenState.ACTIVE,
        now() + 13 * DAY: TokenState.EXPIRING,
        now() - 1: TokenState.EXPIRED,
    }
    for expires_at, state in states.items():
        found = make(administration, expires_at=expires_at)
        assert (found.state, found.is_valid) == (state, state is not TokenState.EXPIRED)
    revoked = administration.revoke_token(make(administration, expires_at=1).token_id)
    assert (revoked.state, revoked.is_valid) == (TokenState.REVOKED, False)


def test_permissions_are_what_scopes_and_roles_allow(administration: Administration) -> None:
    for store in ("nursery", "orchard"):
        make(administration, subject="eve", store=store)
    make(administration)
    narrow = make(administration, scopes=frozenset({Scope.LIST, Scope.CREATE}))
    wide = make(administration, all_stores=True)

    def permissions() -> list[set[str]]:
        found = {one.token_id: one for one in administration.list_tokens(subject="ada")}
        return [set(found[one.token_id].permissions) for one in (narrow, wide)]

    everything = {"list", "create", "update", "delete"}
    assert permissions() == [{"list", "create"}, everything]
    administration.add_member("nursery", "ada", Role.READER)
    assert permissions() == [{"list"}, {"list"}]
    administration.add_member("orchard", "ada", Role.EDITOR)
    assert permissions() == [{"list"}, everything]
    administration.remove_member("nursery", "ada")
    assert permissions() == [set(), everything]


def test_a_rotated_token_expires_after_the_grace_time(administration: Administration) -> None:
    made = make(administration, label="till", scopes=frozenset({Scope.LIST}), all_stores=True)
    issued, old = administration.rotate_token(made.token_id, HOUR)
    new = issued.token
    assert new.token_id != made.token_id
    for field in ("store", "subject", "label", "scopes", "all_stores", "expires_at"):
        assert getattr(new, field) == getattr(made, field)
    assert old.expires_at is not None
    assert 0 <= old.expires_at - HOUR - new.created_at < 60_000
    assert administration.find_token(issued.secret) == new


def test_a_rotation_keeps_the_lifetime_and_an_earlier_end(administration: Administration) -> None:
    made = make(administration, expires_at=now() + HOUR)
    assert made.expires_at is not None
    issued, old = administration.rotate_token(made.token_id, DAY)
    new = issued.token
    assert old.expires_at == made.expires_at
    assert new.expires_at is not None
    assert abs(new.expires_at - new.created_at - HOUR) < 1000
    _, old = administration.rotate_token(new.token_id, 0)
    assert old.state is TokenState.EXPIRED
    with pytest.raises(TokenEndedError):
        administration.rotate_token(new.token_id, 0)


def last_uses(harness: DatabaseHarness) -> dict[str, int | None]:
    return {one.subject: one.last_used_at for one in harness.administration.list_tokens()}


async def test_the_last_use_is_written_when_it_is_asked_for(harness: DatabaseHarness) -> None:
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


async def test_each_use_between_two_writings_is_noted(harness: DatabaseHarness) -> None:
    """Also where the caller is remembered, as long as nothing is committed."""
    key = (harness.store_id, harness.owner.token_hash, None)
    seen = []
    for _ in range(3):
        for _ in range(2):
            await harness.database.find_caller(*key)
        await harness.database.write_token_uses()
        seen.append(last_uses(harness)["ada"])
        while now() == seen[-1]:
            pass  # the next use is at another millisecond
    assert len(set(seen)) == 3
    await harness.database.write_token_uses()
    assert last_uses(harness)["ada"] == seen[-1]


async def test_a_description_of_the_token_is_a_use(harness: DatabaseHarness) -> None:
    await harness.database.write_token_uses()
    eve = harness.administration.create_token(Grant(subject="eve", store="nursery"))
    assert await harness.database.find_token_info(harness.store_id, bytes(32)) is None
    found = await harness.find_caller(eve.secret)
    assert found is not None
    await harness.database.find_token_info(found.store_id, found.token_hash)
    await harness.database.write_token_uses()
    assert last_uses(harness)["eve"] is not None


async def test_many_uses_are_written_in_parts(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_uses, "MAX_WRITTEN", 2)
    for number in range(5):
        await harness.make_caller("nursery", f"user-{number}")
    await harness.database.write_token_uses()
    assert None not in last_uses(harness).values()
    assert len(last_uses(harness)) == 6
