"""The blocks of the pages run as documented, against a service."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from plantstore.core.model import Scope
from tests.certificates import make_certificate
from tests.cli.program import Program
from tests.docs import pages
from tests.docs.pages import read_blocks
from tests.features.page.browser import open_browser
from tests.postgres.server import free_port
from tests.service import Service
from tests.waiting import wait_until

LEAKED_ID = "3f0c9a52b7d84e63"


class Reader:
    """Runs blocks of a page against a service with a user's events."""

    def __init__(self, program: Program, service: Service) -> None:
        self.program, self.service = program, service
        self.ada, self.eve = service.make_token(), service.make_token(user="eve")
        with service.client(self.ada) as ada, service.client(self.eve) as eve:
            assert ada.post("/plants", json={"id": 7, "name": "Fern"}).is_success
            assert eve.delete("/plants/7").is_success
        self._values = {
            "http://127.0.0.1:8080": service.origin,
            "sqlite:////var/lib/plantstore/plants.db": service.database,
            LEAKED_ID: self.id_of("eve"),
        }

    def id_of(self, user: str) -> str:
        (token,) = self.program.data("token", "list", "--user", user)
        return str(token["id"])

    def run_blocks(self, *blocks: str, **environ: str) -> str:
        script = "".join(blocks)
        for documented, actual in self._values.items():
            script = script.replace(documented, actual)
        return pages.run_blocks(self.program, script, **environ)

    def run(self, command: str, file: str, text: str) -> list[str]:
        """Run a program of a page; return its lines of output."""
        path = self.program.folder / file
        path.write_text(text.replace("http://127.0.0.1:8080", self.service.origin))
        environ = os.environ | {"TOKEN": self.ada}
        result = subprocess.run(
            [command, path], env=environ, capture_output=True, text=True, check=False, timeout=60
        )
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    program = Program(tmp_path)
    with Service(tmp_path, database=program.database) as service:
        yield Reader(program, service)


def test_the_quick_start_with_curl_prints_the_documented_results(reader: Reader) -> None:
    create_token, blocks = (
        read_blocks("quickstart.md", "Start")[1],
        read_blocks("quickstart.md", "curl"),
    )
    create_token = create_token.replace("sqlite:///plants.db", reader.service.database)
    printed = reader.run_blocks(create_token, *blocks)
    plant = json.dumps({"name": "Monstera", "tag": "tropical"}, separators=(",", ":"))
    (results,) = read_blocks("quickstart.md", "curl", kind="json")
    assert printed == f"{plant}[{plant}]{results}"


@pytest.mark.parametrize(
    ("heading", "command", "printed"),
    [
        ("Python", sys.executable, ["{'name': 'Fern'", "'id': 8", "404 {'error': 40401"]),
        ("JavaScript", "node", ["{ name: 'Basil' }", "id_text: '9'", "40401: "]),
        ("Our clients", sys.executable, ["[Plant(id=8, name='Fern', tag='shade'"]),
    ],
)
def test_the_quick_start_programs_print_the_documented_results(
    reader: Reader, heading: str, command: str, printed: list[str]
) -> None:
    kind = "js" if command == "node" else "python"
    (program,) = read_blocks("quickstart.md", heading, kind=kind)
    lines = reader.run(command, "plants.mjs", program)
    assert all(part in line for part, line in zip(printed, lines, strict=True))


def test_serve_welcome_prints_a_token_and_creates_the_database(tmp_path: Path) -> None:
    (start, *_) = read_blocks("quickstart.md", "Start")
    program = Program(tmp_path)
    script = start.replace("--welcome", "--welcome --port 0 >out & trap 'kill $!' EXIT")
    waiting = "until grep -q pst_ out; do sleep 0.1; done\n"
    pages.run_blocks(program, script, waiting)
    assert (tmp_path / "plants.db").exists()


