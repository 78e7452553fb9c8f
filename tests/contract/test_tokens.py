"""Creating, listing and revoking tokens."""

from itertools import product

import pytest

from plantstore.core.errors import InvalidChangeError, NoSuchTokenError, SetupError
from plantstore.core.model import Grant, Role, Scope
from plantstore.core.tokens import hash_token, is_well_formed, read_store_id
from plantstore.sql.administration.new_tokens import EXPIRY_MAX
from plantstore.sql.administration.tokens import Token, TokenState
from tests.administration import Administration, Member

ADA = Grant(subject="ada", store="nursery")


def test_creating_a_token_creates_its_user_store_and_membership(
    administration: Administration,
) -> None:
    issued = administration.create_token(ADA)
    assert is_well_formed(issued.secret)
    assert administration.list_members("nursery") == [Member("ada", Role.OWNER)]
    assert [user.subject for user in administration.list_users()] == ["ada"]
    (store,) = administration.list_stores()
    assert read_store_id(issued.secret) == store.store_id
    assert len(issued.made) == 3
    assert issued.token == Token(
        store_id=store.store_id,
        token_hash=hash_token(issued.secret),
        user_id=issued.token.user_id,
        store="nursery",
        subject="ada",
        label="",
        scopes=Role.OWNER.default_scopes,
        permissions=Role.OWNER.default_scopes,
        all_stores=False,
        created_at=issued.token.created_at,
        expires_at=None,
        revoked_at=None,
        last_used_at=None,
        state=TokenState.ACTIVE,
    )


def test_a_token_has_the_requested_role_scopes_label_and_expiry(
    administration: Administration,
) -> None:
    scope_sets = (None, frozenset({Scope.LIST}), frozenset({Scope.CREATE, Scope.DELETE}))
    combinations = product(
        Role, scope_sets, ("", "kiosk", 64 * "é"), (None, 1, EXPIRY_MAX), (False, True)
    )
    for number, (role, scopes, label, expires_at, all_stores) in enumerate(combinations):
        request = Grant(
            subject=f"user-{number}",
            store="nursery",
            role=role,
            scopes=scopes,
            label=label,
            expires_at=expires_at,
            all_stores=all_stores,
        )
        allowed = (Role.OWNER if all_stores else role).default_scopes
        if scopes is not None and not scopes <= allowed:
            with pytest.raises(InvalidChangeError, match="reader does not allow: create, delete"):
                administration.create_token(request)
            continue
        token = administration.create_token(request).token
        assert token.scopes == (allowed if scopes is None else scopes)
        assert (token.label, token.expires_at) == (label, expires_at)
        assert (token.all_stores, token.revoked_at) == (all_stores, None)
        assert Member(f"user-{number}", role) in administration.list_members("nursery")


def test_a_refused_request_creates_nothing(administration: Administration) -> None:
    for refused in (
        Grant(subject="ada", store="nursery", role=Role.READER, scopes=frozenset({Scope.DELETE})),
        Grant(subject="ada", store="Nursery"),
        Grant(subject="ada", store="nursery", role=Role.EDITOR, manages=True),
        Grant(subject="ada", store="nursery", label="a\nb"),
        Grant(subject="ada", store="nursery", label=65 * "a"),
        Grant(subject="ada", store="nursery", expires_at=EXPIRY_MAX + 1),
    ):
        with pytest.raises((InvalidChangeError, SetupError)):
            administration.create_token(refused)
    assert administration.list_users() == []
    assert administration.list_stores() == []
    assert administration.list_tokens() == []


def test_creating_a_token_does_not_change_a_role(administration: Administration) -> None:
    administration.create_token(ADA)
    request = Grant(subject="ada", store="nursery", role=Role.READER)
    with pytest.raises(SetupError, match="is already"):
        administration.create_token(request)
    assert administration.list_members("nursery") == [Member("ada", Role.OWNER)]


def test_tokens_are_revoked_by_store_and_user(administration: Administration) -> None:
    for subject, store in product(("ada", "eve", "kim"), ("nursery", "orchard")):
        administration.create_token(Grant(subject=subject, store=store))
        administration.create_token(Grant(subject=subject, store=store, all_stores=True))
    before = administration.revoke_token(administration.list_tokens("orchard", "kim")[0].token_id)
    nursery, orchard = administration.list_stores()
    users = {user.subject: user.user_id for user in administration.list_users()}

    def revoke(*ids: int | None) -> set[tuple[str, str]]:
        revoked = administration.revoke_tokens(*ids)
        assert len({token.revoked_at for token in revoked}) == 1
        assert {token.state for token in revoked} == {TokenState.REVOKED}
        return {(token.subject, token.store) for token in revoked}

    assert revoke(orchard.store_id, users["ada"]) == {("ada", "orchard")}
    assert revoke(None, users["ada"]) == {("ada", "nursery")}
    assert revoke(nursery.store_id) == {("eve", "nursery"), ("kim", "nursery")}
    assert revoke() == {("eve", "orchard"), ("kim", "orchard")}
    assert administration.revoke_tokens() == []
    # The time of the first revocation stays.
    assert administration.revoke_token(before.token_id) == before


def test_revoking_an_unknown_token_fails(administration: Administration) -> None:
    secret = administration.create_token(ADA).secret
    administration.delete_store("nursery")
    for unknown in (secret, "0123456789abcdef", "", "x", hash_token(secret).hex(), "%"):
        with pytest.raises(NoSuchTokenError):
            administration.revoke_token(unknown)
