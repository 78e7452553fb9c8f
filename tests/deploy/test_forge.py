"""A forge can read what is in .github/: the workflow, which runs .ci/run, and the forms."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from plantstore.features import FEATURES

ROOT = Path(__file__).parents[2]
FORGE = ROOT / ".github"
CHECK = ROOT / ".venv-deploy" / "bin" / "check-jsonschema"


@pytest.mark.parametrize(
    ("schema", "folder"), [("workflows", "workflows"), ("issue-forms", "ISSUE_TEMPLATE")]
)
def test_files_have_the_form_that_the_forge_reads(schema: str, folder: str) -> None:
    command = (CHECK, "--builtin-schema", f"vendor.github-{schema}")
    subprocess.run([*command, *(FORGE / folder).iterdir()], check=True)


def test_the_workflow_runs_what_there_is() -> None:
    workflow = yaml.safe_load((FORGE / "workflows" / "ci.yml").read_text())
    *_, last = workflow["jobs"]["test"]["steps"]
    assert os.access(ROOT / last["run"], os.X_OK)
    features = workflow["jobs"]["without"]["strategy"]["matrix"]["feature"]
    assert features == [feature.name for feature in FEATURES]
