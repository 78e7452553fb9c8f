"""Responses that pass the proxies of docs/proxies.md can be sent back."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.deploy.proxies import PORTS, proxy
from tests.service import Service

_HSTS = "Strict-Transport-Security"
LINES = {
    "nginx": (
        f'add_header {_HSTS} "max-age=3600" always;',
        "gzip on; gzip_proxied any; gzip_types application/json;",
    ),
    "caddy": (f'header {_HSTS} "max-age=3600"', "encode gzip"),
    "haproxy": (f'http-response set-header {_HSTS} "max-age=3600"',),
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("proxies")) as running:
        yield running


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("is_plain", [True, False], ids=["plain", "with more lines"])
def test_entity_tags_and_csv_from_a_proxy_can_be_sent_back(
    service: Service, store: str, tmp_path: Path, kind: str, *, is_plain: bool
) -> None:
    ports = dict.fromkeys(PORTS, service.origin.rpartition(":")[2])
    lines = () if is_plain else LINES[kind]
    headers = {"Authorization": f"Bearer {service.make_token(store)}"}
    with (
        proxy(kind, tmp_path, ports, *lines) as origin,
        httpx.Client(base_url=origin, headers=headers, verify=False) as client,
    ):
        client.post("/plants", json={"id": 7, "name": "x" * 1000}).raise_for_status()
        read = client.get("/plants/7")
        changes = [
            client.put("/plants/7", json={"name": name}, headers={"If-Match": read.headers["etag"]})
            for name in ("Fern", "Moss")
        ]
        table = client.get("/plants", headers={"Accept": "text/csv"})
        imported = client.post(
            "/changes", content=table.content, headers={"Content-Type": "text/csv"}
        )
    assert table.content == b"id,name,tag\r\n7,Fern,\r\n"
    assert (imported.json()["line"], imported.json()["error"]) == (2, 40004)  # stored already
    assert (_HSTS in read.headers) is not is_plain
    assert ("content-encoding" in read.headers) is (len(lines) > 1)
    assert [change.status_code for change in changes] == [200, 412]
