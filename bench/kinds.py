"""The requests that floods and their victims send, with a new number each time."""

from msgspec import Struct


class Kind(Struct, frozen=True):
    """Requests of one kind, each with a body of ``count`` lines, and their expected ``status``."""

    path: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    line: str = ""
    count: int = 0
    status: int = 200


_NEW_PLANT = '{"id":NUMBER,"name":"Monstera deliciosa"}\n'
_1K_PLANT = f'{{"id":NUMBER,"name":"{1000 * "F"}"}}\n'
_LARGE_PLANT = f'{{"id":NUMBER,"name":"{1000 * "🌿"}","tag":"{256 * "🌿"}"}}\n'  # the largest
_PLANT = '{"name":"Monstera NUMBER"}\n'  # a new name each time, else nothing is written
_CHANGE = '{"op":"upsert","id":1NUMBER,"name":"Monstera deliciosa"}\n'
_LARGE_CHANGE = _LARGE_PLANT.replace("{", '{"op":"upsert",', 1).replace(":N", ":1N", 1)
_TAGS = "&".join(f"tag=t{n}" for n in range(45))
_OF_JSON = (("Content-Type", "application/json"),)
_OF_NDJSON = (("Content-Type", "application/x-ndjson"),)
_PAGE = "?limit=LIMIT&n=NUMBER"
KINDS = {
    "changes": Kind("/changes", "POST", _OF_NDJSON, _CHANGE, 1000),
    "changes-3": Kind("/changes", "POST", _OF_NDJSON, _CHANGE, 3),
    "changes-atomic": Kind("/changes?atomic=true", "POST", _OF_NDJSON, _CHANGE, 1000),
    "changes-atomic-32-large": Kind("/changes?atomic=true", "POST", _OF_NDJSON, _LARGE_CHANGE, 32),
    "changes-atomic-50": Kind("/changes?atomic=true", "POST", _OF_NDJSON, _CHANGE, 50),
    "create": Kind("/plants", "POST", _OF_JSON, _NEW_PLANT, 1),
    "create-1k": Kind("/plants", "POST", _OF_JSON, _1K_PLANT, 1),
    "create-large": Kind("/plants", "POST", _OF_JSON, _LARGE_PLANT, 1),
    "events": Kind(f"/events{_PAGE}"),
    "list": Kind(f"/plants{_PAGE}"),
    "list-100": Kind("/plants?limit=100"),
    "list-all": Kind("/plants?n=NUMBER"),
    "list-csv-all": Kind("/plants?n=NUMBER", headers=(("Accept", "text/csv"),)),
    "list-etag": Kind(f"/plants{_PAGE}&include=etag"),
    "list-same": Kind("/plants?limit=1"),
    "list-short": Kind("/plants?limit=1&n=NUMBER"),
    "list-tags": Kind(f"/plants{_PAGE}&{_TAGS}"),
    "listeners": Kind("/events", headers=(("Accept", "text/event-stream"),)),
    "me": Kind("/me"),
    "member": Kind("/members/ada", "PUT", _OF_JSON, '{"role":"reader"}\n', 1),
    "refused": Kind("/plants/1", "PUT", _OF_JSON, _NEW_PLANT, 1, 400),
    "replace": Kind("/plants/1", "PUT", _OF_JSON, _PLANT, 1),
    "tags": Kind("/tags?limit=LIMIT&n=NUMBER"),
}
