"""A store's members over HTTP: listing them, and changes by owners."""

from contextlib import closing
from urllib.parse import quote

import httpx
import pytest

from plantstore.core.model import Role
from tests.databases import ON_BOTH
from tests.features.access.administration import open_administration
from tests.features.access.http.access_calls import managing, members_of, set_role
from tests.http.calls import expect_refused
from tests.service import Service


@ON_BOTH
@pytest.mark.parametrize("name", ["a/b", '"\\', "Käthe Müller", "?#%", "\U0001f33f" * 255])
def test_a_members_name_may_have_any_characters(manager: httpx.Client, name: str) -> None:
    assert set_role(manager, quote(name, safe=""), "reader").json()["user"] == name
    assert name in members_of(manager)
    assert manager.delete(f"/members/{quote(name, safe='')}").status_code == 204


@pytest.mark.parametrize("path", ["%00", "%20", "%ff", "x" * 256, "%E2%80%AE"])
def test_invalid_names_and_roles_are_refused(manager: httpx.Client, path: str) -> None:
    before = members_of(manager)
    assert "the user's name" in expect_refused(set_role(manager, path, "reader"), 40014)
    roles = "role must be one of reader, editor, owner"
    assert roles in expect_refused(set_role(manager, "eve", "boss"), 40014)
    assert members_of(manager) == before


def test_a_new_role_applies_from_the_next_request(
    service: Service, store: str, manager: httpx.Client
) -> None:
    token = service.make_token(store, "eve", role=Role.EDITOR)
    with service.client(token) as eve:
        assert eve.post("/plants", json={"id": 1, "name": "Fern"}).status_code == 200
        set_role(manager, "eve", "reader")
        expect_refused(eve.delete("/plants/1"), 40301)
        assert eve.get("/plants").status_code == 200
        manager.delete("/members/eve")
        expect_refused(eve.get("/plants"), 40403)


@pytest.mark.parametrize("base", ["", "/stores/{store}"])
def test_the_last_owner_cannot_be_removed_or_demoted(
    manager: httpx.Client, store: str, base: str
) -> None:
    owner, base = f"owner of {store}", base.format(store=store)
    expect_refused(manager.delete(f"{base}/members/{owner}"), 40901)
    for role in ("reader", "editor"):
        expect_refused(set_role(manager, owner, role, base), 40901)
    assert set_role(manager, owner, "owner", base).status_code == 200
    set_role(manager, "heir", "owner", base)
    assert manager.delete(f"{base}/members/{owner}").status_code == 204
    expect_refused(manager.get(f"{base}/members"), 40403)


@ON_BOTH
def test_a_membership_shows_when_and_by_whom_it_was_created(service: Service, store: str) -> None:
    owner, other = f"owner of {store}", f"{store}-other"
    user = f"eve of {store}"
    token = service.make_token(other, user, all_stores=True)
    with managing(service, store) as manager, service.client(token) as eve:
        set_role(manager, user, "reader")
        joined, own = eve.get("/me").json()["stores"]
        assert joined["by"] == owner
        assert "by" not in own  # created on the command line
        set_role(manager, user, "editor")  # the membership stays the same
        listed = {member.pop("user"): member for member in manager.get("/members").json()}
        assert listed[user] == {"role": "editor", "since": joined["since"], "by": owner}
        assert listed[owner].keys() == {"role", "since"}
        assert manager.get(f"/members/{user}").json() == {"user": user, **listed[user]}
        with closing(open_administration(service.database)) as administration:
            administration.delete_user(owner)
        assert "by" not in eve.get("/me").json()["stores"][0]
