"""Listeners continue on the server that takes over."""

from pathlib import Path

from tests.features.events.follower import assert_followed, following
from tests.postgres.test_failover import ENDS, End, failover


@ENDS
def test_listeners_on_postgres_follow_the_writable_server(
    tmp_path: Path, end: End, *, is_first: bool
) -> None:
    with (
        failover(tmp_path, end, is_first=is_first) as moved,
        following(moved.service, moved.token) as followers,
    ):
        moved.run()
        # The streams stay open while there is no server.
        assert_followed(moved.service, "nursery", followers)
        assert [follower.streams for follower in followers] == [1] * len(followers)
