"""All fields of a plant survive an import, an export and a copy."""

import json
from pathlib import Path

from plantstore.databases import migrate
from tests.cli.program import Program
from tests.plants import FULL_JSON

HEADER = ",".join(FULL_JSON)
ROW = ",".join(map(str, FULL_JSON.values()))


def test_a_plant_is_imported_exported_and_copied_with_all_its_fields(tmp_path: Path) -> None:
    program = Program(tmp_path).with_database()
    target = f"sqlite:///{tmp_path / 'target.db'}"
    migrate(target)
    program.make_store("nursery")
    # The first copy reads the plants, the second copy reads the events since then.
    for plant_id in ("7", "8"):
        csv = f"{HEADER}\r\n{ROW.replace('7', plant_id)}\r\n"
        program.out("import", "-", "--store", "nursery", stdin=csv)
        program.out("copy", "--from", program.database, "--to", target)
    for url in (program.database, target):
        for form in ("csv", "ndjson"):
            file = tmp_path / f"plants.{form}"
            program.out("--database", url, "export", str(file), "--store", "nursery")
        plants = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        assert plants == [FULL_JSON, FULL_JSON | {"id": 8}]
        assert (tmp_path / "plants.csv").read_text(encoding="utf-8").split() == [
            HEADER,
            ROW,
            ROW.replace("7", "8"),
        ]
