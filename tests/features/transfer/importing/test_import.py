"""What `plantstore import` reads, writes and refuses, beside the running service."""

import csv
import gzip
import json
from pathlib import Path

import httpx
import pytest

from tests.cli.program import UNPRIVILEGED, Program
from tests.cli.test_check import unchanged
from tests.databases import SQLITE_ONLY
from tests.features.transfer.copying.fixtures import PLANTS, list_plants
from tests.service import Service

ROSE, FERN = {"id": 7, "name": "Rose", "tag": "red"}, {"id": 9, "name": "Fern"}
CSV = "id,name,tag\r\n9,Fern,\r\n7,Rose,red\r\n"


def write(program: Program, text: str | bytes, name: str = "plants.csv") -> str:
    content = text if isinstance(text, bytes) else text.encode()
    (program.folder / name).write_bytes(content)
    return name


def test_imported_plants_have_events_and_are_listed_at_once(
    program: Program, service: Service, store: str, client: httpx.Client
) -> None:
    before = client.get("/plants?include=id")
    summary = program.data("import", write(program, CSV), "--store", store)
    assert summary["imported"] == 2
    changed = {"If-None-Match": before.headers["ETag"]}
    after = client.get("/plants?include=id", headers=changed)
    assert after.json() == [ROSE, FERN]
    assert after.headers["X-Total-Count"] == "2"
    events = [(e.kind, e.plant.id, e.token_label) for e in service.events(store)]
    assert events == [("plant.created", i, "plantstore import") for i in (7, 9)]
    assert client.post("/plants", json={"id": 8, "name": "Lily"}).status_code == 200
    first, second, third = (event.revision for event in service.events(store))
    assert (second, third) == (first + 1, first + 2)


@SQLITE_ONLY
@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + CSV.encode(),
        CSV.encode("utf-16"),
        b'sep=;\nTag;Note;ID;Name\n;x;9;Fern\n"red";"two\nlines";7;Rose\n',
        b"name\tid\ttag\nRose\t7\tred\n\nFern\t9\n",
        b'{"id":7,"name":"Rose","tag":"red"}\n\n{"id":9,"name":"Fern","more":[1]}',
        gzip.compress(CSV.encode()),
    ],
    ids=["bom", "utf-16", "semicolons", "tabs", "ndjson", "gzip"],
)
def test_the_format_is_detected_from_the_content(
    program: Program, store: str, client: httpx.Client, content: bytes
) -> None:
    program.out("import", write(program, content), "--store", store)
    assert list_plants(client) == [ROSE, FERN]


def test_invalid_lines_stop_the_import_unless_they_go_to_a_file(
    program: Program, store: str, client: httpx.Client
) -> None:
    text = (
        "id,name,tag\n7,Rose,red\nx,Lily,\n7,Rose,red\n7,Tulip,\n9,\xff,\n8,Ivy,a,b\n"
        '"9","Fe"rn\n9,Fern\n,Oak\n1,\u202e,\n'
    )
    name = write(program, text.encode().replace(b"\xc3\xbf", b"\xff"))
    refused = program.run("import", name, "--store", store)
    assert refused.status == 1
    assert "; repeated in the file: 1; lines with an error: 7\n" in refused.err
    assert "line 5: id 7 is already in line 2 (40003)" in refused.err
    assert "\n--errors FILE writes these lines to FILE, and imports the others\n" in refused.err
    assert list_plants(client) == []
    result = program.run("import", name, "--store", store, "--errors", "bad.csv", "--json")
    assert (result.status, result.data()["refused"]) == (1, 7)
    assert list_plants(client) == [ROSE, FERN]
    text = (program.folder / "bad.csv").read_text(encoding="utf-8", errors="surrogateescape")
    header, *rows = csv.reader(text.splitlines())
    assert header == ["line", "error", "reason", "id", "name", "tag"]
    assert [(*row[:2], *row[3:]) for row in rows] == [
        ("3", "40002", "x", "Lily", ""),
        ("5", "40003", "7", "Tulip", ""),
        ("6", "40001", "9", "\udcff", ""),
        ("7", "40002", "8", "Ivy", "a", "b"),
        ("8", "40001", '"9","Fe"rn'),
        ("10", "40002", "", "Oak"),
        ("11", "40002", "1", "\u202e", ""),
    ]


