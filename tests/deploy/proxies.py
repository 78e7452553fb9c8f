"""Real proxies in front of two services, with the configurations of docs/proxies.md."""

import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.certificates import make_certificate
from tests.postgres.server import free_port
from tests.waiting import wait_until

DOCUMENT = Path(__file__).parents[2] / "docs" / "proxies.md"
_BLOCK = re.compile(r"^```(nginx|caddy|haproxy)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TEXT = DOCUMENT.read_text(encoding="utf-8")
CONFIGS: Mapping[str, str] = dict(_BLOCK.findall(_TEXT))
_WORKERS = dict(re.findall(r"`(worker_\w+) (\d+);`", _TEXT))  # nginx's, outside of the block
_SITES = {"nginx": "server {", "caddy": "nursery.example {", "haproxy": "frontend plantstore"}
PORTS = ("8081", "8082")  # of the services, in the document

_NGINX = """\
user root;
daemon off;
pid nginx.pid;
error_log stderr;
worker_rlimit_nofile {worker_rlimit_nofile};
events {{ worker_connections {worker_connections}; }}
http {{
access_log off;
client_body_temp_path bodies;
proxy_temp_path proxied;
fastcgi_temp_path unused;
uwsgi_temp_path unused;
scgi_temp_path unused;
{config}
}}
"""


def format_nginx(config: str) -> str:
    """An nginx.conf with this configuration, and the settings that the document has outside."""
    return _NGINX.format(config=config, **_WORKERS)


def _nginx(folder: Path, config: str, port: int) -> tuple[list[str], str]:
    config = config.replace("listen 443", f"listen 127.0.0.1:{port}")
    config = config.replace("/etc/plantstore", str(folder))
    file = folder / "nginx.conf"
    file.write_text(format_nginx(config))
    return ["nginx", "-p", str(folder), "-c", str(file)], "https"


def _caddy(folder: Path, config: str, port: int) -> tuple[list[str], str]:
    config = config.replace("nursery.example", f"http://127.0.0.1:{port}")
    file = folder / "Caddyfile"
    file.write_text("{\nadmin off\n}\n" + config)
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(file)]
    return ["env", f"HOME={folder}", *command], "http"


def _haproxy(folder: Path, config: str, port: int) -> tuple[list[str], str]:
    pem = folder / "plantstore.pem"
    pem.write_text((folder / "cert.pem").read_text() + (folder / "key.pem").read_text())
    config = config.replace("/etc/haproxy/plantstore.pem", str(pem))
    file = folder / "haproxy.cfg"
    file.write_text(config.replace("bind :443", f"bind 127.0.0.1:{port}"))
    return ["haproxy", "-db", "-f", str(file)], "https"


_STARTS: Mapping[str, Callable[[Path, str, int], tuple[list[str], str]]] = {
    "nginx": _nginx,
    "caddy": _caddy,
    "haproxy": _haproxy,
}


@contextmanager
def proxy(
    kind: str, folder: Path, services: Mapping[str, int | str], *lines: str, interval: str = "1s"
) -> Iterator[str]:
    """Run a proxy in front of services, whose ports replace the document's; yield its origin.

    ``lines`` are optional lines of the document, added to the site; ``interval`` is that of health
    checks.
    """
    make_certificate(folder).with_suffix(".key").rename(folder / "key.pem")
    config, port = CONFIGS[kind].replace(" 1s", f" {interval}"), free_port()
    assert all(f"`{line}`" in _TEXT for line in lines)
    config = config.replace(_SITES[kind], "\n".join([_SITES[kind], *lines]))
    for documented, actual in services.items():
        config = config.replace(f"127.0.0.1:{documented}", f"127.0.0.1:{actual}")
    command, scheme = _STARTS[kind](folder, config, port)
    with run_proxy(command, f"{scheme}://127.0.0.1:{port}", folder) as origin:
        yield origin


@contextmanager
def run_proxy(command: list[str], origin: str, folder: Path) -> Iterator[str]:
    """Start a proxy with the command, and wait until the services respond through it."""
    with (folder / "proxy.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    try:
        wait_until(lambda: process.poll() is not None or _is_ready(origin))
        assert process.poll() is None, (folder / "proxy.log").read_text()
        yield origin
    finally:
        process.terminate()
        process.wait(30)


def _is_ready(origin: str) -> bool:
    try:
        return httpx.get(f"{origin}/readyz", verify=False).is_success
    except httpx.TransportError:
        return False
