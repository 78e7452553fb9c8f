"""The caller of a token: its user, its store and its current permissions."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from itertools import product

import pytest
from msgspec.structs import replace

from plantstore.core.model import Caller, Grant, NewPlant, Outcome, Role, Scope, never_fresh
from plantstore.core.tokens import hash_token
from plantstore.sqlite.connection import connect, database_path
from tests.administration import Administration
from tests.contract.harness import DatabaseHarness
from tests.databases import execute, writes_held

pytestmark = pytest.mark.anyio

ROLES = (None, *Role)
FERN = NewPlant(1, "Fern")
SCOPES = (
    frozenset({Scope.LIST}),
    frozenset({Scope.CREATE}),
    frozenset({Scope.LIST, Scope.DELETE}),
    frozenset(Scope),
)


def set_role(administration: Administration, store: str, role: Role | None) -> None:
    if role is None:
        administration.remove_member(store, "ada")
    else:
        administration.add_member(store, "ada", role)


def ids_of_stores(administration: Administration) -> dict[str, int]:
    return {store.name: store.store_id for store in administration.list_stores()}


async def test_a_caller_has_the_tokens_user_label_and_store(
    harness: DatabaseHarness, administration: Administration
) -> None:
    request = Grant(subject="eve", store="nursery", label="kiosk", expires_at=4102444800000)
    token = administration.create_token(request).secret
    user = next(user for user in administration.list_users() if user.subject == "eve")
    await harness.create(NewPlant(1, "Ficus"))
    caller = await harness.find_caller(token)
    assert caller is not None
    assert replace(caller, unchanged=never_fresh) == Caller(
        token_store_id=ids_of_stores(administration)["nursery"],
        token_hash=hash_token(token),
        user_id=user.user_id,
        token_label="kiosk",
        expires_at=4102444800000,
        store_id=ids_of_stores(administration)["nursery"],
        role=Role.EDITOR,
        permissions=Role.EDITOR.scopes,
        revision=1,
        principal=(ids_of_stores(administration)["nursery"], user.user_id),
    )


@pytest.mark.parametrize("scopes", SCOPES, ids=lambda scopes: ",".join(sorted(scopes)))
@pytest.mark.parametrize("all_stores", [False, True])
async def test_permissions_are_the_scopes_that_the_role_allows(
    harness: DatabaseHarness,
    administration: Administration,
    scopes: frozenset[Scope],
    *,
    all_stores: bool,
) -> None:
    administration.create_store("orchard")
    request = Grant(subject="ada", store="nursery", scopes=scopes, all_stores=all_stores)
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


async def test_a_caller_of_a_named_store_has_that_stores_revision(
    harness: DatabaseHarness,
) -> None:
    token = harness.administration.create_token(
        Grant(subject="ada", store="nursery", all_stores=True)
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


async def test_a_token_is_looked_up_only_in_the_given_store(
    harness: DatabaseHarness, administration: Administration
) -> None:
    other = (await harness.make_caller("orchard", "ada")).store_id
    request = Grant(subject="ada", store="nursery", all_stores=True)
    token = administration.create_token(request).secret
    for name in (None, "nursery"):
        assert await harness.find_caller(token, name) is not None
        for store_id in (other, 0, -1, 62**10 - 1):
            assert await harness.database.find_caller(store_id, hash_token(token), name) is None
            assert not await harness.database.read("find_token_info", store_id, hash_token(token))


async def test_a_caller_is_unchanged_until_the_next_commit(
    harness: DatabaseHarness, administration: Administration
) -> None:
    """On databases that can tell, which saves repeated lookups."""
    token = administration.create_token(Grant(subject="ada", store="nursery")).secret
    secret = administration.create_token(Grant(subject="eve", store="nursery")).secret
    changes: list[Callable[[], object]] = [
        lambda: administration.add_member("nursery", "eve", Role.READER),
        lambda: administration.revoke_token(secret),
        lambda: administration.create_user("bob"),
    ]
    for number, change in enumerate(changes):
        caller = await harness.find_caller(token)
        assert caller is not None
        if caller.unchanged is never_fresh:
            return
        await harness.read_plants()
        await harness.delete(1000)
        assert caller.unchanged()
        await harness.create(NewPlant(number, "Ficus"))
        assert not caller.unchanged()
        caller = await harness.find_caller(token)
        assert caller is not None
        assert caller.unchanged()
        change()
        assert not caller.unchanged()


def change(url: str, sql: str) -> None:
    if url.startswith("postgres"):
        execute(url, sql)
        return
    with closing(
        connect(database_path(url))
    ) as connection:  # without the lock, which the test holds
        connection.execute(sql)


@pytest.mark.parametrize(
    ("statement", "outcome"),
    [
        ("UPDATE tokens SET revoked_at = 1 WHERE label = 'kiosk'", Outcome.TOKEN_INVALID),
        ("UPDATE tokens SET expires_at = 1 WHERE label = 'kiosk'", Outcome.TOKEN_INVALID),
        ("UPDATE members SET role = 'reader' WHERE user_id = 2", Outcome.FORBIDDEN),
        ("DELETE FROM members WHERE user_id = 2", Outcome.NO_SUCH_STORE),
    ],
)
async def test_a_waiting_write_is_refused_if_its_permission_is_revoked(
    harness: DatabaseHarness, url: str, statement: str, outcome: Outcome
) -> None:
    eve = await harness.make_caller("nursery", "eve", label="kiosk")
    assert eve.user_id == 2
    await harness.create(FERN)
    with writes_held(url):
        waiting = [
            asyncio.ensure_future(harness.create(NewPlant(2, "Ficus"), caller=eve)),
            asyncio.ensure_future(harness.delete(FERN.id, eve)),
            asyncio.ensure_future(harness.create(NewPlant(3, "Ficus"))),
        ]
        await asyncio.sleep(0)
        change(url, statement)
    assert await asyncio.gather(*waiting) == [outcome, outcome, Outcome.CREATED]
    assert [plant.id for plant in await harness.read_plants()] == [1, 3]
    await harness.assert_consistency()
