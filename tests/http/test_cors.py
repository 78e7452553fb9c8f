"""CORS headers, and OPTIONS."""

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


def test_options_lists_the_methods_without_a_token(fixture: StoreFixture) -> None:
    for route in ROUTES:
        response = fixture.send(Message("OPTIONS", route.path.format(store=fixture.store)))
        assert (response.status, response.body) == (204, b"")
        assert response.headers["allow"] == route.allow
        assert response.headers["access-control-allow-methods"] == route.allow
        assert "x-request-id" in response.headers


def test_options_does_not_reveal_whether_a_plant_or_store_exists(client: httpx.Client) -> None:
    for path in ("/plants/not-an-id", "/stores/nowhere/plants"):
        assert client.options(path).status_code == 204
    expect_refused(client.options("/nowhere"), 40402)


def test_a_preflight_from_any_origin_is_allowed_by_default(client: httpx.Client) -> None:
    response = preflight(client, PAGE)
    assert response.status_code == 204
    assert response.headers["access-control-allow-origin"] == "*"
    assert {
        "Authorization",
        "Content-Type",
        "Idempotency-Key",
        "If-None-Match",
        "Traceparent",
        "X-Request-Id",
    } <= split(response.headers["access-control-allow-headers"])
    assert {"GET", "POST"} <= split(response.headers["access-control-allow-methods"])
    assert int(response.headers["access-control-max-age"]) > 0


def test_every_response_is_readable_from_any_origin_by_default(fixture: StoreFixture) -> None:
    for route in ROUTES:
        message = fixture.message(route).with_header("Origin", PAGE)
        for variant in (message, message.without("Authorization"), message.with_target("/nowhere")):
            response = fixture.send(variant)
            assert response.headers["access-control-allow-origin"] == "*"
            assert split(response.headers["access-control-expose-headers"]) == EXPOSED


def test_requests_without_an_origin_get_no_cors_headers(client: httpx.Client) -> None:
    headers = client.get("/plants").headers
    assert not [name for name in headers if name.startswith("access-control")]
    assert headers["vary"] == "Accept, Accept-Encoding, Authorization"


def responses_to(service: Service, origin: str) -> list[httpx.Response]:
    """The responses to a preflight, a list and a refused request from this origin."""
    with service.client(service.make_token()) as client:
        others = (client.get(path, headers={"Origin": origin}) for path in ("/plants", "/x"))
        responses = [preflight(client, origin), *others]
    assert [response.status_code for response in responses] == [204, 200, 404]
    return responses


def test_only_listed_origins_are_allowed(start: StartService) -> None:
    second = "http://localhost:3000"
    service = start(cors_origins=f"{PAGE} {second}")
    for origin in (PAGE, second):
        for response in responses_to(service, origin):
            assert response.headers["access-control-allow-origin"] == origin
            assert "Origin" in response.headers.get_list("vary")
    for origin in (OTHER_PAGE, "null", f"{PAGE}.evil.example", PAGE.upper(), f"{PAGE}:80", "*"):
        for response in responses_to(service, origin):
            assert "access-control-allow-origin" not in response.headers
            assert "Origin" in response.headers.get_list("vary")


def test_no_origin_is_allowed_with_cors_origins_none(start: StartService) -> None:
    service = start(cors_origins="none")
    for origin in (PAGE, "*", "null"):
        for response in responses_to(service, origin):
            assert not [name for name in response.headers if name.startswith("access-control")]


def test_errors_of_the_connection_have_cors_headers(fixture: StoreFixture) -> None:
    live = Message("GET", "/livez").with_header("Origin", PAGE)
    refused = {
        40011: live.with_header("Host", "other"),
        41401: live.with_target("/" + "x" * 9000),
        43101: live.with_header("X", "x" * 17_000),
        50101: Message("FOO", "/livez", live.headers),
    }
    for number, message in refused.items():
        response = fixture.send(message)
        assert response.number == number
        assert response.headers["access-control-allow-origin"] == "*"
        assert "X-Request-Id" in response.headers["access-control-expose-headers"]
