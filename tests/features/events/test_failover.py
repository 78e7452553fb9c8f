"""Who listens goes on where they were, at the server that takes over."""

from contextlib import ExitStack
from pathlib import Path

from tests.features.events.follower import assert_followed, following
from tests.postgres.test_failover import ENDS, fail_over, serve_on, servers


@ENDS
def test_listeners_on_postgres_follow_the_writable_server(tmp_path: Path, end: str) -> None:
    with servers(tmp_path) as found, ExitStack() as stack:
        service = stack.enter_context(serve_on(found, end, tmp_path))
        token = service.make_token()
        followers = stack.enter_context(following(service, token))
        fail_over(found, end, service, token, stack)
        # They wait where there is no server.
        assert_followed(service, "nursery", followers)
        assert [follower.streams for follower in followers] == [1] * len(followers)
        assert "Traceback" not in service.log()
