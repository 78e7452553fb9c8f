"""The OpenAPI document by the rules of two linters, and by clients that are generated from it.

A client generated from the interface alone is a client of ours: its programs, which know the
three operations, compile with what is generated from our document, and do the same.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plantstore.model import Scope
from tests.clients.documents import DOCUMENTS, NODE_MODULES, PROGRAMS, PYTHON, ROOT, run, tool
from tests.service import Service

# What a client generated from our document calls otherwise: operations have names, and tags.
OUR_NAMES = {
    "client.api.default import delete_plants_id, get_plants, post_plants": (
        "client.api.plants import delete_plant as delete_plants_id\n"
        "from client.api.plants import list_plants as get_plants\n"
        "from client.api.plants import create_plant as post_plants"
    )
}
NEW = ("plant.created",)
# What the programs of all operations are told of their access.
ACCESS = {
    "me": ["ada", ["nursery"]],
    "members": [201, ["owner", "reader"]],
    "tokens": [2, 204, "nursery", 204],
    "service": "ready",
}
TSC = ("--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service for the programs."""
    with Service(tmp_path_factory.mktemp("clients")) as running:
        yield running


@pytest.fixture(params=DOCUMENTS)
def document(request: pytest.FixtureRequest) -> Path:
    """A document to generate a client from."""
    return DOCUMENTS[request.param]


def test_no_linter_has_a_warning(tmp_path: Path) -> None:
    document = DOCUMENTS["ours"]
    redocly = (tool("redocly"), "lint", "--extends=recommended", "--format=json", document)
    assert json.loads(run(*redocly, folder=tmp_path))["problems"] == []
    rules = tmp_path / "rules.yaml"
    rules.write_text("extends: [spectral:oas]\n", encoding="utf-8")
    spectral = (tool("spectral"), "lint", "--fail-severity=hint", "--ruleset", rules, document)
    run(*spectral, folder=tmp_path)


def test_a_typescript_program_of_three_operations_compiles_and_runs(
    document: Path, tmp_path: Path, service: Service
) -> None:
    compile_typescript(document, "program", tmp_path)
    printed = run("node", "program.js", service.origin, service.make_token(), folder=tmp_path)
    assert json.loads(printed) == [{"name": "Ficus", "tag": "tree"}, 40004, ["Ficus"], 204]


def test_a_python_program_of_three_operations_type_checks_and_runs(
    document: Path, tmp_path: Path, service: Service
) -> None:
    generate_python(document, tmp_path)
    source = (PROGRAMS / "program.py").read_text(encoding="utf-8")
    for theirs, ours in OUR_NAMES.items() if document == DOCUMENTS["ours"] else ():
        source = source.replace(theirs, ours)
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    type_check(tmp_path)
    printed = run(PYTHON, "program.py", service.origin, service.make_token(), folder=tmp_path)
    assert json.loads(printed) == [{"name": "Fern", "tag": "herb"}, 40004, ["Fern"], 204]


def test_a_typescript_program_of_all_operations_needs_only_their_types(tmp_path: Path) -> None:
    compile_typescript(DOCUMENTS["ours"], "everything", tmp_path)
    assert (
        run_everything(tmp_path, "node", "everything.js")
        == {
            "plants": [{"name": "Ficus elastica"}, 41201, [7], 200, 204],
            "many": [[1, 200], [2, 200]],
            "events": [["plant.created", "plant.updated", *NEW, *NEW], "event: plant.created"],
        }
        | ACCESS
    )


def test_a_python_program_of_all_operations_needs_only_their_types(tmp_path: Path) -> None:
    generate_python(DOCUMENTS["ours"], tmp_path)
    shutil.copy(PROGRAMS / "everything.py", tmp_path / "program.py")
    type_check(tmp_path)
    assert (
        run_everything(tmp_path, PYTHON, "program.py")
        == {
            "plants": [{"name": "Ficus elastica"}, 41201, [17], 204],
            "events": ["plant.created", "plant.updated"],
        }
        | ACCESS
    )


def run_everything(folder: Path, *command: object) -> dict[str, Any]:
    """What a program of all operations prints, as the owner of an empty store."""
    with Service(folder) as own:
        token = own.make_token(scopes=frozenset(Scope))
        printed: dict[str, Any] = json.loads(run(*command, own.origin, token, folder=folder))
    return printed


def compile_typescript(document: Path, name: str, folder: Path) -> None:
    """Compile a program with the types of a document."""
    (folder / "node_modules").symlink_to(NODE_MODULES)
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    run(tool("openapi-typescript"), document, "--output", "document.d.ts", folder=folder)
    shutil.copy(PROGRAMS / f"{name}.ts", folder)
    run(tool("tsc"), *TSC, f"{name}.ts", folder=folder)


def generate_python(document: Path, folder: Path) -> None:
    """Generate the package ``client`` from a document."""
    generator = PYTHON.with_name("openapi-python-client")
    options = ("--meta", "none", "--output-path", "client")
    run(generator, "generate", "--path", document, *options, folder=folder)


def test_models_of_the_document_serve_a_program_of_the_interface(
    document: Path, tmp_path: Path
) -> None:
    generator = PYTHON.with_name("datamodel-codegen")
    kinds = ("--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel")
    options = ("--use-annotated", "--formatters", "builtin", "--output", "document.py")
    run(generator, "--input", document, *kinds, *options, folder=tmp_path)
    shutil.copy(PROGRAMS / "models.py", tmp_path / "program.py")
    type_check(tmp_path)
    run(PYTHON, "program.py", folder=tmp_path)


def type_check(folder: Path) -> None:
    """The program's own code and what it uses of the generated code fit."""
    mypy = ROOT / ".venv" / "bin" / "mypy"
    options = ("--strict", "--config-file=", "--cache-dir=/dev/null", "--follow-imports=silent")
    run(mypy, *options, "--python-executable", PYTHON, "program.py", folder=folder)
