"""The service conforms to its OpenAPI document, as schemathesis tests it.

Schemathesis is installed in another environment (``scripts/setup tools``), since it demands other
versions of packages that the project pins.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from plantstore.core.model import Scope
from tests.service import Service

ROOT = Path(__file__).parents[2]
COMMAND = ROOT / ".venv-tools" / "bin" / "schemathesis"
SECONDS = 280


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """A service with all features."""
    with Service(tmp_path) as running:
        yield running


def test_the_service_conforms_to_its_openapi_document(
    service: Service, store: str, tmp_path: Path
) -> None:
    assert COMMAND.exists(), "install it: scripts/setup tools"
    owner = f"owner of {store}"
    token = service.make_token(store, owner, scopes=frozenset(Scope))
    settings = tmp_path / "schemathesis.toml"
    # Unknown parameters are ignored, which the document says but cannot express.
    generation = "[generation]\nallow-extra-parameters = false\n"
    # Old events are trimmed, however valid the request for them.
    acceptance = "[checks.positive_data_acceptance]\nexpected-statuses = "
    accepted = '["2xx", "3xx", 401, 403, 404, 409, 410, 429, "5xx"]\n'
    acceptance += accepted
    # An invalid parameter may be longer than a target may be.
    rejection = "[checks.negative_data_rejection]\nexpected-statuses = "
    rejection += '[400, 401, 403, 404, 405, 406, 409, 414, 415, 422, 428, 429, "5xx"]\n'
    # Not every text is a valid URL, or the name of a new user.
    addresses = '[[operations]]\ninclude-path-regex = "/(webhooks|members)"\n'
    addresses += f"checks.positive_data_acceptance.expected-statuses = {accepted}".replace(
        "401", "400, 401"
    )
    bearer = f'[auth.openapi.bearer]\nbearer = "{token}"\n'
    # Each operation must also succeed, and not only refuse requests.
    warnings = "[warnings]\nfail-on = true\n"
    settings.write_text(generation + acceptance + rejection + bearer + warnings + addresses)
    arguments = ["--checks=all", "--phases=examples,coverage,fuzzing,stateful"]
    arguments += ["--seed=1", "--generation-deterministic"]
    arguments += ["--max-examples=10", "--no-color", "--output-truncate=false"]
    hooks = {"SCHEMATHESIS_HOOKS": "tests.whole.schemathesis_hooks", "PYTHONPATH": str(ROOT)}
    # Variables that begin with schemathesis' name could be read as its options.
    hooks |= {"TEST_STORE": store, "TEST_USER": owner}
    hooks |= {"TEST_ORIGIN": service.origin, "TEST_TOKEN": token}
    run = subprocess.run(
        [COMMAND, f"--config-file={settings}", "run", f"{service.origin}/openapi.json", *arguments],
        cwd=tmp_path,
        env=os.environ | hooks,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    # The run has created, updated and deleted plants.
    assert {event.kind for event in service.events(store)} == {
        "plant.created",
        "plant.updated",
        "plant.deleted",
    }
