"""What a create answers and leaves behind."""

import json

import httpx
import pytest

from tests.http.calls import create, create_plant, expect_refused, list_plants


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (b'{"id":1,"name":"Monstera","tag":"tropical"}', b'{"name":"Monstera","tag":"tropical"}'),
        (b'{"id":1,"name":"Monstera"}', b'{"name":"Monstera"}'),
        (
            b'{"name":"\\u00c4hre \\"q\\" \\\\ \\/","id":1}',
            '{"name":"Ähre \\"q\\" \\\\ /"}'.encode(),
        ),
    ],
)
def test_the_answer_is_the_plant_and_nothing_else(
    client: httpx.Client, body: bytes, answer: bytes
) -> None:
    created = create(client, body)
    assert created.status_code == 200
    assert created.content == answer
    assert created.headers["content-type"] == "application/json"
    assert created.headers["content-length"] == str(len(answer))
    assert created.headers["cache-control"] == "no-store"
    always = {"date", "x-request-id", "x-content-type-options"}
    assert set(created.headers) == always | {"content-type", "content-length", "cache-control"}


@pytest.mark.parametrize(
    ("stored", "sent", "number"),
    [
        ({"name": "Fern"}, {"name": "Fern"}, 40004),
        ({"name": "Fern", "tag": "a"}, {"tag": "a", "name": "Fern"}, 40004),
        ({"name": "Fern"}, {"name": "Fern", "colour": "green"}, 40004),
        ({"name": "Fern"}, {"name": "fern"}, 40003),
        ({"name": "Fern"}, {"name": "Fern", "tag": "a"}, 40003),
        ({"name": "Fern", "tag": "a"}, {"name": "Fern"}, 40003),
        ({"name": "Fern", "tag": "a"}, {"name": "Fern", "tag": "A"}, 40003),
        ({"name": "é"}, {"name": "e\u0301"}, 40003),
    ],
)
def test_a_taken_id_is_refused_and_the_stored_plant_stays(
    client: httpx.Client, stored: dict[str, str], sent: dict[str, str], number: int
) -> None:
    create_plant(client, 1, **stored)
    message = expect_refused(create(client, json.dumps({"id": 1} | sent)), number)
    assert "the id 1" in message
    assert list_plants(client) == [{"id": 1} | stored]


def test_all_keys_but_the_plants_are_ignored(client: httpx.Client) -> None:
    body = {"ID": 9, "id": 1, "name": "Fern", "Name": "no", "": 0, "x": {"id": [None, {}, 1.5e3]}}
    assert create(client, json.dumps(body)).json() == {"name": "Fern"}
    assert list_plants(client) == [{"id": 1, "name": "Fern"}]


@pytest.mark.parametrize(
    "body",
    [
        b'{"id":9,"name":"No","tag":"no","id":1,"name":"Fern","tag":"a"}',
        b'{"id":"x","name":4,"tag":null,"id":1,"name":"Fern","tag":"a"}',
        b'{"id":1.0,"name":"","tag":"","id":1,"name":"Fern","tag":"a"}',
        b'{"id":1,"name":"Fern","\\u0074ag":"b","tag":"a"}',
    ],
)
def test_of_a_repeated_key_the_last_counts(client: httpx.Client, body: bytes) -> None:
    assert create(client, body).json() == {"name": "Fern", "tag": "a"}
    assert list_plants(client) == [{"id": 1, "name": "Fern", "tag": "a"}]
