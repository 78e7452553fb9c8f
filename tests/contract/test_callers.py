"""Who calls with a token, about which store, and what it may do there: always as of now."""

import string
import time
from collections.abc import Callable
from itertools import product

import pytest
from msgspec.structs import replace

from plantstore.model import Caller, NewPlant, Role, Scope, TokenRequest
from plantstore.sql.administration import Administration
from plantstore.tokens import hash_token
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio

ROLES = (None, *Role)
SCOPES = (
    frozenset({Scope.LIST}),
    frozenset({Scope.CREATE}),
    frozenset({Scope.LIST, Scope.DELETE}),
    frozenset(Scope),
)


def set_role(administration: Administration, store: str, role: Role | None) -> None:
    """Give ada this role in the store, or none."""
    if role is not None:
        administration.add_member(store, "ada", role)
    elif "ada" in {member.subject for member in administration.list_members(store)}:
        administration.remove_member(store, "ada")


def ids_of_stores(administration: Administration) -> dict[str, int]:
    return {store.name: store.store_id for store in administration.list_stores()}


async def test_a_token_tells_its_user_its_label_and_its_store(
    harness: DatabaseHarness, administration: Administration
) -> None:
    request = TokenRequest(subject="eve", store="nursery", label="kiosk", expires_at=4102444800000)
    token = administration.create_token(request).secret
    user = next(user for user in administration.list_users() if user.subject == "eve")
    await harness.create(NewPlant(1, "Ficus"))
    caller = await harness.find_caller(token)
    assert caller is not None
    assert replace(caller, unchanged=None) == Caller(
        token_store_id=ids_of_stores(administration)["nursery"],
        token_hash=hash_token(token),
        user_id=user.user_id,
        token_label="kiosk",
        expires_at=4102444800000,
        store_id=ids_of_stores(administration)["nursery"],
        role=Role.EDITOR,
        permissions=frozenset(Scope),
        revision=1,
    )


@pytest.mark.parametrize("scopes", SCOPES, ids=lambda scopes: ",".join(sorted(scopes)))
@pytest.mark.parametrize("all_stores", [False, True])
async def test_a_caller_may_do_what_both_role_and_scopes_allow(
    harness: DatabaseHarness,
    administration: Administration,
    scopes: frozenset[Scope],
    *,
    all_stores: bool,
) -> None:
    administration.create_store("orchard")
    request = TokenRequest(subject="ada", store="nursery", scopes=scopes, all_stores=all_stores)
    token = administration.create_token(request).secret
    ids = ids_of_stores(administration)
    for own, other in product(ROLES, ROLES):
        set_role(administration, "nursery", own)
        set_role(administration, "orchard", other)
        for name, role in {None: own, "nursery": own, "orchard": other, "meadow": None}.items():
            if name == "orchard" and not all_stores:
                role = None  # noqa: PLW2901 - the token is restricted from that store
            caller = await harness.find_caller(token, name)
            assert caller is not None
            assert caller.role is role
            assert caller.permissions == (scopes & role.scopes if role else frozenset())
            if role is not None:
                assert caller.store_id == ids[name or "nursery"]


async def test_a_store_that_is_not_open_looks_like_one_that_is_not_there(
    harness: DatabaseHarness, administration: Administration
) -> None:
    await harness.make_caller("orchard", "eve")
    for all_stores in (False, True):
        request = TokenRequest(subject="ada", store="nursery", all_stores=all_stores)
        token = administration.create_token(request).secret
        closed = await harness.find_caller(token, "orchard")
        missing = await harness.find_caller(token, "meadow")
        assert closed is not None
        assert missing is not None
        assert closed.role is missing.role is None
        assert closed.permissions == missing.permissions == frozenset()


@pytest.mark.parametrize("name", ["", "NURSERY", "nursery ", "nurser%", "n" * 1000, "'", "é", "😀"])
async def test_a_store_is_found_by_its_very_name(harness: DatabaseHarness, name: str) -> None:
    token = harness.administration.create_token(
        TokenRequest(subject="ada", store="nursery", all_stores=True)
    ).secret
    caller = await harness.find_caller(token, name)
    assert caller is not None
    assert caller.role is None


async def test_the_caller_of_a_named_store_has_that_stores_revision(
    harness: DatabaseHarness,
) -> None:
    token = harness.administration.create_token(
        TokenRequest(subject="ada", store="nursery", all_stores=True)
    ).secret
    orchard = await harness.make_caller("orchard", "ada")
    for number in range(3):
        await harness.create(NewPlant(number, "Apple"), caller=orchard)
    await harness.create(NewPlant(1, "Ficus"))
    for name, store_id, revision in (
        (None, harness.store_id, 1),
        ("nursery", harness.store_id, 1),
        ("orchard", orchard.store_id, 3),
    ):
        caller = await harness.find_caller(token, name)
        assert caller is not None
        assert (caller.store_id, caller.revision) == (store_id, revision)


async def test_a_revoked_token_is_not_found_at_once(
    harness: DatabaseHarness, administration: Administration
) -> None:
    token = administration.create_token(TokenRequest(subject="ada", store="nursery")).secret
    for name in (None, "nursery"):
        assert await harness.find_caller(token, name) is not None
    administration.revoke_token(token)
    for name in (None, "nursery", "meadow"):
        assert await harness.find_caller(token, name) is None


