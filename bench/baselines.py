"""Baselines: what nginx and uvicorn reach with the service's own responses, made beforehand.

``python -m bench.baselines RESPONSE PORT`` is uvicorn's.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import uvicorn

from bench.scenarios import NGINX
from bench.servers import PYTHON, Response, Server, find_port, running_server

# One process, which keeps the file open. A small body takes fewer system calls where it is written
# together with its head than with sendfile and tcp_nopush.
_NGINX = """
daemon off; master_process off; pid nginx.pid; error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
    access_log off; default_type application/json;
    sendfile {sendfile}; tcp_nopush {sendfile};
    open_file_cache max=8 inactive=1h; open_file_cache_valid 1h;
    keepalive_requests 1000000000; keepalive_timeout 1h;
    client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; scgi_temp_path temp;
    uwsgi_temp_path temp;
    server {{
        listen 127.0.0.1:{port};
        location = /readyz {{ return 200; }}
        location = /plants {{ alias {file}; }}
    }}
}}
"""
_MIN_SENDFILE = 64 * 1024
_READY = Response(200, [(b"content-length", b"0")], b"")


@contextmanager
def running_baseline(name: str, folder: Path, response: Response) -> Iterator[Server]:
    """The baseline with this response; nginx has its body alone."""
    port = find_port()
    prepare = _prepare_nginx if name == NGINX else _prepare_uvicorn
    with running_server(prepare(folder, response, port), port, folder) as server:
        yield server


def _prepare_nginx(folder: Path, response: Response, port: int) -> list[str]:
    body = response.body
    file, settings = folder / "plants", folder / "nginx.conf"
    file.write_bytes(body)
    sendfile = "on" if len(body) >= _MIN_SENDFILE else "off"
    settings.write_text(_NGINX.format(sendfile=sendfile, port=port, file=file))
    return ["nginx", "-p", str(folder), "-c", str(settings)]


def _prepare_uvicorn(folder: Path, response: Response, port: int) -> list[str]:
    file = folder / "response"
    file.write_bytes(msgspec.msgpack.encode(response))
    return [PYTHON, "-m", "bench.baselines", str(file), str(port)]


def _to_messages(response: Response) -> list[dict[str, Any]]:
    headers = [(name.lower(), value) for name, value in response.headers]
    return [
        {"type": "http.response.start", "status": response.status, "headers": headers},
        {"type": "http.response.body", "body": response.body},
    ]


def main(file: str, port: str) -> None:
    """Give the recorded response, whatever is asked but ``/readyz``, until a signal."""
    messages = _to_messages(msgspec.msgpack.decode(Path(file).read_bytes(), type=Response))
    ready = _to_messages(_READY)

    async def respond(scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        for message in ready if scope["path"] == "/readyz" else messages:
            await send(message)

    uvicorn.run(
        respond,
        port=int(port),
        http="httptools",
        loop="uvloop",
        lifespan="off",
        access_log=False,
        date_header=False,  # the recorded headers have one
        server_header=False,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
