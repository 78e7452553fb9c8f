"""Backups and Litestream replicas in S3-compatible storage: the blocks of docs/backup.md."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.cli.test_check import file_of, in_folder
from tests.contents import contents
from tests.docs.pages import ROOT, read_blocks
from tests.faults.load import under_load, wait_until_acknowledged
from tests.features.backups.test_backup import fill, url_of
from tests.features.backups.test_litestream import (
    HEADING,
    MOMENT,
    block,
    running_litestream,
    wait_for_replica,
)
from tests.postgres.server import free_port
from tests.service import Service
from tests.waiting import responds, wait_until

S3RVER = ROOT / "tests" / "clients" / "node_modules" / ".bin" / "s3rver"
KEY = "S3RVER"  # the only key that the server knows


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[str]:
    """The address of a server with the bucket ``backups``."""
    port = free_port()
    options = ("--address", "127.0.0.1", "--port", str(port), "--configure-bucket", "backups")
    (tmp_path / "storage").mkdir()
    command = ["node", str(S3RVER), "--silent", "--directory", f"{tmp_path}/storage", *options]
    with subprocess.Popen(command) as server:
        wait_until(lambda: responds(f"http://127.0.0.1:{port}"))
        yield f"127.0.0.1:{port}"
        server.kill()


@pytest.fixture
def program(tmp_path: Path, endpoint: str) -> Program:
    """The program, with settings of the storage for s3cmd and Litestream, and an age key."""
    settings = {"access_key": KEY, "secret_key": KEY, "use_https": "False"}
    settings |= {"host_base": endpoint, "host_bucket": endpoint}
    lines = (f"{name} = {value}\n" for name, value in settings.items())
    (tmp_path / ".s3cfg").write_text("".join(("[default]\n", *lines)))
    program = in_folder(tmp_path)
    program.environ.pop("AWS_CA_BUNDLE", None)  # Litestream does not accept it
    program.environ |= {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": KEY}
    assert program.in_shell("age-keygen --output key.txt").status == 0
    program.environ["RECIPIENT"] = program.in_shell("age-keygen -y key.txt").out.strip()
    return program


def run_script(program: Program, script: str) -> int:
    """Run a script with the programs that are installed beside Python; return its status."""
    beside = f"PATH=$PATH:{Path(sys.executable).parent}"
    return program.in_shell(f"set -e\n{beside}\n{script}", shell="bash").status


def test_an_encrypted_backup_is_uploaded_and_downloaded(program: Program) -> None:
    upload, download = read_blocks("backup.md", "To S3-compatible storage", kind="bash")
    fill(program)
    temporary = program.folder / "temporary"
    temporary.mkdir()
    program.environ["TMPDIR"] = str(temporary)
    to_missing_bucket = upload.replace("s3://backups", "s3://nowhere")
    assert run_script(program, to_missing_bucket) != 0
    assert program.data("status")["backup_at"] is None
    assert run_script(program, upload) == 0
    assert program.data("status")["backup_at"]
    assert run_script(program, download) == 0
    assert list(temporary.iterdir()) == []
    assert contents(url_of(program.folder / "plants.backup")) == contents(program.database)


def test_a_replica_in_storage_is_restored(program: Program, endpoint: str) -> None:
    yaml = read_blocks("backup.md", HEADING, kind="yaml")[1]
    replica = yaml.replace("https://s3.example.org", f"http://{endpoint}")
    database = program.database
    with (
        Service(program.folder, database=database) as service,
        running_litestream(program, replica),
    ):
        with under_load(service, service.make_token()) as load_clients:
            wait_until_acknowledged(load_clients, 200)
        before = contents(database)["plants"]
        wait_for_replica(program, before)
        service.kill()
    shutil.rmtree(file_of(program).parent)
    file_of(program).parent.mkdir()
    assert run_script(program, block("sh", 1, program).replace(f"-timestamp {MOMENT}", "")) == 0
    assert contents(database)["plants"] == before
