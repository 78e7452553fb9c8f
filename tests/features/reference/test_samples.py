"""Each example of the reference runs, as it stands there."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from building.document import parse_document, read_document
from plantstore.core.model import Role, Scope
from plantstore.features.reference.building import document, samples
from tests.service import Service

# But for the documents, which have errors in them.
OPERATIONS = [
    one
    for one in document.list_operations(document.resolve(parse_document(read_document())))
    if "interface" not in one["tags"]
]
# With TOKEN, and as blocks of their own, since all have the same names.
RUNS: dict[str, tuple[list[str], Callable[[list[str]], str]]] = {
    "curl": (["sh", "-c"], "\necho\n".join),
    "python": ([sys.executable, "-c"], "\n".join),
    "javascript": (
        ["node", "--input-type=module", "-e"],
        lambda calls: "\n".join(f"{{\n{one}\n}}" for one in calls),
    ),
}
# What is not there, or there already, is no mistake of the example.
OF_THE_STORE = ("40004", "4040")


@pytest.mark.parametrize("language", samples.LANGUAGES)
def test_all_examples_run(service: Service, language: str, store: str) -> None:
    token = service.make_token(store, "ada", role=Role.OWNER, scopes=frozenset(Scope))
    written = [
        samples.LANGUAGES[language].write(samples.make_call(operation, media_type))
        for operation in OPERATIONS
        for media_type in operation.get("requestBody", {"content": [""]})["content"]
    ]
    command, join = RUNS[language]
    setup = samples.LANGUAGES[language].setup.replace("pst_…", token)
    program = f"{setup}\n{join(written)}".replace(samples.ORIGIN, service.origin)
    program = program.replace("greenhouse", store)
    done = subprocess.run(
        [*command, program], capture_output=True, text=True, check=True, timeout=60
    )
    assert "Basil" in done.stdout
    errors = [line for line in done.stdout.splitlines() if "error" in line]
    assert all(any(number in line for number in OF_THE_STORE) for line in errors), done.stdout
