"""Baselines: nginx with a file of the same bytes, and pgbench with the bare statements."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.load import Run
from bench.scenarios import Scenario
from bench.servers import Response, Server, WrongResponseError, running_server
from tests.postgres.server import PROGRAMS, free_port

# One process, which keeps the file open. For a small body, writing it together with its head takes
# fewer system calls than sendfile with tcp_nopush.
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
_CONNECT_SECONDS = 3  # pgbench counts them in its time, but not in its rate
_SCRIPTS = Path(__file__).parent / "pgbench"


@contextmanager
def running_nginx(folder: Path, response: Response) -> Iterator[Server]:
    """Run nginx; yields the body of its response."""
    port, file, settings = free_port(), folder / "plants", folder / "nginx.conf"
    file.write_bytes(response.body)
    sendfile = "on" if len(response.body) >= _MIN_SENDFILE else "off"
    settings.write_text(_NGINX.format(sendfile=sendfile, port=port, file=file))
    command = ["nginx", "-p", str(folder), "-c", str(settings)]
    with running_server(command, port, folder) as server:
        yield server


def run_pgbench(scenario: Scenario, url: str, seconds: int) -> Run:
    """Transactions per second, with as many connections as the service's load has."""
    command = [str(PROGRAMS / "pgbench"), "--no-vacuum", "--protocol", "prepared"]
    command += [f"--client={scenario.connections}", f"--time={seconds + _CONNECT_SECONDS}"]
    command += ["--file", str(_SCRIPTS / f"{scenario.script}.sql"), url]
    result = subprocess.run(command, capture_output=True, check=False, text=True)
    rate = re.search(r"^tps = ([\d.]+)", result.stdout, re.MULTILINE)
    if rate is None or result.returncode:
        raise WrongResponseError(f"pgbench failed:\n{result.stdout}{result.stderr}")
    return Run(0, float(rate[1]))
