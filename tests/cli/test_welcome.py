"""``plantstore serve --welcome`` shows a newcomer a token and three calls, once."""

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import httpx

from plantstore.tokens import is_well_formed
from tests.cli.program import PLANTSTORE, Program
from tests.service import Service
from tests.waiting import wait_until

TOKEN = re.compile(r"\bpst_\w+")


class Welcoming(Service):
    """A service that shows a welcome; its stdout goes to a file of its own."""

    def __init__(self, folder: Path, settings: Mapping[str, object] | None = None) -> None:
        self._out = folder / "out.txt"
        script = f'exec "$@" --welcome >>{self._out}'
        command = ("sh", "-c", script, "sh", *PLANTSTORE)
        super().__init__(folder, command=command, settings=settings)

    def shown(self) -> str:
        """What stdout has."""
        return self._out.read_text()


def paste_calls(shown: str) -> None:
    """The three calls do what they are for."""
    calls = re.findall(r"^  curl (?:.*\\\n)*.*$", shown, re.MULTILINE)
    assert len(calls) == 3
    answers = [paste(call) for call in calls]
    plant = {"name": "Monstera", "tag": "tropical"}
    assert [json.loads(answer) for answer in answers[:2]] == [plant, [plant]]
    assert answers[2] == ""


def test_the_first_start_shows_a_token_and_three_calls_that_work(tmp_path: Path) -> None:
    with Welcoming(tmp_path) as service:
        shown = service.shown()
        assert f"Plant Store is running at {service.origin}\n" in shown
        (token,) = set(TOKEN.findall(shown))
        assert is_well_formed(token)
        paste_calls(shown)
        with service.client(token) as client:
            assert client.get("/plants").json() == []
        assert token not in service.log()


def test_the_calls_work_on_a_unix_socket_too(tmp_path: Path) -> None:
    path = tmp_path / "a socket"
    service = Welcoming(tmp_path, {"uds": path})
    service.launch()
    try:
        wait_until(lambda: "serving" in service.log())
        shown = service.shown()
        assert f"Plant Store is running at unix:{path}\n" in shown
        assert "browser" not in shown
        paste_calls(shown)
    finally:
        assert service.stop() == 0


def paste(call: str) -> str:
    """What a call prints in a shell."""
    done = subprocess.run(
        ["sh", "-c", call.strip().replace("curl", "curl -sS", 1)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    return done.stdout


def test_later_starts_show_where_it_serves_and_no_token(tmp_path: Path) -> None:
    with Welcoming(tmp_path) as service:
        (token,) = set(TOKEN.findall(service.shown()))
        assert service.stop() == 0
        service.start()
        later = service.shown().split("Plant Store is running at ")[2]
        assert later.startswith(f"{service.origin}\n")
        assert TOKEN.search(later) is None
        assert "plantstore token create" in later
        headers = {"Authorization": f"Bearer {token}"}
        assert httpx.get(f"{service.origin}/plants", headers=headers).json() == []


def test_where_there_is_a_store_no_token_is_made(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.out("store", "create", "orchard")
    with Welcoming(tmp_path) as service:
        assert TOKEN.search(service.shown()) is None
    assert program.data("token", "list") == []
    assert [store["name"] for store in program.data("store", "list")] == ["orchard"]


def test_without_the_flag_nothing_is_made_or_shown(tmp_path: Path) -> None:
    script = f'exec "$@" >>{tmp_path}/out.txt'
    with Service(tmp_path, command=("sh", "-c", script, "sh", *PLANTSTORE)):
        assert (tmp_path / "out.txt").read_text() == ""
    assert Program(tmp_path).data("store", "list") == []
