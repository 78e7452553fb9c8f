"""The calls and commands of the README run as documented."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from itertools import pairwise, takewhile
from pathlib import Path
from subprocess import PIPE, STDOUT

import httpx

from tests.cli.program import Program
from tests.databases import SQLITE_ONLY
from tests.deploy.test_setting_up import Checkout, address_of, quick_python, silent_index
from tests.docs import pages
from tests.docs.pages import DOCS, ROOT, blocks_of, read_page
from tests.service import Service

__all__ = ["quick_python", "silent_index"]

README = read_page(ROOT / "README.md")
BLOCKS = list(blocks_of(ROOT / "README.md"))
DATA = "Library/Application Support" if sys.platform == "darwin" else ".local/share"


def find_block(word: str) -> str:
    (script,) = [block.text for block in BLOCKS if word in block.text]
    return script


def run_blocks(script: str, service: Service, token: str) -> str:
    script = script.replace("http://127.0.0.1:8080", service.origin).replace("pst_...", token)
    program = Program(service.log_path.parent, {"PLANTSTORE_DATABASE": service.database})
    return pages.run_blocks(program, script, TOKEN=token)


def test_the_quick_start_serves_while_the_project_is_set_up_again(
    tmp_path: Path, quick_python: str, silent_index: socket.socket
) -> None:
    """New environments are created beside the old ones, which stay while a process uses them."""
    script = find_block("make serve").replace("make serve", "make serve PORT=0")
    script = script.replace("git clone ADDRESS-OF-THIS-REPOSITORY plantstore", f"cd {tmp_path}")
    checkout = Checkout(tmp_path / "plantstore", quick_python)
    environ = os.environ | {"HOME": str(tmp_path), "PYTHON": sys.executable, "PIP_NO_COMPILE": "1"}
    for variable in ("XDG_DATA_HOME", "MAKEFLAGS", "ARGS"):  # `make test ARGS=...` exports its own
        environ.pop(variable, None)
    with subprocess.Popen(
        ["sh", "-ec", script], env=environ, stdout=PIPE, stderr=STDOUT, start_new_session=True
    ) as process:
        assert process.stdout
        printed = list(takewhile(lambda line: b" serving " not in line, process.stdout))
        first = checkout.environments()
        with (checkout.folder / "pyproject.toml").open("a") as project:
            project.write("# changed\n")
        assert checkout.set_up(index=address_of(silent_index)) == (0, "")
        checkout.require("runtime", "")
        assert checkout.set_up()[0] == 0
        assert checkout.environments() > first
        (origin,) = re.findall(r"is running at (\S+)", b"".join(printed).decode())
        assert httpx.get(f"{origin}/docs").is_success
        os.killpg(process.pid, signal.SIGINT)
    assert b"pst_" in b"".join(printed)
    assert f"~/{DATA}/plantstore`" in README
    assert (tmp_path / DATA / "plantstore" / "plantstore.db").exists()
    assert checkout.set_up("tools")[0] == 0
    assert not checkout.environments() & first
    assert (checkout.folder / ".venv" / "bin" / "pip").exists()


@SQLITE_ONLY
def test_the_curl_examples_return_the_documented_responses(service: Service, token: str) -> None:
    compared = 0
    for call, below in pairwise(BLOCKS):
        if "curl" in call.text:
            response = run_blocks(call.text, service, token)
            if below.kind == "json":
                assert json.loads(response) == json.loads(below.text)
                compared += 1
            else:
                assert response == ""
    assert compared == 2


@SQLITE_ONLY
def test_the_commands_of_the_readme_run(service: Service, token: str) -> None:
    token_id = run_blocks(
        "plantstore token list | awk 'NR == 2 {print $1}'", service, token
    ).strip()
    commands = find_block("token create").replace("1f0c9a52b7d84e63", token_id)
    printed = run_blocks(commands, service, token)
    assert "pst_" in printed
    assert "kiosk" in printed


def test_the_figures_of_the_readme_match_sizing_md() -> None:
    figures = re.findall(r"^\|.* (\d+,\d+)", README, re.MULTILINE)
    assert len(figures) == 4
    assert set(figures) <= set(re.findall(r"\d+,\d+", read_page(DOCS / "sizing.md")))
