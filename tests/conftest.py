"""Fixtures: one server process for the whole run, and a store of its own for each test."""

import itertools
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import hypothesis
import pytest

from building.site import BUILT, write_site
from tests.databases import Kind, find_kind
from tests.postgres.citus import CitusCluster
from tests.postgres.server import PostgresServer
from tests.service import Service

# No test asserts on time, not even with hypothesis' own deadline.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# A background job or nohup may ignore these signals, and child processes inherit that.
for stop in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(stop) is signal.SIG_IGN:
        signal.signal(stop, signal.SIG_DFL)

# Many processes are started, workers too: the first process saves its bytecode for the others.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Programs that scripts/need unpacked; Debian has servers in folders outside a user's PATH.
_TOOLS = Path(__file__).parents[1] / ".tools" / "bin"
os.environ["PATH"] = f"{_TOOLS}:{os.environ['PATH']}:/usr/local/sbin:/usr/sbin:/sbin"

# In memory, if there is room, tests take less CPU time than on a disk; TMPDIR overrides it.
MEMORY = Path("/dev/shm")  # noqa: S108 - each run makes a folder of its own
MIN_ROOM = 2 << 30  # bytes
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK):
    has_room = shutil.disk_usage(MEMORY).free >= MIN_ROOM
    if has_room and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:  # tests make programs
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

_numbers = itertools.count(1)


def pytest_configure(config: pytest.Config) -> None:
    """Rebuild the site before workers start: its sources may have been edited."""
    if not hasattr(config, "workerinput"):
        write_site(BUILT)


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def database_kind(request: pytest.FixtureRequest) -> Kind:
    return find_kind(request)


@pytest.fixture
def url(database_kind: Kind, tmp_path: Path) -> Iterator[str]:
    """A new database."""
    with database_kind.fresh(tmp_path) as fresh:
        yield fresh


@pytest.fixture(scope="session")
def service(database_kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A running service on each kind of database, shared by tests that need only stores."""
    folder = tmp_path_factory.mktemp("service")
    with database_kind.fresh(folder) as url, Service(folder, database=url) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A running PostgreSQL, shared by tests that only need databases of their own."""
    kind = CitusCluster if "TEST_ON_CITUS" in os.environ else PostgresServer
    with kind(tmp_path_factory.mktemp("postgres")) as running:
        yield running


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, bool]]:
    """The event loop that the service runs on."""
    return "asyncio", {"use_uvloop": True}


@pytest.fixture
def store() -> str:
    """A store's name that no other test uses."""
    return f"store-{next(_numbers)}"


@pytest.fixture
def token(service: Service, store: str) -> str:
    return service.make_token(store, f"owner-of-{store}")


@pytest.fixture
def client(service: Service, token: str) -> Iterator[httpx.Client]:
    with service.client(token) as authorised:
        yield authorised
