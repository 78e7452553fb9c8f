"""Ready pages: those that are asked for again stay, whatever else is asked for once."""

from plantstore.http.answers import Answer
from plantstore.http.pages import ReadyPages

_SIZE = 100_000


def _put(pages: ReadyPages, revision: int, parameters: bytes) -> Answer:
    answer = Answer(200, [], parameters)
    pages.put((1, revision, None, parameters), answer)
    return answer


def _is_ready(pages: ReadyPages, revision: int, parameters: bytes) -> bool:
    return pages.get((1, revision, None, parameters)) is not None


def test_a_page_is_ready_from_the_second_time_on() -> None:
    pages = ReadyPages(_SIZE)
    _put(pages, 1, b"limit=1")
    assert not _is_ready(pages, 1, b"limit=1")
    _put(pages, 1, b"limit=1")
    assert _is_ready(pages, 1, b"limit=1")


def test_a_page_asked_for_at_each_revision_is_ready_at_once() -> None:
    pages = ReadyPages(_SIZE)
    _put(pages, 1, b"limit=1")
    _put(pages, 2, b"limit=1")
    assert _is_ready(pages, 2, b"limit=1")
    assert not _is_ready(pages, 1, b"limit=1")


def test_a_walk_through_a_long_list_pushes_nothing_out() -> None:
    pages = ReadyPages(_SIZE)
    for _ in range(2):
        _put(pages, 1, b"limit=1")
    for number in range(25_000):
        _put(pages, 1, b"after=%d" % number)
    assert _is_ready(pages, 1, b"limit=1")


def test_those_unused_for_longest_go_first() -> None:
    pages = ReadyPages(_SIZE)
    for number in range(1000):
        for _ in range(2):
            _put(pages, 1, b"after=%d" % number)
        assert number == 0 or _is_ready(pages, 1, b"after=0")
    assert not _is_ready(pages, 1, b"after=1")
    assert _is_ready(pages, 1, b"after=999")
