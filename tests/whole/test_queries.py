"""Every query is used."""

import re

from plantstore.sql.queries import load_queries
from tests.sqlite.test_queries import SOURCE, strings_of


def test_every_query_is_used() -> None:
    for adapter, other in (("sqlite", "postgres"), ("postgres", "sqlite")):
        files = [it for it in SOURCE.rglob("*.py") if not it.is_relative_to(SOURCE / other)]
        texts = set().union(*map(strings_of, files))
        names = set(load_queries(f"plantstore.{adapter}"))
        # Some names are composed of another name and a suffix, or by a format.
        used = {
            name
            for name in names
            if name in texts
            or any(name.startswith(text) and name[len(text) :] in texts for text in texts & names)
            or re.fullmatch(r"delete_(plants|events|keys)_of_store", name)
        }
        assert used == names
