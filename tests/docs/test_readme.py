"""The README's calls and commands do what it says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.service import Service

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(sh|json)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_in_shell(script: str, service: Service, token: str) -> str:
    script = script.replace("http://127.0.0.1:8080", service.origin)
    script = script.replace("plantstore ", f"{sys.executable} -m plantstore ")
    environ = os.environ | {"TOKEN": token, "PLANTSTORE_DATABASE": service.database}
    done = subprocess.run(
        ["sh", "-ec", script], env=environ, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def test_the_calls_of_the_readme_give_the_answers_of_the_readme(
    service: Service, token: str
) -> None:
    blocks = BLOCK.findall(README)
    compared = 0
    for number, (kind, text) in enumerate(blocks):
        if kind == "sh" and "curl" in text:
            answer = run_in_shell(text, service, token)
            if blocks[number + 1][0] == "json":
                assert json.loads(answer) == json.loads(blocks[number + 1][1])
                compared += 1
            else:
                assert answer == ""
    assert compared == 3


def test_the_commands_of_the_readme_work(service: Service, token: str) -> None:
    (script,) = [text for _, text in BLOCK.findall(README) if "token create" in text]
    listing = json.loads(run_in_shell("plantstore token list --json", service, token))
    printed = run_in_shell(script.replace("1f0c9a52b7d84e63", listing[0]["id"]), service, token)
    assert "pst_" in printed
    assert "kiosk" in printed
