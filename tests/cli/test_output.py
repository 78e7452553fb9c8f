"""The layout of tables and records."""

import pytest

from plantstore.cli.output import Output

OUTPUT = Output(as_json=False, quiet=False)


def test_columns_align_with_wide_and_combining_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [{"name": "植物", "id": 1}, {"name": "e\u0301", "id": 2}, {"name": "Efeu", "id": 3}]
    OUTPUT.print_records(rows, ("name", "id"))
    output = capsys.readouterr().out
    assert output == "name  id\n植物  1\ne\u0301     2\nEfeu  3\n"


def test_a_long_cell_is_whole_and_does_not_widen_other_rows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    OUTPUT.print_records([{"name": "x" * 1000, "id": 1}, {"name": "Efeu", "id": 2}], ("name", "id"))
    header, long, short = capsys.readouterr().out.splitlines()
    assert long == "x" * 1000 + "  1"
    assert len(header) == len("id") + len(short) - 1 < 80


def test_each_list_element_is_on_its_own_line(capsys: pytest.CaptureFixture[str]) -> None:
    OUTPUT.print_record({"problems": ["the disk, full", "no backup"]})
    assert capsys.readouterr().out == "problems  the disk, full\n          no backup\n"
