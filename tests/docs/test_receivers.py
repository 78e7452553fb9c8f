"""The receivers of docs/webhooks.md accept only messages with a valid signature."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from building.document import parse_document, read_document
from tests.docs.pages import ROOT, read_blocks
from tests.features.access.http.access_calls import managing
from tests.features.webhooks.conftest import SETTINGS
from tests.features.webhooks.receiver import create_webhook
from tests.http.calls import create_plant
from tests.postgres.server import free_port
from tests.service import Service
from tests.waiting import responds, wait_until

NODE_MODULES = ROOT / "tests" / "clients" / "node_modules"
RECEIVERS = {
    "python": (sys.executable, "-u", "-c"),
    "js": ("node", "-e"),
    "perl": ("perl", "-e"),
}


def test_the_reference_shows_the_same_receivers() -> None:
    operation = parse_document(read_document())["webhooks"]["plant.changed"]["post"]
    samples = [sample["source"] for sample in operation["x-codeSamples"]]
    assert samples == [
        program
        for name in RECEIVERS
        for program in read_blocks("webhooks.md", "Receive messages", kind=name)
    ]


@pytest.mark.parametrize("name", RECEIVERS)
def test_a_receiver_accepts_only_messages_signed_with_its_secret(tmp_path: Path, name: str) -> None:
    port = free_port()
    with (
        Service(tmp_path, settings=SETTINGS) as service,
        managing(service, "nursery") as manager,
    ):
        webhook = create_webhook(manager, f"http://127.0.0.1:{port}/plants")
        with receiving(name, webhook["secret"], port, tmp_path / "out") as out:
            create_plant(manager, 1, "Fern ‘é’")
            wait_until(lambda: "plant.created Fern ‘é’\n" in out.read_text(encoding="utf-8"))
            for status in (204, 400):  # the last secret stays valid for one rotation
                manager.post(f"/webhooks/{webhook['id']}/rotate").raise_for_status()
                response = manager.post(f"/webhooks/{webhook['id']}/test").raise_for_status()
                assert response.json()["status"] == status


@contextmanager
def receiving(name: str, secret: str, port: int, out: Path) -> Iterator[Path]:
    """Run a receiver during the block; yield the file with its output."""
    (program,) = read_blocks("webhooks.md", "Receive messages", kind=name)
    command = [*RECEIVERS[name], program]
    environ = {"SECRET": secret, "PORT": str(port), "NODE_PATH": str(NODE_MODULES)}
    with (
        out.open("wb") as file,
        subprocess.Popen(command, env=os.environ | environ, stdout=file) as process,
    ):
        try:
            wait_until(lambda: responds(f"http://127.0.0.1:{port}"))
            yield out
        finally:
            process.kill()
