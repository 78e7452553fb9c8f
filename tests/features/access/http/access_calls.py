"""Calls that the tests of access make."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from plantstore.core.model import Scope
from tests.service import Service

ALL = frozenset(Scope)


@contextmanager
def managing(
    service: Service, store: str, user: str | None = None, scopes: frozenset[Scope] = ALL
) -> Iterator[httpx.Client]:
    """A client of a store's owner, whose token may manage it."""
    token = service.make_token(store, user or f"owner of {store}", scopes=scopes)
    with service.client(token) as client:
        yield client


def set_role(client: httpx.Client, user: str, role: str, base: str = "") -> httpx.Response:
    return client.put(f"{base}/members/{user}", json={"role": role})


def members_of(client: httpx.Client) -> dict[str, str]:
    listed = client.get("/members").raise_for_status().json()
    return {member["user"]: member["role"] for member in listed}


def make_token(client: httpx.Client, user: str, **more: object) -> Any:  # noqa: ANN401 - JSON
    """A new token of a member, which must be possible."""
    made = client.post("/tokens", json={"user": user, **more})
    assert made.status_code == 201, made.text
    return made.json()


def tokens_of(client: httpx.Client) -> list[Any]:
    listed: list[Any] = client.get("/tokens").raise_for_status().json()
    return listed