@SQLITE_ONLY
@pytest.mark.parametrize("count", [500, 1000])  # progress is measured after each 1,000th record
def test_a_quoted_cell_that_is_open_at_the_end_is_an_error_of_its_line(
    program: Program, store: str, count: int
) -> None:
    good = "".join(f"{n},Fern\n" for n in range(1, count))
    name = write(program, f'id,name\n{good}{count},"open')
    assert program.refusal("import", name, "--store", store, "--dry-run").splitlines() == [
        f"line {count + 1}: a quoted cell does not end at its closing quote (40001)",
        "--errors FILE writes these lines to FILE, and imports the others",
        f"would import plants into {store}: 0; lines with an error: 1",
    ]


@SQLITE_ONLY
def test_the_first_errors_are_shown_in_the_order_of_the_lines(
    program: Program, store: str, client: httpx.Client
) -> None:
    for plant in ({"id": 1, "name": "Oak"}, {"id": 9, "name": "Ash"}):
        assert client.post("/plants", json=plant).is_success
    name = write(program, "id,name\n9,Fern\nx,Lily\n1,Rose\n" + "x,Ivy\n" * 20)
    refused = program.refusal("import", name, "--store", store).splitlines()
    assert [line.partition(":")[0] for line in refused[:20]] == [f"line {n}" for n in range(2, 22)]
    assert refused[20] == "and 3 more"
    result = program.run("import", name, "--store", store, "--errors", "bad.csv")
    assert "--errors" not in result.err


def test_assigned_ids_follow_the_highest_id_and_go_to_a_private_file(
    program: Program, store: str, client: httpx.Client
) -> None:
    assert client.post("/plants", json={"id": 41, "name": "Oak"}).status_code == 200
    command = ("import", write(program, "name\n=B\nA\n"), "--store", store, "--assign-ids")
    program.out(*command, "--dry-run")
    assert not list(program.folder.glob("*.with-ids-*"))
    message = program.run(*command).err
    (numbered,) = program.folder.glob("plants.csv.with-ids-*.csv")
    assert str(numbered) in message
    assert numbered.stat().st_mode & 0o777 == 0o600
    assert numbered.read_bytes() == b"id,name,tag\r\n42,'=B,\r\n43,A,\r\n"
    # Another store gets ids of its own, and so does another file of the same name.
    program.make_store(f"{store}-other")
    program.out("import", "plants.csv", "--store", f"{store}-other", "--assign-ids")
    assert "\n1,'=B,\n" in program.out("export", "--store", f"{store}-other").replace("\r", "")
    program.out("import", write(program, '{"name":"C"}'), "--store", store, "--assign-ids")
    rows = list_plants(client)
    assert rows == [{"id": 41 + n, "name": text} for n, text in enumerate(("Oak", "=B", "A", "C"))]


@SQLITE_ONLY
@pytest.mark.parametrize("assigns", [False, True])
def test_a_spreadsheet_is_imported_with_columns_and_encoding(
    program: Program, store: str, client: httpx.Client, *, assigns: bool
) -> None:
    header = "Nr;Botanischer Name;Beet;name\r\n"
    sheet = f'{header}7;  Käthes Rose \t;"rot\r\noder weiß";x\r\n8;"  Fern ";;y\r\n'
    options = ["--columns", "Nr=id,botanischer name=name,Beet=tag", "--encoding", "cp1252"]
    if assigns:
        options = ["--assign-ids", *options]
    program.out("import", write(program, sheet.encode("cp1252")), "--store", store, *options)
    first = 1 if assigns else 7
    assert list_plants(client) == [
        {"id": first, "name": "Käthes Rose", "tag": "rot oder weiß"},
        {"id": first + 1, "name": "  Fern "},
    ]


@SQLITE_ONLY
def test_unknown_and_non_text_encodings_are_refused(program: Program, store: str) -> None:
    name = write(program, "id,name\n7,Rose\n")
    for encoding in ("cp12552", "rot13"):
        options = ("--store", store, "--encoding", encoding)
        assert "is not an encoding" in program.refusal("import", name, *options, status=2)