def test_the_events_commands_run(reader: Reader) -> None:
    listing, undoing, over_http, streaming = read_blocks("events.md")[:4]
    assert "eve" in reader.run_blocks(listing)
    reader.run_blocks(undoing)
    assert '"plant.deleted"' in reader.run_blocks(over_http, TOKEN=reader.ada)
    stream = streaming.replace("curl", "curl -sS --max-time 1") + "test $? = 28\n"
    reader.run_blocks("set +e\n", stream, TOKEN=reader.ada)


@pytest.mark.parametrize("heading", ["List, then poll", "List, then listen"])
def test_the_copy_programs_follow_the_events(reader: Reader, heading: str) -> None:
    (begin,), (follow,) = (
        read_blocks("events.md", it, kind="python") for it in ("Keep a copy", heading)
    )
    show = "print(sorted(plants), flush=True)\n"
    follow = re.sub(r"( +)(revision = apply.*\n)", rf"\1\2\1{show}", follow).replace("60", "0.1")
    environ = os.environ | {"TOKEN": reader.ada}
    program = (begin + show + follow).replace("http://127.0.0.1:8080", reader.service.origin)
    with (
        reader.service.client(reader.ada) as client,
        subprocess.Popen(
            [sys.executable, "-c", program], env=environ, stdout=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stdout is not None
        assert json.loads(process.stdout.readline()) == []
        for plant_id in (8, 9):
            client.post("/plants", json={"id": plant_id, "name": "Fern"})
        client.delete("/plants/8")
        copies = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.kill()
    assert copies == [[8], [8, 9], [9]]


def test_the_cron_copy_is_rewritten_only_if_the_list_has_changed(reader: Reader) -> None:
    (copying,) = read_blocks("events.md", "Copy by cron")
    folder = reader.program.folder
    for plant_id in (8, 9):
        with reader.service.client(reader.ada) as client:
            client.post("/plants", json={"id": plant_id, "name": "Fern"})
        reader.run_blocks(copying, TOKEN=reader.ada)
        copy = folder / "plants.ndjson"
        assert len(copy.read_text().splitlines()) == plant_id - 7
        written_at = copy.stat().st_mtime_ns
        reader.run_blocks(copying, TOKEN=reader.ada)
        assert copy.stat().st_mtime_ns == written_at


def test_the_webhook_commands_run(reader: Reader) -> None:
    create, over_http, manage = read_blocks("webhooks.md", "Create a webhook")
    secret = reader.run_blocks(create).strip()
    assert secret.startswith("whsec_")
    manager = reader.service.make_token(scopes=frozenset(Scope))
    webhook = json.loads(reader.run_blocks(over_http, TOKEN=manager))
    assert webhook["events"] == ["plant.deleted"]
    others = read_blocks("webhooks.md", "When a receiver fails", "Secrets")
    # Its receiver does not exist, so the command fails.
    managing = manage.replace("plantstore webhook test", "! plantstore webhook test")
    printed = reader.run_blocks(*others, managing, ID=webhook["id"])
    assert "whsec_" in printed
    assert "webhook.test" in printed
    (remaining,) = reader.program.data("webhook", "list", "--store", "nursery")
    assert remaining["id"] != webhook["id"]


def test_the_browser_example_receives_events(reader: Reader) -> None:
    (function,) = read_blocks("events.md", "In a browser", kind="js")
    function = function.replace("http://127.0.0.1:8080", reader.service.origin)
    with reader.service.client(reader.ada) as client, open_browser() as browser:
        revision = client.get("/plants").headers["store-revision"]
        page = browser.new_page()
        page.evaluate(
            f"([token, ...revisions]) => {{ {function} received = [];"
            " follow(token, () => revisions.shift(), event => received.push(event)); }",
            [reader.ada, "1000000", revision],
        )
        client.post("/plants", json={"id": 8, "name": "Käthe's fern"})
        client.delete("/plants/8")
        page.wait_for_function("received.length === 2")
        received = page.evaluate("received")
    assert [event["kind"] for event in received] == ["plant.created", "plant.deleted"]
    assert received[0]["plant"] == {"id": 8, "name": "Käthe's fern"}


def test_the_commands_find_who_deleted_a_plant_and_restore_it(reader: Reader) -> None:
    printed = reader.run_blocks(*read_blocks("troubleshooting.md", "", "Who deleted plant 7?"))
    assert [line for line in printed.splitlines() if "plant.deleted" in line and "eve" in line]
    with reader.service.client(reader.ada) as client:
        assert client.get("/plants/7").is_success


def test_the_commands_for_a_leaked_token_revoke_it(reader: Reader) -> None:
    revoking, asking = read_blocks("troubleshooting.md", "Which token leaked?")
    assert reader.run_blocks(revoking, LEAKED=reader.eve) == ""
    printed = reader.run_blocks(asking.replace("journalctl", ": journalctl"))
    assert '"state": "revoked"' in printed
    assert '"kind": "plant.deleted"' in printed
    with reader.service.client(reader.eve) as client:
        assert client.get("/plants").status_code == 401


def test_the_health_and_check_commands_report_success(reader: Reader) -> None:
    for page, heading in (
        ("monitoring.md", "Health"),
        ("troubleshooting.md", "Why is it not ready?"),
    ):
        assert '"status":"ready"' in reader.run_blocks(*read_blocks(page, heading)).replace(" ", "")
    (check,) = read_blocks("production.md", "Settings")
    assert "accepts writes" in reader.run_blocks(check)
    assert "tokens_expiring" in reader.run_blocks(*read_blocks("monitoring.md", "Status"))


def test_the_shell_completion_commands_work(reader: Reader) -> None:
    bash, fish = read_blocks("install.md", "Shell completion")
    assert reader.run_blocks(bash, "complete -p plantstore\n").endswith(" plantstore\n")
    folder = reader.program.folder / ".config" / "fish" / "completions"
    folder.mkdir(parents=True)
    reader.run_blocks(fish)
    assert "complete" in (folder / "plantstore.fish").read_text()


def test_the_move_commands_copy_twice_and_lose_no_plant(reader: Reader) -> None:
    target = f"sqlite:///{reader.program.folder / 'target.db'}"
    first, again = read_blocks("moving.md")
    reader.run_blocks(first, TARGET=target)
    with reader.service.client(reader.ada) as client:
        assert client.post("/plants", json={"id": 8, "name": "Ficus"}).is_success
    assert reader.service.stop() == 0
    assert "accepts writes" in reader.run_blocks(again, TARGET=target)
    with (
        Service(reader.program.folder, database=target) as moved,
        moved.client(reader.ada) as client,
    ):
        wait_until(lambda: client.get("/plants").json() == [{"name": "Ficus"}])


def test_the_certificate_hook_reloads_the_service(tmp_path: Path) -> None:
    (settings,) = read_blocks("production.md", "TLS", kind="toml")
    (hook,) = read_blocks("production.md", "TLS")
    make_certificate(tmp_path).with_suffix(".key").rename(tmp_path / "key.pem")
    renewed = tmp_path / "renewed"
    renewed.mkdir()
    make_certificate(renewed).rename(renewed / "fullchain.pem")
    (renewed / "cert.key").rename(renewed / "privkey.pem")
    hook = hook.replace("-o plantstore ", "").replace("/etc/plantstore", str(tmp_path))
    port = free_port()
    settings = settings.replace('"0.0.0.0"', '"127.0.0.1"').replace("8443", str(port))
    settings = settings.replace("/etc/plantstore", str(tmp_path))
    (tmp_path / "tls.toml").write_text(settings)
    pages.run_blocks(
        Program(tmp_path),
        "plantstore --settings tls.toml serve 2>log & trap 'kill $!' EXIT\n",
        f"until curl -sfk https://127.0.0.1:{port}/readyz; do sleep 0.1; done\n",
        f"RENEWED_LINEAGE={renewed}\n{hook}",
        "until grep -q 'was reloaded from' log; do sleep 0.1; done\n",
    )
