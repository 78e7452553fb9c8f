"""Each example of the reference runs as it is shown."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from building.document import parse_document, read_document
from plantstore.core.model import Role, Scope
from plantstore.features.reference.building import document, samples
from tests.service import Service

# Without the operations that return documents, whose text contains errors.
OPERATIONS = [
    operation
    for operation in document.list_operations(document.resolve(parse_document(read_document())))
    if "interface" not in operation["tags"]
]
# How to run the examples together; blocks separate variables of the same name.
RUNS: dict[str, tuple[list[str], Callable[[list[str]], str]]] = {
    "curl": (["sh", "-c"], "\necho\n".join),
    "python": ([sys.executable, "-c"], "\n".join),
    "javascript": (
        ["node", "--input-type=module", "-e"],
        lambda calls: "\n".join(f"{{\n{call}\n}}" for call in calls),
    ),
}
# Errors that come from the store's plants and members, not from the example.
ALLOWED_ERRORS = ("40004", "4040")


@pytest.mark.parametrize("language", samples.LANGUAGES)
def test_all_examples_run(service: Service, language: str, store: str) -> None:
    token = service.make_token(store, "ada", role=Role.OWNER, scopes=frozenset(Scope))
    _, setup, write = samples.LANGUAGES[language]
    examples = [
        write(samples.make_call(operation, media_type))
        for operation in OPERATIONS
        for media_type in operation.get("requestBody", {"content": [""]})["content"]
    ]
    command, join = RUNS[language]
    program = "\n".join([setup.replace("pst_…", token), join(examples)])
    program = program.replace(samples.ORIGIN, service.origin)
    program = program.replace("greenhouse", store)
    result = subprocess.run(
        [*command, program], capture_output=True, text=True, check=True, timeout=60
    )
    assert "Basil" in result.stdout
    errors = [line for line in result.stdout.splitlines() if "error" in line]
    assert all(any(number in line for number in ALLOWED_ERRORS) for line in errors), result.stdout
