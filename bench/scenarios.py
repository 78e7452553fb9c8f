"""The scenarios: which load on a store of which size, and what is measured beside it.

``list`` asks for the same page again, so that it comes from memory; ``read`` for another page each
time, so that it comes from the database; ``changed`` for the same page after each create.
``-traced`` adds headers as proxies do, other ones in each request.
"""

from msgspec import Struct
from msgspec.structs import replace

from bench.stores import SPACING

NGINX, PGBENCH = "nginx", "pgbench"
_NEW_PLANT = b'{"id":1000000000000000,"name":"Monstera deliciosa","tag":"tropical"}'
_MANY = 10**6


class Scenario(Struct, frozen=True, kw_only=True):
    """``script`` is one in ``lua/``; ``listed`` is the plants in a list, 0 for an unchanged one.

    ``method``, ``path``, ``media_type`` and ``body`` are the first request's.
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
    baseline: str = NGINX  # what is measured beside it, if anything
    postgres: bool = False  # with the database, the service and the load on all cores


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
    plants=_MANY,  # one run's share of them is more than it deletes
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
