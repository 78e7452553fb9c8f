"""The name of the pages' files' folder stands for all of them."""

from plantstore.features.page.building import hash_files

FILES = {"a.js": b"let a;", "b.js": b"let b;"}


def test_the_same_files_have_the_same_folder() -> None:
    assert hash_files(FILES) == hash_files(dict(reversed(FILES.items())))


def test_other_files_have_another() -> None:
    swapped = dict(zip(FILES, reversed(FILES.values()), strict=True))
    others = [
        FILES,
        FILES | {"b.js": b"let b"},
        swapped,
        FILES | {"c.js": b""},
        {"a.js": b"let a;"},
    ]
    assert len({hash_files(files) for files in others}) == len(others)
