"""The scenarios: which load on a store of which size, with which target.

``list`` asks for the same page again, so that it comes from memory; ``read``
for another page each time, so that it comes from the database; ``changed`` for the same page after
each create. ``-traced`` adds headers as proxies do, other ones in each request.
"""

from msgspec import Struct

NGINX, UVICORN, PGBENCH = "nginx", "uvicorn", "pgbench"
# Of ``lua/``. A request of ``changes`` has 1,000 of them, of all kinds.
_METHODS = {"changes": "POST", "create": "POST", "create-traced": "POST", "delete": "DELETE"}
_READS = ("list", "list-traced", "read")
_MANY = 10**6  # one run's share of them is more than it deletes


class Scenario(Struct, frozen=True, kw_only=True):
    """``script`` is one in ``lua/``; ``listed`` is the plants in a list, 0 for an unchanged one."""

    script: str = "list"
    plants: int = 10**5
    path: str = "/plants?limit=100"
    listed: int = 100
    connections: int = 32
    target: tuple[str, float] = ("", 0)  # a baseline, and how many times its rate

    @property
    def method(self) -> str:
        """Its requests' method."""
        return _METHODS.get(self.script, "GET")

    @property
    def writes(self) -> bool:
        """Whether the store is not the same afterwards."""
        return self.script not in _READS

    @property
    def baselines(self) -> tuple[str, ...]:
        """What can be measured beside it."""
        if self.script == "changes":
            return ()
        return (UVICORN,) if self.writes else (NGINX, UVICORN)


SCENARIOS = {
    "changes-1": Scenario(script="changes", path="/changes", connections=1),
    "create-1": Scenario(script="create", connections=1),
    "create-32": Scenario(script="create", target=(UVICORN, 1.0)),
    "create-256": Scenario(script="create", connections=256, target=(UVICORN, 1.3)),
    "create-traced": Scenario(script="create-traced", target=(UVICORN, 0.95)),
    "delete-32": Scenario(script="delete", plants=_MANY, target=(UVICORN, 1.0)),
    "list-1": Scenario(plants=1, listed=1),
    "list-100": Scenario(target=(NGINX, 0.9)),
    "list-traced": Scenario(script="list-traced", target=(NGINX, 0.7)),
    "list-changed": Scenario(script="changed"),
    "list-304": Scenario(listed=0, target=(NGINX, 0.9)),
    "list-all": Scenario(path="/plants", listed=10**5, connections=2),
    "read-100": Scenario(script="read", target=(UVICORN, 0.65)),
}
# With the database, the service and the load on all cores.
POSTGRES_SCENARIOS = {
    "postgres-create": Scenario(script="create", connections=64, target=(PGBENCH, 0.8)),
    "postgres-list": Scenario(connections=64, target=(PGBENCH, 0.8)),
}