@SQLITE_ONLY
def test_a_corrected_errors_file_can_be_imported(
    program: Program, store: str, client: httpx.Client
) -> None:
    assert client.post("/plants", json={"id": 9, "name": "Other"}).is_success
    name = write(program, 'Note,id,name\nfirst,x,"  Rose"\nsecond,9,"\'=F "\nthird,1,Oak\n')
    assert program.run("import", name, "--store", store, "--errors", "bad.csv").status == 1
    errors = (program.folder / "bad.csv").read_text()
    corrected = errors.replace("first,x", "first,7").replace(",9,\"'=F", ",8,\"'=F")
    program.out("import", write(program, corrected), "--store", store)
    assert list_plants(client) == [
        {"id": 1, "name": "Oak"},
        {"id": 7, "name": "  Rose"},
        {"id": 8, "name": "=F "},
        {"id": 9, "name": "Other"},
    ]


def test_errors_do_not_replace_the_imported_file(program: Program, store: str) -> None:
    name = write(program, CSV)
    refused = program.refusal("import", name, "--errors", f"./{name}", "--store", store, status=2)
    assert "--errors would replace plants.csv: name another file" in refused
    assert (program.folder / name).read_bytes() == CSV.encode()


@SQLITE_ONLY
def test_written_files_do_not_replace_databases(program: Program, store: str) -> None:
    database = program.folder / "plants.db"
    program.out("migrate", PLANTSTORE_DATABASE=f"sqlite:///{database}")
    program.out("backup", str(database.with_name("copy.db")))
    (program.folder / "link.csv").symlink_to(database)
    name = write(program, CSV)
    in_use = (program.database.removeprefix("sqlite:///"), str(database))
    files = [file + end for file in in_use for end in ("", "-wal", "-shm", "-lock")]
    with unchanged(program.folder):
        for file in (*files, "link.csv", "copy.db", "copy.db-wal"):
            reason = "is a SQLite database" if "copy" in file else "is or was a database in use"
            for command in (("export", file), ("import", name, "--errors", file)):
                assert f"{file} {reason}: " in program.refusal(*command, "--store", store)
    assert "/ is not a regular file" in program.refusal("export", "/", "--store", store)


def test_an_import_respects_the_quota(
    program: Program, service: Service, store: str, client: httpx.Client
) -> None:
    with service.administration() as administration:
        administration.set_quota(store, 1)
    name = write(program, CSV)
    assert "the store is full" in program.refusal("import", name, "--store", store)
    assert list_plants(client) == []
    result = program.run("import", name, "--store", store, "--errors", "bad.csv")
    assert "line 2: the store is full" in result.err
    assert list_plants(client) == [ROSE]


@SQLITE_ONLY
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            b"id;Latin Name\n",
            "the columns: id, Latin Name; none is the name: name it with --columns 'HEADING=name'",
        ),
        (b"\x1b[31m\xff,Nr\n", "the columns: ?[31m?, Nr; none is the name"),
        (b"Nr,name\n", "the columns: Nr, name; none is the id: give --assign-ids"),
        (b"PK\x03\x04", "plants.csv is a workbook or an archive: open it with a spreadsheet"),
        (b"", "plants.csv is empty: give --allow-empty if that is right"),
        (b"id,name,ID\n", "two columns named id"),
        (b"[]", "a JSON array"),
        (gzip.compress(CSV.encode())[:-9], "cannot be decompressed"),
        (b"\x28\xb5\x2f\xfd", "decompress it with `zstd -d`"),
        (b"id,name\n1," + b"x" * 2**16, "line 2 of plants.csv is over 65536 characters"),
        (CSV.encode("utf-16")[:-1], "neither in UTF-8 nor in UTF-16"),
    ],
    ids=[
        "header",
        "binary",
        "no id",
        "workbook",
        "empty",
        "twice",
        "array",
        "gzip",
        "zstd",
        "long",
        "utf-16",
    ],
)
def test_an_unreadable_file_is_refused_and_nothing_is_imported(
    program: Program, service: Service, store: str, content: bytes, reason: str
) -> None:
    refused = program.refusal(
        "import", write(program, content), "--store", store, "--errors", "bad"
    )
    assert reason in refused
    assert service.events(store) == []


