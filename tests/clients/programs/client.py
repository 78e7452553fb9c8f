"""A program that uses our client. Arguments: origin and token; prints its results as JSON."""

import json
import sys
from itertools import islice

from plantstore_client import Change, Plant, PlantStore, Refused

big_id = 2**53 + 1
with PlantStore(*sys.argv[1:]) as store:
    plant = store.create(Plant(big_id, "Acer", "bed 3"))
    updated = store.update(Plant(big_id, "Acer rubrum"), if_match=plant.etag)
    try:
        store.update(plant, if_match=plant.etag)
    except Refused as refused:
        conflict = refused.error
    before = store.revision()
    changes = [Change("create", number, f"Plant {number}") for number in range(2500)]
    changes += [Change("update", -1, "None"), Change("delete", 7)]
    changes.append(Change("upsert", 8, "Fern\u2028"))
    statuses = [result.status for _, result in store.change(changes)]
    try:
        store.change_all([Change("delete", 9), Change("delete", 7)])
    except Refused as refused:
        refusal = [refused.error, refused.line]
    atomic_results = store.change_all([Change("delete", 9), Change("create", 7, "Moss")])
    store.delete(8)
    plants = list(store.plants())
    events = [event.revision for event in store.events(after=before)]
    received = [
        f"{event.kind} {event.plant.id}" for event in islice(store.listen(after=before + 2500), 5)
    ]
last = plants[-1]
print(
    json.dumps(
        {
            "last": [str(last.id), last.name, last.etag == updated.etag],
            "conflict": conflict,
            "statuses": [len(statuses), statuses.count(200), *statuses[-3:]],
            "refusal": refusal,
            "all": [result.status for result in atomic_results],
            "count": len(plants),
            "events": len(events),
            "received": received,
        }
    )
)
