"""Long lists: nobody has so many that others get none."""

from contextlib import ExitStack
from pathlib import Path

from tests.http.blocking import FILLER, fill_store, in_flight_stream
from tests.http.expect import expect_error
from tests.http.fixtures import LISTS, make_fixture
from tests.service import Service


def test_who_does_not_read_lists_leaves_others_theirs(tmp_path: Path, url: str) -> None:
    with Service(tmp_path, database=url, settings={"max_streams": 2}) as own:
        fixture, other = make_fixture(own), make_fixture(own)
        for one in (fixture, other):
            fill_store(own, one.store, 5000, 250, FILLER)
        with ExitStack() as stack:
            stack.enter_context(in_flight_stream(fixture))
            for method in LISTS[:2]:
                refused = fixture.send(fixture.message(method))
                expect_error(refused, 50301, method=method.method)
            assert len(other.send(other.message(LISTS[0])).json) == 5000
        for _ in range(6):  # each gives its place back
            assert other.send(other.message(LISTS[1])).status == 200
