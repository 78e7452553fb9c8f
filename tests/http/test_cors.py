"""CORS: which pages may call the service, and OPTIONS."""

import httpx

from tests.http.calls import expect_refused
from tests.http.conftest import StartService
from tests.http.fixtures import StoreFixture
from tests.http.raw import Message
from tests.http.routes import ROUTES
from tests.service import Service

PAGE, OTHER_PAGE = "https://garden.example", "https://evil.example"
EXPOSED = {
    *("Allow", "ETag", "Idempotent-Replayed", "Link", "Refused-Line", "Retry-After"),
    *("Location", "Store-Revision", "WWW-Authenticate", "X-Request-Id", "X-Total-Count"),
}


def preflight(client: httpx.Client, origin: str) -> httpx.Response:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type, idempotency-key",
    }
    return client.options("/plants", headers=headers)


def split(value: str) -> set[str]:
    return set(value.split(", "))


def test_options_tells_the_methods_without_a_token(fixture: StoreFixture) -> None:
    for route in ROUTES:
        answer = fixture.send(Message("OPTIONS", route.path.format(store=fixture.store)))
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["allow"] == route.allow
        accepted = answer.headers.get("accept-post", "")
        types = (
            ("application/json", "application/x-ndjson, text/csv")
            if "POST" in route.allow
            else ("",)
        )
        assert accepted in types
        assert answer.headers["access-control-allow-methods"] == route.allow
        assert "x-request-id" in answer.headers


def test_options_tells_nothing_of_what_is_there(client: httpx.Client) -> None:
    for path in ("/plants/not-an-id", "/stores/nowhere/plants"):
        assert client.options(path).status_code == 204
    expect_refused(client.options("/nowhere"), 40402)


def test_a_preflight_of_any_page_is_allowed(client: httpx.Client) -> None:
    answer = preflight(client, PAGE)
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    assert {
        "Authorization",
        "Content-Type",
        "Idempotency-Key",
        "If-None-Match",
        "Traceparent",
        "X-Request-Id",
    } <= split(answer.headers["access-control-allow-headers"])
    assert {"GET", "POST"} <= split(answer.headers["access-control-allow-methods"])
    assert int(answer.headers["access-control-max-age"]) > 0


def test_any_page_may_read_any_answer(fixture: StoreFixture) -> None:
    for route in ROUTES:
        message = fixture.message(route).adding("Origin", PAGE)
        for asked in (message, message.without("Authorization"), message.aimed_at("/nowhere")):
            answer = fixture.send(asked)
            assert answer.headers["access-control-allow-origin"] == "*"
            assert split(answer.headers["access-control-expose-headers"]) == EXPOSED


def test_who_is_no_page_sees_nothing_of_cors(client: httpx.Client) -> None:
    headers = client.get("/plants").headers
    assert not [name for name in headers if name.startswith("access-control")]
    assert headers["vary"] == "Accept, Accept-Encoding, Authorization"


def answers_to(service: Service, origin: str) -> list[httpx.Response]:
    """What a page of this origin gets: to a preflight, to a list, and to a refused request."""
    with service.client(service.make_token()) as client:
        asked = (client.get(path, headers={"Origin": origin}) for path in ("/plants", "/x"))
        answers = [preflight(client, origin), *asked]
    assert [answer.status_code for answer in answers] == [204, 200, 404]
    return answers


def test_only_listed_pages_are_allowed(start: StartService) -> None:
    second = "http://localhost:3000"
    service = start(cors_origins=f"{PAGE} {second}")
    for origin in (PAGE, second):
        for answer in answers_to(service, origin):
            assert answer.headers["access-control-allow-origin"] == origin
            assert "Origin" in answer.headers.get_list("vary")
    for origin in (OTHER_PAGE, "null", f"{PAGE}.evil.example", PAGE.upper(), f"{PAGE}:80", "*"):
        for answer in answers_to(service, origin):
            assert "access-control-allow-origin" not in answer.headers
            assert "Origin" in answer.headers.get_list("vary")


def test_no_page_is_allowed_where_none_is_listed(start: StartService) -> None:
    service = start(cors_origins="none")
    for origin in (PAGE, "*", "null"):
        for answer in answers_to(service, origin):
            assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_page_can_read_what_the_connection_refuses(fixture: StoreFixture) -> None:
    live = Message("GET", "/livez").adding("Origin", PAGE)
    refused = {
        40011: live.adding("Host", "other"),
        41401: live.aimed_at("/" + "x" * 9000),
        43101: live.adding("X", "x" * 17_000),
        50101: Message("FOO", "/livez", live.headers),
    }
    for number, message in refused.items():
        answer = fixture.send(message)
        assert answer.number == number
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "X-Request-Id" in answer.headers["access-control-expose-headers"]
