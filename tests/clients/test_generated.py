"""The examples of generated clients in docs/clients.md work."""

import json
import os
from pathlib import Path

import pytest

from tests.clients.documents import NODE_MODULES, PYTHON, TSC, run
from tests.docs.pages import read_blocks
from tests.service import Service

HEADING = "Generated clients"


def block(kind: str, service: Service, number: int = 0) -> str:
    text = read_blocks("clients.md", HEADING, kind=kind)[number]
    return text.replace("http://127.0.0.1:8080", service.origin)


def test_the_example_of_a_generated_python_client_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Service(tmp_path) as service:
        monkeypatch.setenv("TOKEN", service.make_token())
        monkeypatch.setenv("PATH", str(PYTHON.parent), prepend=os.pathsep)
        run("sh", "-ec", block("sh", service), folder=tmp_path)
        (tmp_path / "program.py").write_text(block("python", service))
        created, listed, status = run(PYTHON, "program.py", folder=tmp_path).splitlines()
    assert created.startswith("Plant(name='Ficus'")
    assert listed.startswith("[Plant(name='Ficus'")
    assert status in {"204", "HTTPStatus.NO_CONTENT"}


def test_the_example_of_a_generated_typescript_client_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
    with Service(tmp_path) as service:
        monkeypatch.setenv("TOKEN", service.make_token())
        run("sh", "-ec", block("sh", service, 1), folder=tmp_path)
        (tmp_path / "program.ts").write_text(block("ts", service))
        run(*TSC, "program.ts", folder=tmp_path)
        assert run("node", "program.js", folder=tmp_path).split() == ["Aloe", "undefined", "204"]
