"""The settings: read once, at the start, and passed in.

Each is the first value found in: a flag, an environment variable ``PLANTSTORE_<NAME>`` (or, for
secrets, the file named by ``PLANTSTORE_<NAME>_FILE``), the settings file (TOML), the default.
"""

import re
from typing import Annotated, Literal, TypeVar
from urllib.parse import unquote

from msgspec import Meta, Struct

from plantstore.core.errors import SetupError
from plantstore.core.sources import Sources

_USERS_PASSWORD = re.compile(r"(://[^:@/]*:).*(?=@)")
_PARAMETER = re.compile(r"(?<=[?&])([^=&]*)=[^&]*")
# libpq's names; file names (passfile, sslkey) are not secret.
_SECRET_PARAMETERS = frozenset(
    {"oauth_client_secret", "password", "scram_client_key", "scram_server_key", "sslpassword"}
)
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
UNIX = "unix"  # the address of clients on a Unix socket

Seconds = Annotated[float, Meta(gt=0, le=86400)]
Days = Annotated[float, Meta(ge=0, le=36_500)]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Rate = Annotated[
    str,
    Meta(
        pattern=rf"^[1-9][0-9]{{0,8}}/({'|'.join(_UNITS)})\Z",
        description=f"a rate, such as 100/second; the units are {', '.join(_UNITS)}",
    ),
]
T = TypeVar("T", bound=Struct)


class Settings(Struct, frozen=True, kw_only=True):
    """The core's settings and defaults; only those with a description can be set.

    Each feature has a struct of the same form.
    """

    database: Annotated[
        str, "URL of the database; the default is a file in the user's data folder"
    ] = ""
    host: Annotated[str, "address to listen on"] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535), "port to listen on; 0 picks a free one"] = 8080
    uds: Annotated[str | None, "path of a Unix socket to listen on, in place of host and port"] = (
        None
    )
    uds_mode: Annotated[
        str,
        Meta(pattern=r"^[0-7]{3}\Z", description="three octal digits, such as 660"),
        "mode of the Unix socket's file: who may connect",
    ] = "660"
    workers: Annotated[
        int,
        Meta(ge=1, le=64),
        "worker processes, at most one for each core; one is the fastest for writes to SQLite",
    ] = 1
    tls_cert: Annotated[str | None, "PEM file of the TLS certificate chain"] = None
    tls_key: Annotated[str | None, "PEM file of the certificate's private key"] = None
    public_url: Annotated[
        str,
        Meta(
            pattern=r"^(\.|/.*|https?://[^/].*)\Z",
            description="an address such as https://plants.example, a path, or a dot",
        ),
        "server address in the OpenAPI document; by default relative to the document",
    ] = "."
    cors_origins: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^(\*|none|null|[a-z][a-z0-9+.-]*://[^/]+)\Z")], ...],
        Meta(description="*, none, or origins such as https://plants.example"),
        "origins whose pages may call the service: `*` for any, `none` for no page",
    ] = ("*",)
    log_format: Annotated[Literal["text", "json"], "format of the log lines on stderr"] = "text"
    trusted_proxies: Annotated[
        tuple[str, ...],
        "addresses and networks of proxies (`unix`: the Unix socket) whose `X-Forwarded-For` "
        "gives the client's address",
    ] = ()
    rate_limit: Annotated[
        Rate | None, "rate limit per user and worker, such as `100/second`; none by default"
    ] = None
    invalid_token_rate: Annotated[
        Rate,
        "rate limit of invalid tokens per client address and worker; valid tokens do not count",
    ] = "60/minute"  # noqa: S105 - a rate is not a secret
    cache_size: Annotated[int, Meta(ge=0, le=2**40), "bytes of list responses cached in memory"] = (
        16 * 2**20
    )
    database_connections: Annotated[
        int,
        Meta(ge=1, le=1000),
        "PostgreSQL connections per worker, not counting those of long lists",
    ] = 8
    database_timeout: Annotated[
        Seconds, "timeout in seconds for connecting to PostgreSQL, and for each of its responses"
    ] = 3.0
    prepare_statements: Annotated[
        bool,
        "whether to prepare statements on PostgreSQL; `false` for PgBouncer's transaction mode",
    ] = True
    max_requests: Annotated[
        Count,
        "maximum in-flight requests of one store; others get 503. The limits on connections "
        "and event streams follow from it",
    ] = 2048
    max_plants: Annotated[
        Annotated[int, Meta(ge=1, le=10**15)] | None,
        "quota of a new store, in plants, unless it is created with `--max-plants`",
    ] = None
    token_expiry: Annotated[
        int,
        Meta(ge=1, le=36_500),
        "days after which a new token expires, unless it is created with `--expires`",
    ] = 365
    max_wal_size: Annotated[
        int,
        Meta(ge=2**20, le=2**40),
        "size in bytes of SQLite's WAL above which long lists are aborted",
    ] = 256 * 2**20
    lame_duck: Annotated[
        float,
        Meta(ge=0, le=86400),
        "seconds that the service keeps serving after a stop signal, while `/readyz` returns 503",
    ] = 0.0
    drain_timeout: Annotated[
        Seconds, "seconds for in-flight requests to finish when the service stops"
    ] = 30.0

    of_features: tuple[Struct, ...] = ()
    file: str | None = None  # the settings file

    # Not settable: limits that follow from max_requests, and timeouts in seconds that fit all
    # clients.
    max_connections: int = 8192  # beyond a holder's share, its longest idle connection is closed
    max_written_bytes: int = 2**30  # in a minute
    max_streams: int = 16  # long lists being sent, and bodies with changes being read
    max_unsent_bytes: int = 64 * 2**20  # of responses, not yet read by clients
    head_timeout: float = 10.0  # for a request's head to arrive, and for a TLS handshake
    body_timeout: float = 30.0  # for a body, or the next part of one with changes, to arrive
    idle_timeout: float = 75.0  # until an idle connection is closed
    write_timeout: float = 10.0  # for the database to execute a write
    stream_timeout: float = 600.0  # for a long list to be sent

    def of(self, kind: type[T]) -> T:
        """A feature's settings: the given ones, or the defaults."""
        for settings in (self, *self.of_features):
            if isinstance(settings, kind):
                return settings
        return kind()


def load_database(sources: Sources) -> str:
    """Load only the database's URL, even if other settings are invalid.

    :raises SetupError: a source cannot be read, or the URL is not a text.
    """
    return sources.read(Settings, "database").database or default_database()


def read_rate(text: str) -> tuple[int, int]:
    """The count and the seconds of a rate such as ``100/second``."""
    count, _, unit = text.partition("/")
    return int(count), _UNITS[unit]


def default_database() -> str:
    """URL of the SQLite file in the user's data folder.

    :raises SetupError: the user has no home directory.
    """
    from platformdirs import user_data_path  # noqa: PLC0415 - not needed where a URL is given

    try:
        folder = user_data_path("plantstore", appauthor=False)
    except RuntimeError:
        raise SetupError(
            "this user has no home directory for the database: name one with --database or "
            "PLANTSTORE_DATABASE, such as sqlite:////var/lib/plantstore/plants.db"
        ) from None
    return f"sqlite:///{folder / 'plantstore.db'}"


def without_password(url: str) -> str:
    """The database URL as it may be shown and logged."""
    shown = _PARAMETER.sub(_hide, url)  # first: the user's password ends at the last remaining @
    return _USERS_PASSWORD.sub(r"\1...", shown)


def _hide(parameter: re.Match[str]) -> str:
    name = parameter[1]
    return f"{name}=..." if unquote(name) in _SECRET_PARAMETERS else parameter[0]
