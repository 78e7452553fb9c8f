"""Every valid plant survives a file of either format."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plantstore.core.model import (
    INT64_MAX,
    INT64_MIN,
    OPTIONAL_FIELDS,
    TEXT_LENGTHS,
    NewPlant,
    broken_rule,
)
from plantstore.features.transfer.export_command import FORMATS
from plantstore.features.transfer.source import open_source, read_plants

SPECIAL = st.sampled_from([*"'=+-@\",; \u2028\u00a0{[", "sep="])


def texts(field: str) -> st.SearchStrategy[str | None]:
    """Valid texts of a field, with many that are difficult in files."""
    longest, shortest = TEXT_LENGTHS[field]
    parts = st.lists(st.one_of(SPECIAL, st.characters()), min_size=1, max_size=longest)
    starts = st.sampled_from(["", "'=", "''", "=", '"'])
    whole = st.tuples(starts, parts).map(lambda both: both[0] + "".join(both[1]))
    allowed = whole.filter(lambda text: broken_rule(text, longest, shortest) is None)
    return st.none() | allowed if field in OPTIONAL_FIELDS else allowed


PLANTS = st.lists(
    st.builds(NewPlant, st.integers(INT64_MIN, INT64_MAX), *map(texts, TEXT_LENGTHS)),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize("form", ["csv", "ndjson"])
@given(plants=PLANTS)
def test_written_plants_are_read_back_unchanged(form: str, plants: list[NewPlant]) -> None:
    header, write_plants = FORMATS[form]
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(header + write_plants(plants))
        with open_source(file.name) as source:
            read = [plant for _, plant in read_plants(source)]
    assert read == plants