async def test_revoking_one_token_leaves_the_users_others(
    harness: DatabaseHarness, administration: Administration
) -> None:
    first, second = (
        administration.create_token(TokenRequest(subject="ada", store="nursery")).secret
        for _ in range(2)
    )
    administration.revoke_token(first)
    assert await harness.find_caller(first) is None
    assert await harness.find_caller(second) is not None


async def test_an_expired_token_is_found_with_its_expiry(
    harness: DatabaseHarness, administration: Administration
) -> None:
    for expires_at in (1, time.time_ns() // 10**6 - 1000):
        request = TokenRequest(subject="ada", store="nursery", expires_at=expires_at)
        token = administration.create_token(request).secret
        for name in (None, "nursery", "meadow"):
            caller = await harness.find_caller(token, name)
            assert caller is not None
            assert caller.expires_at == expires_at


async def test_an_unknown_token_is_not_found(harness: DatabaseHarness) -> None:
    for name in (None, "nursery", "meadow"):
        unknown = hash_token("pst_1_nobody")
        assert await harness.database.find_caller(harness.store_id, unknown, name) is None
        assert await harness.database.find_caller(harness.store_id, b"", name) is None


async def test_a_forged_store_number_finds_nothing(harness: DatabaseHarness) -> None:
    token = harness.administration.create_token(
        TokenRequest(subject="ada", store="nursery", all_stores=True)
    ).secret
    digits = ["0", "2", "z", 10 * "0", 10 * "z", "9" * 10, string.ascii_letters[:10]]
    for number in digits:
        prefix, _, secret = token.split("_")
        assert await harness.find_caller(f"{prefix}_{number}_{secret}") is None


async def test_a_tokens_hash_is_looked_for_in_the_given_store_alone(
    harness: DatabaseHarness, administration: Administration
) -> None:
    other = (await harness.make_caller("orchard", "ada")).store_id
    request = TokenRequest(subject="ada", store="nursery", all_stores=True)
    token = administration.create_token(request).secret
    for name in (None, "nursery"):
        assert await harness.find_caller(token, name) is not None
        for store_id in (other, 0, -1, 62**10 - 1):
            assert await harness.database.find_caller(store_id, hash_token(token), name) is None


async def test_what_the_administration_changes_holds_for_the_next_call(
    harness: DatabaseHarness, administration: Administration
) -> None:
    token = administration.create_token(TokenRequest(subject="eve", store="nursery")).secret
    for role in (Role.READER, Role.OWNER, Role.EDITOR):
        administration.add_member("nursery", "eve", role)
        caller = await harness.find_caller(token)
        assert caller is not None
        assert (caller.role, caller.permissions) == (role, role.scopes)
    administration.remove_member("nursery", "eve")
    caller = await harness.find_caller(token)
    assert caller is not None
    assert caller.role is None
    administration.delete_store("nursery")
    assert await harness.find_caller(token) is None


async def test_a_token_for_all_stores_opens_stores_made_later(
    harness: DatabaseHarness, administration: Administration
) -> None:
    request = TokenRequest(subject="ada", all_stores=True)
    token = administration.create_token(request).secret
    assert (await harness.find_caller(token, "orchard")).role is None  # type: ignore[union-attr]
    orchard = await harness.make_caller("orchard", "ada")
    caller = await harness.find_caller(token, "orchard")
    assert caller is not None
    assert (caller.store_id, caller.role) == (orchard.store_id, Role.OWNER)


async def test_every_call_tells_the_revision_after_the_last_change(
    harness: DatabaseHarness,
) -> None:
    token = harness.administration.create_token(
        TokenRequest(subject="ada", store="nursery", all_stores=True)
    ).secret
    for number in range(50):
        await harness.create(NewPlant(number, "Ficus"))
        for name in (None, "nursery"):
            caller = await harness.find_caller(token, name)
            assert caller is not None
            assert caller.revision == number + 1


async def test_a_caller_is_unchanged_until_something_is_committed_by_anyone(
    harness: DatabaseHarness, administration: Administration
) -> None:
    """Where the database knows at all: it spares the look-ups that would find the same again."""
    token = administration.create_token(TokenRequest(subject="ada", store="nursery")).secret
    secret = administration.create_token(TokenRequest(subject="eve", store="nursery")).secret
    changes: list[Callable[[], object]] = [
        lambda: administration.add_member("nursery", "eve", Role.READER),
        lambda: administration.revoke_token(secret),
        lambda: administration.create_user("bob"),
    ]
    for number, change in enumerate(changes):
        caller = await harness.find_caller(token)
        assert caller is not None
        if caller.unchanged is None:
            return
        await harness.read_plants()
        await harness.delete(1000)
        assert caller.unchanged()
        await harness.create(NewPlant(number, "Ficus"))
        assert not caller.unchanged()
        caller = await harness.find_caller(token)
        assert caller is not None
        assert caller.unchanged is not None
        assert caller.unchanged()
        change()
        assert not caller.unchanged()
