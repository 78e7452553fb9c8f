"""HTTP requests of the access tests."""

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
    """A client with a token of a store's owner that has the scope ``manage``."""
    token = service.make_token(store, user or f"owner of {store}", scopes=scopes)
    with service.client(token) as client:
        yield client


def set_role(client: httpx.Client, user: str, role: str, base: str = "") -> httpx.Response:
    return client.put(f"{base}/members/{user}", json={"role": role})


def members_of(client: httpx.Client) -> dict[str, str]:
    listed = client.get("/members").raise_for_status().json()
    return {member["user"]: member["role"] for member in listed}


def make_token(client: httpx.Client, user: str, **more: object) -> Any:  # noqa: ANN401 - JSON
    """Create a token for a member; the request must succeed."""
    response = client.post("/tokens", json={"user": user, **more})
    assert response.status_code == 201, response.text
    return response.json()


def tokens_of(client: httpx.Client) -> list[Any]:
    listed: list[Any] = client.get("/tokens").raise_for_status().json()
    return listed
