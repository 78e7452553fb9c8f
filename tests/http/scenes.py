"""The former name of ``fixtures``, for tests elsewhere that use it still."""

from tests.http.fixtures import LISTS, make_fixture

__all__ = ["LISTS", "make_scene"]
make_scene = make_fixture
