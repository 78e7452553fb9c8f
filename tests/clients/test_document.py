"""The OpenAPI document passes a linter, and clients can be generated from it.

Programs of the interface's three operations compile with clients generated from either document,
and have the same results.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from plantstore.core.model import Scope
from tests.clients.documents import (
    DOCUMENTS,
    NODE_MODULES,
    PROGRAMS,
    PYTHON,
    ROOT,
    TSC,
    run,
    tool,
)
from tests.service import Service

# Imports that differ with our document, whose operations have names and tags.
OUR_NAMES = {
    "client.api.default import delete_plants_id, get_plants, post_plants": (
        "client.api.plants import delete_plant as delete_plants_id\n"
        "from client.api.plants import list_plants as get_plants\n"
        "from client.api.plants import create_plant as post_plants"
    )
}
# The output of the program of all operations.
EVERYTHING = {
    "plants": [{"name": "Ficus elastica"}, 41201, [7], 204],
    "many": [[1, 200], [2, 200]],
    "events": [
        ["plant.created", "plant.updated", "plant.created", "plant.created"],
        "event: plant.created",
    ],
    "me": ["ada", ["nursery"]],
    "members": [201, ["owner", "reader"]],
    "tokens": [2, 204, "nursery", 204],
    "service": "ready",
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("clients")) as running:
        yield running


def test_the_document_has_no_linter_warnings(tmp_path: Path) -> None:
    document = DOCUMENTS["ours"]
    redocly = (tool("redocly"), "lint", "--extends=recommended", "--format=json", document)
    assert json.loads(run(*redocly, folder=tmp_path))["problems"] == []


def test_typescript_programs_compile_and_run(tmp_path: Path, service: Service) -> None:
    """Test the basic program with both documents' types, and the full program with ours."""
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    types = {
        name: {"root": str(document), "x-openapi-ts": {"output": f"{name}/document.d.ts"}}
        for name, document in DOCUMENTS.items()
    }
    (tmp_path / "redocly.yaml").write_text(json.dumps({"apis": types}), encoding="utf-8")
    run(tool("openapi-typescript"), folder=tmp_path)
    for name in DOCUMENTS:
        shutil.copy(PROGRAMS / "program.ts", tmp_path / name)
    shutil.copy(PROGRAMS / "everything.ts", tmp_path / "ours")
    run(*TSC, *tmp_path.glob("*/*.ts"), folder=tmp_path)
    for name in DOCUMENTS:
        program = tmp_path / name / "program.js"
        printed = run("node", program, service.origin, service.make_token(), folder=tmp_path)
        assert json.loads(printed) == [{"name": "Ficus", "tag": "tree"}, 40004, ["Ficus"], 204]
    with Service(tmp_path) as own:
        token = own.make_token(scopes=frozenset(Scope))
        printed = run("node", "ours/everything.js", own.origin, token, folder=tmp_path)
    assert json.loads(printed) == EVERYTHING


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_python_programs_type_check_and_run(
    document: Path, tmp_path: Path, service: Service
) -> None:
    """Test the programs of the three operations, with each document's code."""
    generate_client(document, tmp_path)
    generate_models(document, tmp_path)
    shutil.copy(PROGRAMS / "models.py", tmp_path)
    source = (PROGRAMS / "program.py").read_text(encoding="utf-8")
    for theirs, ours in OUR_NAMES.items() if document == DOCUMENTS["ours"] else ():
        source = source.replace(theirs, ours)
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    type_check(tmp_path, document.stem, "program.py", "models.py")
    run(PYTHON, "models.py", folder=tmp_path)
    printed = run(PYTHON, "program.py", service.origin, service.make_token(), folder=tmp_path)
    assert json.loads(printed) == [{"name": "Fern", "tag": "herb"}, 40004, ["Fern"], 204]


def generate_client(document: Path, folder: Path) -> None:
    generator = PYTHON.with_name("openapi-python-client")
    options = ("--meta", "none", "--output-path", "client")
    run(generator, "generate", "--path", document, *options, folder=folder)


def generate_models(document: Path, folder: Path) -> None:
    """Generate the module ``document`` from a document: classes of pydantic."""
    generator = PYTHON.with_name("datamodel-codegen")
    kinds = ("--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel")
    options = ("--use-annotated", "--formatters", "builtin", "--output", "document.py")
    run(generator, "--input", document, *kinds, *options, folder=folder)


def type_check(folder: Path, cache: str, *names: str) -> None:
    """Type-check the programs together with the generated code that they use."""
    mypy = ROOT / ".venv" / "bin" / "mypy"
    options = ("--strict", "--config-file=", "--follow-imports=silent", "--scripts-are-modules")
    installed = ("--python-executable", PYTHON, "--cache-dir", ROOT / ".mypy_cache" / cache)
    run(mypy, *options, *installed, *names, folder=folder)
