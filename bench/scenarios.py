"""The scenarios: which load on a store of which size, with which target.

``list`` asks for the same page again, so that it comes from memory; ``read`` for another page each
time, so that it comes from the database; ``mixed`` is 90 lists, 9 creates and 1 delete.
"""

from msgspec import Struct

NGINX, UVICORN, PGBENCH = "nginx", "uvicorn", "pgbench"
P99 = "p99"
# The shares of methods in the requests of a script in ``lua/``.
_METHODS = {
    "list": {"GET": 1.0},
    "read": {"GET": 1.0},
    "create": {"POST": 1.0},
    "delete": {"DELETE": 1.0},
    "mixed": {"GET": 0.9, "POST": 0.09, "DELETE": 0.01},
}
_MANY = 10**6  # one run's share of them is more than it deletes


class Target(Struct, frozen=True):
    """At least ``bound`` times the rate of the baseline ``of``, or at most so many ms of p99."""

    of: str
    bound: float


class Scenario(Struct, frozen=True, kw_only=True):
    """``script`` is one in ``lua/``; ``listed`` is the plants in a list, 0 where it is unchanged.

    With ``slow_disk``, 32 connections create plants meanwhile, on a disk with a slow fsync; on
    PostgreSQL none do, and the fsync is the database's.
    """

    script: str = "list"
    plants: int = 10**5
    path: str = "/plants?limit=100"
    listed: int = 100
    connections: int = 32
    target: Target | None = None
    slow_disk: bool = False

    @property
    def methods(self) -> dict[str, float]:
        """The shares of its requests' methods."""
        return _METHODS[self.script]

    @property
    def writes(self) -> bool:
        """Whether the store is not the same afterwards."""
        return self.slow_disk or set(self.methods) != {"GET"}

    @property
    def baselines(self) -> tuple[str, ...]:
        """What can be measured beside it."""
        if self.slow_disk:
            return ()
        return (UVICORN,) if self.writes else (NGINX, UVICORN)


SCENARIOS = {
    "create-1": Scenario(script="create", connections=1),
    "create-32": Scenario(script="create", target=Target(UVICORN, 1.0)),
    "create-256": Scenario(script="create", connections=256, target=Target(UVICORN, 1.3)),
    "delete-32": Scenario(script="delete", plants=_MANY, target=Target(UVICORN, 1.0)),
    "list-1": Scenario(plants=1, listed=1),
    "list-100": Scenario(target=Target(NGINX, 0.9)),
    "list-100-1e3": Scenario(plants=10**3),
    "list-100-1e7": Scenario(plants=10**7),
    "list-304": Scenario(listed=0, target=Target(NGINX, 0.9)),
    "list-all": Scenario(path="/plants", listed=10**5, connections=2),
    "list-slow-disk": Scenario(connections=4, slow_disk=True, target=Target(P99, 1)),
    "mixed": Scenario(script="mixed", plants=_MANY),
    "read-100": Scenario(script="read", target=Target(UVICORN, 0.65)),
    "read-100-1e3": Scenario(script="read", plants=10**3),
    "read-100-1e7": Scenario(script="read", plants=10**7),
}
# With the database, the service and the load on all cores.
POSTGRES_SCENARIOS = {
    "postgres-create": Scenario(script="create", connections=64, target=Target(PGBENCH, 0.8)),
    "postgres-list": Scenario(connections=64, target=Target(PGBENCH, 0.8)),
    "postgres-create-slow-disk": Scenario(script="create", connections=64, slow_disk=True),
}
BIG = {name for name, scenario in SCENARIOS.items() if scenario.plants > _MANY}
CREATES = SCENARIOS["create-32"]  # what runs beside those with a slow disk
