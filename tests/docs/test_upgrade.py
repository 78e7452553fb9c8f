"""The blocks of docs/upgrade.md: a new version is installed, and the way back is a backup."""

from pathlib import Path

from tests.cli.program import Program
from tests.docs.pages import take
from tests.next_version import next_program
from tests.service import Service


def run(block: str, program: Program, *, upgraded: Program | None = None) -> None:
    """Run a block line by line: pip becomes the other program, systemctl does nothing."""
    backups = program.folder / "backups"
    backups.mkdir(exist_ok=True)
    current = program
    for line in block.splitlines():
        script = line.replace("/var/backups/plantstore", str(backups))
        (*_, made) = ["", *(path.name for path in backups.iterdir())]
        script = script.replace("plants-20301231T235959.123Z.db", f"{made} --yes")
        if "/pip install" in line:
            current = upgraded or program
        elif not line.startswith("systemctl"):
            done = current.in_shell(script)
            assert done.status == 0, done


def test_an_upgrade_and_the_way_back(tmp_path: Path) -> None:
    without_stop, with_stop, back = take("upgrade.md")
    for number, block in enumerate((without_stop, with_stop)):
        folder = tmp_path / str(number)
        folder.mkdir()
        program = Program(folder)
        with Service(folder, database=program.database) as service:
            token = service.make_token()
            with service.client(token) as client:
                assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
        run(block, program, upgraded=next_program(program))
        assert "newer than this program's" in program.refusal("migrate")
        run(back, program)
        with Service(folder, database=program.database) as service, service.client(token) as client:
            assert client.get("/plants").json() == [{"name": "Fern"}]
