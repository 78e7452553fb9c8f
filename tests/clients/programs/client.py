"""What a program does with our client: the address and a token are arguments, JSON is printed."""

import json
import sys
from itertools import islice

from plantstore_client import Change, Plant, PlantStore, Refused

great = 2**53 + 1
with PlantStore(*sys.argv[1:]) as store:
    plant = store.create(Plant(great, "Acer", "bed 3"))
    updated = store.update(Plant(great, "Acer rubrum"), if_match=plant.etag)
    try:
        store.update(plant, if_match=plant.etag)
    except Refused as refused:
        late = refused.error
    before = store.revision()
    changes = [Change("create", number, f"Plant {number}") for number in range(2500)]
    changes += [Change("update", -1, "None"), Change("delete", 7)]
    changes.append(Change("upsert", 8, "Fern\u2028"))
    statuses = [result.status for _, result in store.change(changes)]
    try:
        store.change_all([Change("delete", 9), Change("delete", 7)])
    except Refused as refused:
        none = [refused.error, refused.line]
    done = store.change_all([Change("delete", 9), Change("create", 7, "Moss")])
    store.delete(8)
    plants = list(store.plants())
    events = [event.revision for event in store.events(after=before)]
    heard = [
        f"{event.kind} {event.plant.id}" for event in islice(store.listen(after=before + 2500), 5)
    ]
last = plants[-1]
print(
    json.dumps(
        {
            "last": [str(last.id), last.name, last.etag == updated.etag],
            "late": late,
            "statuses": [len(statuses), statuses.count(200), *statuses[-3:]],
            "none": none,
            "all": [result.status for result in done],
            "count": len(plants),
            "events": len(events),
            "heard": heard,
        }
    )
)
