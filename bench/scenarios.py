"""The scenarios: a load, the size of the store, and the baseline.

``list`` requests the same page again, which is cached; ``read`` another page each time, from the
database; ``changed`` the same page after each create. ``-traced`` adds headers like a proxy, which
differ in each request; ``-keyed`` an Idempotency-Key.
"""

from msgspec import Struct
from msgspec.structs import replace

from bench.stores import SPACING

NGINX, PGBENCH = "nginx", "pgbench"
_NEW_PLANT = b'{"id":1000000000000000,"name":"Monstera deliciosa","tag":"tropical"}'
_MANY = 10**6


class Scenario(Struct, frozen=True, kw_only=True):
    """``script`` is in ``lua/``; ``listed`` is the plants in a list, 0 for an unchanged list.

    ``method``, ``path``, ``media_type`` and ``body`` are those of the first request.
    """

    script: str = "list"
    plants: int = 10**5
    method: str = "GET"
    path: str = "/plants?limit=100"
    media_type: str = "application/json"
    body: bytes | None = None
    status: int = 200
    listed: int = 100
    connections: int = 32
    baseline: str = NGINX  # measured in the same rounds, if any
    postgres: bool = False  # database, service and load run on all cores


_CREATE = Scenario(script="create", method="POST", path="/plants", body=_NEW_PLANT, baseline="")
_CHANGES = Scenario(
    script="changes",
    method="POST",
    path="/changes",
    media_type="application/x-ndjson",
    body=_NEW_PLANT,
    connections=1,
    baseline="",
)
_DELETE = Scenario(
    script="delete",
    plants=_MANY,  # a run's share is more than it deletes
    method="DELETE",
    path=f"/plants/{_MANY * SPACING}",
    status=204,
    baseline="",
)
SCENARIOS = {
    "changes-1": _CHANGES,
    "create-1": replace(_CREATE, connections=1),
    "create-32": _CREATE,
    "create-256": replace(_CREATE, connections=256),
    "create-traced": replace(_CREATE, script="create-traced"),
    "create-keyed": replace(_CREATE, script="create-keyed"),
    "delete-32": _DELETE,
    "list-1": Scenario(plants=1, listed=1),
    "list-100": Scenario(),
    "list-traced": Scenario(script="list-traced"),
    "list-changed": Scenario(script="changed", baseline=""),
    "list-304": Scenario(status=304, listed=0),
    "list-all": Scenario(path="/plants", listed=10**5, connections=2),
    "read-100": Scenario(script="read"),
    "postgres-create": replace(_CREATE, connections=64, baseline=PGBENCH, postgres=True),
    "postgres-list": Scenario(connections=64, baseline=PGBENCH, postgres=True),
}