@SQLITE_ONLY
@pytest.mark.parametrize("more", [[], ["--assign-ids"]], ids=["ids", "new ids"])
def test_an_empty_file_is_accepted_if_that_is_right(
    program: Program, store: str, more: list[str]
) -> None:
    empty = ("import", write(program, b""), "--store", store, "--allow-empty", *more)
    assert program.data(*empty)["imported"] == 0


@SQLITE_ONLY
def test_new_ids_need_a_folder_that_can_be_written(program: Program, store: str) -> None:
    folder = program.folder / "read-only"
    folder.mkdir()
    write(program, "name\nRose\n", "read-only/plants.csv")
    folder.chmod(0o500)
    unprivileged = Program(folder, program.environ, UNPRIVILEGED)
    command = ("import", "--store", store, "--assign-ids")
    for file, way in (("plants.csv", "copy plants.csv to"), ("-", "run the command in")):
        refused = unprivileged.refusal(*command, file, stdin="name\nRose\n")
        assert f"the ids cannot be written to {folder}: {way} another folder" in refused
    folder.chmod(0o700)


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_an_import_of_an_export_restores_the_same_plants(
    program: Program, store: str, client: httpx.Client, form: str
) -> None:
    names = ("=1+1", "+", "-x", "@", "'=", "''", 'a"b', "a;b, c", " x ", "\ufeff")
    plants = [*PLANTS, *({"id": n, "name": name} for n, name in enumerate(names, 1))]
    for plant in plants:
        assert client.post("/plants", json=plant).status_code == 200
    program.make_store(f"{store}-again")
    script = f"plantstore export - --format {form} --store {store} |"
    result = program.in_shell(f"{script} plantstore import - --store {store}-again --json")
    assert result.data()["imported"] == len(plants)
    exports = [
        program.out("export", "--store", name, "--json") for name in (store, f"{store}-again")
    ]
    assert exports[0] == exports[1]
    assert [json.loads(line) for line in exports[0].split("\n")] == list_plants(client)


def test_an_export_is_private_and_a_refused_export_changes_nothing(
    program: Program, store: str, tmp_path: Path
) -> None:
    program.out("import", write(program, CSV), "--store", store)
    target = tmp_path / "tagged.csv.gz"
    target.write_bytes(b"before")
    program.out("export", str(target), "--store", store, "--tag", "red")
    assert gzip.decompress(target.read_bytes()) == b"id,name,tag\r\n7,Rose,red\r\n"
    assert target.stat().st_mode & 0o777 == 0o600
    before = sorted(tmp_path.iterdir())
    program.refusal("export", str(tmp_path / "none.csv"), "--store", "none")
    for name, advice in (("a.xlsx", "export to a .csv file"), ("a.json.gz", "name it .ndjson")):
        assert advice in program.refusal("export", name, "--store", store, status=2)
    assert sorted(tmp_path.iterdir()) == before


def test_a_written_file_replaces_a_symbolic_link_and_is_private(
    program: Program, store: str, tmp_path: Path
) -> None:
    """A link that somebody else has created must not choose which file is overwritten."""
    other_file = tmp_path / "theirs"
    other_file.write_text("before")
    for name in ("plants.out", "bad.out", "nowhere.out"):
        (tmp_path / name).symlink_to(other_file if name != "nowhere.out" else tmp_path / "new")
    program.out("export", str(tmp_path / "plants.out"), "--store", store)
    program.out("export", str(tmp_path / "nowhere.out"), "--store", store)
    name = write(program, "id,name\nx,Rose\n")
    errors = str(tmp_path / "bad.out")
    assert program.run("import", name, "--store", store, "--errors", errors).status == 1
    assert other_file.read_text() == "before"
    assert not (tmp_path / "new").exists()
    for written in tmp_path.glob("*.out"):
        assert (written.is_symlink(), written.stat().st_mode & 0o777) == (False, 0o600)
    assert "\n2,40002," in (tmp_path / "bad.out").read_text()
