"""Who holds a token, and the stores that it opens: always as of now."""

import pytest

from plantstore.model import OpenStore, Role, Scope, TokenInfo, TokenRequest
from plantstore.sql.administration import Administration
from plantstore.tokens import hash_token, read_store_id
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio


async def find_token_info(harness: DatabaseHarness, token: str) -> TokenInfo | None:
    store_id = read_store_id(token)
    assert store_id is not None
    return await harness.database.find_token_info(store_id, hash_token(token))


def make_token(administration: Administration, **request: object) -> str:
    request = {"subject": "eve", "store": "nursery"} | request
    return administration.create_token(TokenRequest(**request)).secret  # type: ignore[arg-type]


async def test_a_bearer_has_its_user_its_label_and_its_store(
    harness: DatabaseHarness, administration: Administration
) -> None:
    token = make_token(administration, label="kiosk", expires_at=4102444800000)
    user = next(user for user in administration.list_users() if user.subject == "eve")
    assert await find_token_info(harness, token) == TokenInfo(
        user_id=user.user_id,
        subject="eve",
        token_label="kiosk",
        expires_at=4102444800000,
        store="nursery",
        stores=(OpenStore("nursery", Role.EDITOR, frozenset(Scope)),),
    )


async def test_a_token_for_all_stores_opens_them_by_name(
    harness: DatabaseHarness, administration: Administration
) -> None:
    token = make_token(administration, all_stores=True, scopes=frozenset({Scope.LIST}))
    for name in ("z", "orchard", "a-b", "ab", "meadow"):
        administration.create_store(name)
        if name != "meadow":
            administration.add_member(name, "eve", Role.OWNER)
    bearer = await find_token_info(harness, token)
    assert bearer is not None
    assert [store.name for store in bearer.stores] == ["a-b", "ab", "nursery", "orchard", "z"]
    assert {store.permissions for store in bearer.stores} == {frozenset({Scope.LIST})}


async def test_a_token_for_one_store_opens_no_other(
    harness: DatabaseHarness, administration: Administration
) -> None:
    token = make_token(administration)
    make_token(administration, store="orchard")
    bearer = await find_token_info(harness, token)
    assert bearer is not None
    assert [store.name for store in bearer.stores] == ["nursery"]


async def test_a_role_that_changes_is_another_from_then_on(
    harness: DatabaseHarness, administration: Administration
) -> None:
    token = make_token(administration)
    for role in Role:
        administration.add_member("nursery", "eve", role)
        bearer = await find_token_info(harness, token)
        assert bearer is not None
        assert bearer.stores == (OpenStore("nursery", role, role.scopes),)


async def test_who_is_no_member_is_a_bearer_without_stores(
    harness: DatabaseHarness, administration: Administration
) -> None:
    for all_stores in (False, True):
        token = make_token(administration, all_stores=all_stores)
        administration.remove_member("nursery", "eve")
        bearer = await find_token_info(harness, token)
        assert bearer is not None
        assert (bearer.subject, bearer.store, bearer.stores) == ("eve", "nursery", ())
        administration.add_member("nursery", "eve", Role.EDITOR)


async def test_a_revoked_or_unknown_token_has_no_bearer(
    harness: DatabaseHarness, administration: Administration
) -> None:
    token = make_token(administration)
    assert await find_token_info(harness, token) is not None
    other = (await harness.make_caller("orchard", "ada")).store_id
    assert await harness.database.find_token_info(other, hash_token(token)) is None
    assert await harness.database.find_token_info(harness.store_id, b"") is None
    administration.revoke_token(token)
    assert await find_token_info(harness, token) is None


async def test_an_expired_token_still_has_its_bearer(
    harness: DatabaseHarness, administration: Administration
) -> None:
    bearer = await find_token_info(harness, make_token(administration, expires_at=1))
    assert bearer is not None
    assert bearer.expires_at == 1
