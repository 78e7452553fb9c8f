"""What a delete takes, answers and leaves behind."""

import httpx
import pytest

from tests.http import non_integers
from tests.http.calls import create_plant, expect_refused, list_plants


def test_a_plant_is_deleted_without_a_word(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern")
    create_plant(client, 2, "Aloe")
    deleted = client.delete("/plants/1")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert set(deleted.headers) == {"date", "x-request-id", "x-content-type-options"}
    assert list_plants(client) == [{"id": 2, "name": "Aloe"}]


def test_any_int64_is_an_id(client: httpx.Client) -> None:
    written_ids = {str(number): number for number in (2**63 - 1, -(2**63), 0, -1)}
    for written, plant_id in (written_ids | {"-0": 0, "%31%32": 12, "%2D1": -1}).items():
        create_plant(client, plant_id, "Fern")
        assert client.delete(f"/plants/{written}").status_code == 204
        message = expect_refused(client.delete(f"/plants/{written}"), 40401)
        assert message == f"there is no plant with the id {plant_id} in this store"


def test_what_is_not_an_int64_is_refused(client: httpx.Client) -> None:
    encoded = ("%D9%A3", "%2B7", "%20", "1%20", "%201", "1%00", "1%0A", "%00", "%ff", "1;x", "*")
    for written in (*filter(None, non_integers.ALL), *encoded):
        expect_refused(client.delete(f"/plants/{written}"), 40009)


def test_a_query_of_a_delete_is_ignored(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern")
    assert client.delete("/plants/1?id=2&limit=x").status_code == 204


def test_a_body_of_a_delete_is_ignored(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern")
    create_plant(client, 2, "Aloe")
    assert client.request("DELETE", "/plants/1", json={"id": 2}).status_code == 204
    assert list_plants(client) == [{"id": 2, "name": "Aloe"}]


@pytest.mark.parametrize("target", ["/plants/", "/plants"])
def test_nothing_deletes_all_plants(client: httpx.Client, target: str) -> None:
    create_plant(client, 1, "Fern")
    assert client.delete(target).status_code in {404, 405}
    assert list_plants(client) == [{"id": 1, "name": "Fern"}]
