"""Targets of requests: paths are taken as they are written, and never guessed."""

import pytest

from tests.http.expect import expect_clean_end, expect_error
from tests.http.raw import Connection, Message, exchange
from tests.service import Service


def ask(token: str, target: str, method: str = "GET") -> Message:
    return Message(method, target).adding("Authorization", f"Bearer {token}")


OTHER_TARGETS = (
    "/plants/",
    "//plants",
    "/plants//",
    "/plants//1",
    "/./plants",
    "/plants/../plants",
    "/x/../plants",
    "/%2e/plants",
    "/plants%2F",
    "/plants%2F1",
    "/stores//plants",
    "/stores/{store}/",
    "/stores/{store}/plants/",
    "/stores/{store}//plants",
    "/stores/{store}/./plants",
    "/stores/{store}/../{store}/plants",
    "/stores%2F{store}/plants",
    "/stores/{store}%2Fplants",
    "/stores/{store}/plants/1/2",
    "/plants/1/2",
    "/plants;x=1",
    "/Plants",
    "/plants%20",
    "/plants%00",
    "/livez/",
    "/%6Civez",
    "/openapi",
    "//",
)


def test_another_path_is_not_taken_for_one_of_ours(
    service: Service, token: str, store: str
) -> None:
    for target in OTHER_TARGETS:
        for method in ("GET", "DELETE"):
            with Connection(service.origin) as connection:
                answer = connection.ask(ask(token, target.format(store=store), method))
                expect_error(answer, 40402)
                expect_clean_end(connection, answer)


@pytest.mark.parametrize("target", ["/%70lants", "/plant%73", "/stores/%73{rest}/plants"])
def test_a_path_may_be_percent_encoded(
    service: Service, token: str, store: str, target: str
) -> None:
    message = ask(token, target.format(rest=store[1:]))
    assert exchange(service.origin, message).body == b"[]"


@pytest.mark.parametrize("origin", ["http://test", "HTTP://x:80", "https://test"])
def test_an_absolute_target_is_its_path(service: Service, token: str, origin: str) -> None:
    for path in ("/plants", "/plants?limit=0"):
        assert exchange(service.origin, ask(token, origin + path)).body == b"[]"
    root = exchange(service.origin, Message("GET", "/")).body
    for path in ("", "?limit=0"):
        assert exchange(service.origin, Message("GET", origin + path)).body == root


def test_an_asterisk_is_the_server_and_only_for_options(service: Service) -> None:
    answer = exchange(service.origin, Message("OPTIONS", "*"))
    assert (answer.status, answer.headers["allow"]) == (204, "GET, HEAD, OPTIONS")
    for method in ("GET", "POST"):
        expect_error(exchange(service.origin, Message(method, "*")), 40011)


@pytest.mark.parametrize("size", [8 * 1024, 8 * 1024 - 1])
def test_a_target_up_to_the_bound_is_read(service: Service, token: str, size: int) -> None:
    target = "/plants?x=".ljust(size, "x")
    assert exchange(service.origin, ask(token, target)).body == b"[]"


@pytest.mark.parametrize("size", [8 * 1024 + 1, 9 * 1024])
@pytest.mark.parametrize("piece", [1000, 100_000])
def test_a_target_over_the_bound_is_refused(service: Service, size: int, piece: int) -> None:
    request = Message("GET", "/plants?x=".ljust(size, "x")).to_bytes()
    with Connection(service.origin) as connection:
        for start in range(0, len(request), piece):
            connection.send(request[start : start + piece])
        expect_error(connection.receive(), 41401)


@pytest.mark.parametrize("target", ["/plants#x", "/plants?limit=0#x"])
def test_a_fragment_is_no_part_of_the_target(service: Service, token: str, target: str) -> None:
    assert exchange(service.origin, ask(token, target)).body == b"[]"
