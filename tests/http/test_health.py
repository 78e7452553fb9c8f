"""Health checks."""

import pytest

from plantstore.version import VERSION
from tests.http.raw import Message, exchange
from tests.service import Service


@pytest.mark.parametrize(("path", "status"), [("/livez", "live"), ("/readyz", "ready")])
def test_health_checks_need_no_token(service: Service, path: str, status: str) -> None:
    response = exchange(service.origin, Message("GET", path))
    assert (response.status, response.json) == (200, {"status": status, "version": VERSION})
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
