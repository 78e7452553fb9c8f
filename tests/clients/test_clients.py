"""The Python and TypeScript clients: the same program has the same results with each."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.clients.documents import NODE_MODULES, PROGRAMS, ROOT, TSC, run
from tests.deploy.proxies import PORTS, proxy
from tests.docs.pages import read_page
from tests.postgres.proxy import Proxy, Way
from tests.service import Service

CLIENTS = ROOT / "clients"
COMPRESSION = "gzip on; gzip_proxied any; gzip_types application/json;"
RESULTS = {
    "last": [str(2**53 + 1), "Acer rubrum", True],
    "conflict": 41201,
    "statuses": [2503, 2501, 404, 204, 200],
    "refusal": [40401, 2],
    "all": [204, 200],
    "count": 2499,
    "events": 2505,
    "received": [
        *("plant.deleted 7", "plant.updated 8", "plant.deleted 9"),
        *("plant.created 7", "plant.deleted 8"),
    ],
}


@pytest.fixture(scope="module", params=["python", "typescript"])
def language(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def make_program(language: str, source: str, folder: Path) -> list[str]:
    """The command that runs a program with the client of its language."""
    if language == "python":
        package = CLIENTS / "python" / "plantstore_client"
        shutil.copytree(package, folder / package.name)
        (folder / "client.py").write_text(source, encoding="utf-8")
        return [sys.executable, str(folder / "client.py")]
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "plantstore-client").symlink_to(compile_client().name)
    (folder / "client.ts").write_text(source, encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    run(*TSC, "client.ts", folder=folder)
    return ["node", str(folder / "client.js")]


@cache
def compile_client() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory()
    ignore = shutil.ignore_patterns("node_modules")
    shutil.copytree(CLIENTS / "typescript", folder.name, ignore=ignore, dirs_exist_ok=True)
    run(NODE_MODULES / ".bin" / "tsc", folder=Path(folder.name))
    return folder


@pytest.fixture(scope="module")
def program(language: str, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    name = "client.py" if language == "python" else "client.ts"
    folder = tmp_path_factory.mktemp("program")
    return make_program(language, (PROGRAMS / name).read_text(encoding="utf-8"), folder)


def test_the_readme_examples_of_a_client_run(language: str, tmp_path: Path) -> None:
    text = read_page(CLIENTS / language / "README.md")
    examples = "".join(re.findall(r"```(?:python|ts)\n(.*?)```", text, re.DOTALL))
    with Service(tmp_path) as service:
        token = service.make_token()
        source = examples.replace("http://127.0.0.1:8080", service.origin)
        program = make_program(language, source, tmp_path)
        environ = os.environ | {"TOKEN": token, "PYTHONUNBUFFERED": "1"}
        with (
            service.client(token) as client,
            subprocess.Popen(program, env=environ, stdout=subprocess.PIPE, text=True) as process,
        ):
            assert process.stdout is not None
            changed, *_, refused, copied = (process.stdout.readline() for _ in range(5))
            client.delete("/plants/8")
            received = process.stdout.readline()
            process.kill()
    assert changed.replace("8n", "8") == "upsert 8 200\n"
    assert refused.endswith("there is no plant with the id 7 in this store\n")
    assert (copied, received) == ("1\n", "plant.deleted 0\n")


def test_a_client_works_through_a_compressing_proxy(
    program: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / "proxy").mkdir()
    for name in ("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, str(folder / "cert.pem"))
    with Service(tmp_path) as service:
        ports = dict.fromkeys(PORTS, service.origin.rpartition(":")[2])
        with proxy("nginx", folder, ports, COMPRESSION) as origin:
            printed = run(*program, origin, service.make_token(), folder=tmp_path)
    assert json.loads(printed) == RESULTS


def test_lost_responses_do_not_change_the_results(program: list[str], tmp_path: Path) -> None:
    """The client retries only incomplete changes; the first lost response is an update's."""
    with Service(tmp_path) as service, Proxy(int(service.origin.rpartition(":")[2])) as proxy:
        is_done = threading.Event()

        def lose() -> None:
            for count in (400, 0, 200, 0, 30_000, 20_000, 500, 40_000, 100):
                proxy.cut_after(Way.RESPONSES, count)
                if is_done.wait(1.5):
                    return

        losing = threading.Thread(target=lose)
        losing.start()
        origin = f"http://127.0.0.1:{proxy.port}"
        try:
            printed = run(*program, origin, service.make_token(), folder=tmp_path)
        finally:
            is_done.set()
            losing.join()
    assert json.loads(printed) == RESULTS
