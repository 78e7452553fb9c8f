"""SQLite finds plants by keys, and looks at no more of a store than it lists."""

from contextlib import closing
from pathlib import Path

import pytest

from plantstore.sql.queries import load_queries
from plantstore.sqlite.connection import connect, prepare

ARGUMENTS = (1, 0, 10, "a", "a")


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        ("read_page_of_tag", 5),
        ("find_last_of_limit_and_tag", 4),
    ],
)
def test_plants_of_a_tag_are_found_by_the_tag(tmp_path: Path, query: str, arguments: int) -> None:
    path = tmp_path / "plants.db"
    prepare(path)
    sql = load_queries("plantstore.sqlite")[query]
    with closing(connect(path)) as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", ARGUMENTS[:arguments]).fetchall()
    searches = [str(step[-1]) for step in plan if " plants " in str(step[-1])]
    assert len(searches) == 2
    for search in searches:
        assert search.endswith("INDEX plants_by_tag (store_id=? AND tag=? AND id>?)")
