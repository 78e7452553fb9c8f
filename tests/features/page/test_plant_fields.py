"""The page's copies of the fields of a plant and of their limits match the service's."""

import re

from building.document import PACKAGE
from plantstore.core.model import OPTIONAL_FIELDS, PLANT_FIELDS, TEXT_LENGTHS

PAGE = PACKAGE / "features" / "page"
SCRIPTS = {file.stem: file.read_text(encoding="utf-8") for file in PAGE.glob("static/*.js")}
HTML = (PAGE / "index.html").read_text(encoding="utf-8")
# Scripts that pass plants on without reading single fields.
FIELD_AGNOSTIC = ("api", "export", "importer", "queue", "tables")


def test_the_page_has_the_same_text_limits_as_the_service() -> None:
    table = re.findall(
        r"^  (\w+): \{ min: (\d+), max: ([\d_]+), isOptional: (\w+) \},$",
        SCRIPTS["plant"],
        re.MULTILINE,
    )
    limits = {field: (int(longest), int(shortest)) for field, shortest, longest, _ in table}
    assert limits == TEXT_LENGTHS
    assert list(limits) == list(TEXT_LENGTHS)
    assert {field for field, *_, optional in table if optional == "true"} == set(OPTIONAL_FIELDS)


def test_the_plant_type_of_the_scripts_has_exactly_the_plant_fields() -> None:
    (plant,) = re.findall(
        r"interface Plant \{(.*?)\}", (PAGE / "types.d.ts").read_text(encoding="utf-8"), re.DOTALL
    )
    fields = dict(re.findall(r"^  (\w+)(\??): string;$", plant, re.MULTILINE))
    for derived in ("folded", "etag"):
        del fields[derived]
    optional = {field: "?" if field in OPTIONAL_FIELDS else "" for field in PLANT_FIELDS}
    assert fields == optional


def test_each_field_has_inputs_to_add_edit_and_import_and_a_column() -> None:
    ids = set(re.findall(r'<(?:input|select|textarea) id="([^"]+)"', HTML))
    assert ids >= {f"{form}-{field}" for form in ("add", "import") for field in PLANT_FIELDS}
    assert ids >= {f"panel-{field}" for field in TEXT_LENGTHS}
    tables = [line for line in HTML.splitlines() if '<th scope="col" data-t="name"></th>' in line]
    assert len(tables) == 3  # the preview of an import, the dialog of a conflict, the print
    for line in tables:
        for field in TEXT_LENGTHS:
            assert f'<th scope="col" data-t="{field}"></th>' in line


def test_scripts_that_only_pass_plants_on_name_no_optional_field() -> None:
    for script in FIELD_AGNOSTIC:
        code = re.sub(r"//.*|/\*.*?\*/", "", SCRIPTS[script])
        assert not set(re.findall(r"\w+", code)) & set(OPTIONAL_FIELDS), script
