import httpx


def test_a_plant_is_created_listed_and_deleted(client: httpx.Client) -> None:
    created = client.post("/plants", json={"id": 1, "name": "Monstera", "tag": "tropical"})
    assert (created.status_code, created.json()) == (200, {"name": "Monstera", "tag": "tropical"})
    assert client.get("/plants").json() == [{"name": "Monstera", "tag": "tropical"}]
    deleted = client.delete("/plants/1")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert client.get("/plants").json() == []
