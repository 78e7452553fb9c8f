"""The lines of the table: which load on a store of which size."""

from collections.abc import Mapping

from msgspec import Struct, field

_DELETABLE = 10**6  # one run's share of them is more than it deletes
_PAGE = "/plants?limit=100"


class Line(Struct, frozen=True, kw_only=True):
    """``script`` is one in ``lua/``, ``shares`` tells of which methods its requests are.

    ``listed`` is the plants in a list's answer. ``beside`` names the line whose load runs at the
    same time, unmeasured; ``big`` lines run only when asked for.
    """

    name: str
    about: str
    plants: int
    path: str = _PAGE
    script: str = "report"
    connections: int = 32
    shares: Mapping[str, float] = field(default_factory=lambda: {"GET": 1.0})
    listed: int = 100
    sends_etag: bool = False
    on_slow_disk: bool = False
    beside: str | None = None
    big: bool = False

    @property
    def writes(self) -> bool:
        """Whether the store is not the same afterwards."""
        return set(self.shares) != {"GET"} or self.beside is not None


def _page_line(plants: int, exponent: int, *, big: bool = False) -> Line:
    return Line(
        name=f"list-100@1e{exponent}",
        about=f"100 of 10^{exponent}, ready",
        plants=plants,
        big=big,
    )


def _miss_line(plants: int, exponent: int, *, big: bool = False) -> Line:
    return Line(
        name=f"miss-100@1e{exponent}",
        about=f"100 of 10^{exponent}, not ready",
        plants=plants,
        script="paths",
        big=big,
    )


def _create_line(connections: int) -> Line:
    return Line(
        name=f"create-{connections}",
        about="create, durable",
        plants=1000,
        script="create",
        connections=connections,
        shares={"POST": 1.0},
    )


LINES = (
    Line(name="list-1", about="list of 1", plants=1, path="/plants", listed=1),
    _page_line(10**5, 5),
    _miss_line(10**5, 5),
    _page_line(10**3, 3),
    _miss_line(10**3, 3),
    _page_line(10**7, 7, big=True),
    _miss_line(10**7, 7, big=True),
    Line(
        name="list-all",
        about="all of 10^5, streamed",
        plants=10**5,
        path="/plants",
        connections=2,
        listed=10**5,
    ),
    Line(name="list-304", about="not modified", plants=10**5, listed=0, sends_etag=True),
    _create_line(1),
    _create_line(32),
    _create_line(256),
    Line(
        name="delete",
        about="delete, durable",
        plants=_DELETABLE,
        script="delete",
        shares={"DELETE": 1.0},
    ),
    Line(
        name="mix",
        about="90/9/1 list/create/delete",
        plants=_DELETABLE,
        script="mix",
        shares={"GET": 0.9, "POST": 0.09, "DELETE": 0.01},
    ),
    Line(
        name="slow-fsync",
        about="list, creates beside it",
        plants=10**5,
        connections=4,
        on_slow_disk=True,
        beside="create-32",
    ),
)

BY_NAME = {line.name: line for line in LINES}
