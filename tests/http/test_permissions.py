"""Who may no longer do what they did is refused with the next request."""

from collections.abc import Callable

import httpx
import pytest

from plantstore.core.model import Role
from tests.databases import ON_BOTH
from tests.http.calls import create, create_plant, expect_refused
from tests.service import Service

# Some of them would be refused for what they have in them, too.
WRITES: list[Callable[[httpx.Client], httpx.Response]] = [
    lambda client: create(client, '{"id": 1, "name": "Fern"}'),
    lambda client: create(client, '{"id": 1}'),
    lambda client: create(client, '{"id": 9, "name": "Fern"}'),
    lambda client: client.put("/plants/1", json={"name": "Moss"}),
    lambda client: client.put("/plants/x", json={}),
    lambda client: client.delete("/plants/1"),
    lambda client: client.delete("/plants/x"),
]


@ON_BOTH
def test_a_write_is_refused_to_whom_it_was_allowed_a_moment_ago(
    service: Service, store: str
) -> None:
    user = f"editor of {store}"
    token = service.make_token(store, user, role=Role.EDITOR)
    with service.client(token) as client, service.administration() as administration:
        create_plant(client, 1, "Fern")
        before = service.events(store)
        service.set_role(store, user, Role.READER)
        for write in WRITES:
            expect_refused(write(client), 40301)
        service.set_role(store, user, Role.EDITOR)
        create_plant(client, 2, "Aloe")
        administration.remove_member(store, user)
        for write in WRITES:
            expect_refused(write(client), 40403)
        service.set_role(store, user, Role.EDITOR)
        create_plant(client, 3, "Basil")
        service.revoke(token)
        for write in WRITES:
            expect_refused(write(client), 40102)
    assert len(service.events(store)) == len(before) + 2


@ON_BOTH
@pytest.mark.parametrize("base", ["", "/stores/{store}"])
def test_a_list_seen_before_is_refused_to_a_former_member(
    service: Service, store: str, base: str
) -> None:
    user, path = f"editor of {store}", f"{base.format(store=store)}/plants"
    token = service.make_token(store, user, role=Role.EDITOR)
    with service.client(token) as client, service.administration() as administration:
        for _ in range(3):  # read, remembered, recalled
            assert client.get(path).status_code == 200
        administration.remove_member(store, user)
        for _ in range(2):
            expect_refused(client.get(path), 40403)
