"""A real nginx before the service, which hands on one folder of its addresses."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path

import httpx

from tests.deploy.proxies import NGINX
from tests.postgres.server import free_port
from tests.service import Service

PREFIX = "/api/plants"
START_SECONDS = 30
CONFIG = """\
server {{
    listen 127.0.0.1:{port};
    location {prefix}/ {{ proxy_pass {origin}/; }}
    location / {{ return 404; }}
}}
"""


@contextmanager
def nginx(service: Service, folder: Path) -> Iterator[Service]:
    """The service as it is reached through nginx: below a prefix, and nowhere else."""
    proxied = copy(service)
    port = free_port()
    proxied.origin = f"http://127.0.0.1:{port}{PREFIX}"
    config = folder / "nginx.conf"
    server = CONFIG.format(port=port, prefix=PREFIX, origin=service.origin)
    config.write_text(NGINX.format(config=server))
    with (folder / "nginx.log").open("wb") as log:
        process = subprocess.Popen(["nginx", "-p", folder, "-c", config], stdout=log, stderr=log)
    try:
        wait_until_ready(proxied.origin, process)
        yield proxied
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def wait_until_ready(origin: str, process: "subprocess.Popen[bytes]") -> None:
    """Return when the service responses through nginx."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"{origin}/livez").raise_for_status()
        except httpx.TransportError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("nginx did not start")
