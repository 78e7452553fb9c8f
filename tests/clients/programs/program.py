"""A client of the three operations, typed by a document. Arguments: origin and token."""

import json
import sys

from client import AuthenticatedClient
from client.api.default import delete_plants_id, get_plants, post_plants
from client.models import Error, NewPlant, Plant

origin, token = sys.argv[1:]
client = AuthenticatedClient(origin, token)
plant = NewPlant(id=8, name="Fern", tag="herb")
created = post_plants.sync(client=client, body=plant)
assert isinstance(created, Plant)
refused = post_plants.sync(client=client, body=plant)
assert isinstance(refused, Error)
number: int = refused.error
listed = get_plants.sync(client=client, limit=10)
assert isinstance(listed, list)
plants: list[Plant] = listed
names: list[str] = [item.name for item in plants]
deleted = delete_plants_id.sync_detailed(plant.id, client=client)
print(json.dumps([created.to_dict(), number, names, deleted.status_code]))
