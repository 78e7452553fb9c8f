"""The settings: read once, at the start, and passed in.

Each comes from a flag, an environment variable ``PLANTSTORE_<NAME>`` (or a file named by
``PLANTSTORE_<NAME>_FILE``, for secrets), the settings file (TOML), or its default: the first of
these that has a value.
"""

import re
from collections.abc import Mapping
from ipaddress import ip_network
from typing import Annotated, Any, Literal, get_type_hints
from urllib.parse import unquote

from msgspec import Meta, Struct
from msgspec.structs import replace

from plantstore.errors import SetupError
from plantstore.sources import (
    SETTINGS_FILE,
    Given,
    convert,
    describe_type,
    find_unknown,
    read_environment,
    read_file,
    read_flags,
)

_USERS_PASSWORD = re.compile(r"(://[^:@/]*:).*(?=@)")
_PARAMETER = re.compile(r"(?<=[?&])([^=&]*)=[^&]*")
# libpq's names; file names (passfile, sslkey) are not secret.
_SECRET_PARAMETERS = frozenset(
    {"oauth_client_secret", "password", "scram_client_key", "scram_server_key", "sslpassword"}
)
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
_RATE = (
    re.compile("[1-9][0-9]{0,8}/(second|minute|hour|day)"),
    f"a rate: write it as 100/second; the units are {', '.join(_UNITS)}",
)
_FORMS = {
    "metrics": (
        re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\s]+):[0-9]{1,5}"),
        "an address: write it as 127.0.0.1:9464",
    ),
    "rate_limit": _RATE,
    "invalid_token_rate": _RATE,
}
_MIN_CONNECTIONS = 64  # so that /readyz has one when no more requests are taken
_MIN_STREAMS = 16  # a user has a quarter of them
UNIX = "unix"  # the address of clients on a Unix socket

Seconds = Annotated[float, Meta(gt=0, le=86400)]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]


class Settings(Struct, frozen=True, kw_only=True):
    """All settings with their defaults; those with a description, a text, can be set."""

    database: Annotated[str, "URL of the database; the default is a file in the user's data folder"]
    host: Annotated[str, "address to listen on"] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535), "port to listen on; 0 picks a free one"] = 8080
    uds: Annotated[str | None, "path of a Unix socket to listen on, in place of host and port"] = (
        None
    )
    uds_mode: Annotated[
        str, Meta(pattern="^[0-7]{3}$"), "mode of the Unix socket's file: who may connect"
    ] = "660"
    workers: Annotated[
        int, Meta(ge=1, le=64), "worker processes; one is the fastest for writes to SQLite"
    ] = 1
    tls_cert: Annotated[str | None, "PEM file of the TLS certificate chain"] = None
    tls_key: Annotated[str | None, "PEM file of the certificate's private key"] = None
    public_url: Annotated[
        str, "server address in the OpenAPI document; by default relative to the document"
    ] = "."
    cors_origins: Annotated[
        tuple[str, ...], "origins whose pages may call the service: `*` for any, `none` for no page"
    ] = ("*",)
    log_format: Annotated[Literal["text", "json"], "format of the log lines on stderr"] = "text"
    metrics: Annotated[
        str | None,
        "address of `/metrics` for Prometheus, such as `127.0.0.1:9464`; none by default",
    ] = None
    access_log: Annotated[bool, "whether to log every request; cached lists are then slower"] = (
        False
    )
    slow_request: Annotated[
        float,
        Meta(ge=0, le=86400),
        "seconds from a request to its response from which it is logged as slow; 0 for never",
    ] = 1.0
    trusted_proxies: Annotated[
        tuple[str, ...],
        (
            "addresses and networks of proxies, `unix` for those on the Unix socket, whose "
            "`X-Forwarded-For` has the client's address"
        ),
    ] = ()
    rate_limit: Annotated[
        str | None, "rate limit per user and worker, such as `100/second`; none by default"
    ] = None
    invalid_token_rate: Annotated[
        str, "rate limit of invalid tokens per client address and worker; valid ones do not count"
    ] = "60/minute"  # noqa: S105 - a rate is not a secret
    cache_size: Annotated[int, Meta(ge=0, le=2**40), "bytes of list responses cached in memory"] = (
        16 * 2**20
    )
    database_connections: Annotated[
        int,
        Meta(ge=1, le=1000),
        "connections of each worker to PostgreSQL, not counting those of long lists",
    ] = 8
    database_timeout: Annotated[
        Seconds, "seconds for connecting to PostgreSQL, and for each of its responses"
    ] = 3.0
    prepare_statements: Annotated[
        bool,
        "whether to prepare statements on PostgreSQL; `false` for PgBouncer's transaction mode",
    ] = True
    max_connections_per_address: Annotated[
        int,
        Meta(ge=0, le=1_000_000),
        "maximum open connections from one address; 0 for no limit, as behind a proxy",
    ] = 0
    max_requests: Annotated[
        Count,
        (
            "maximum in-flight requests; further ones get 503. Twice as many connections may be "
            "open, as many clients may listen to events, half as many writes may wait"
        ),
    ] = 2048
    max_plants: Annotated[
        Annotated[int, Meta(ge=1, le=10**15)] | None,
        "plants that a new store may hold, unless created with another number",
    ] = None
    token_expiry: Annotated[
        int,
        Meta(ge=1, le=36_500),
        "days after which a new token expires, unless created with `--expires`",
    ] = 365
    events_keep: Annotated[
        float, Meta(ge=0, le=36_500), "days that the events of a store are kept; 0 means forever"
    ] = 90
    max_wal_size: Annotated[
        int,
        Meta(ge=2**20, le=2**40),
        "bytes that SQLite's WAL may grow to while long lists are sent; then they are aborted",
    ] = 256 * 2**20
    lame_duck: Annotated[
        float,
        Meta(ge=0, le=86400),
        "seconds that the service goes on after a stop signal, while `/readyz` returns 503",
    ] = 0.0
    drain_timeout: Annotated[
        Seconds, "seconds for in-flight requests to finish when the service stops"
    ] = 30.0

    # Not to be set: what follows from max_requests, and seconds that fit all clients.
    max_connections: int = 4096  # beyond it the longest idle one is closed
    max_writes: int = 1024  # that wait for a commit
    max_streams: int = 16  # long lists sent at the same time, and bodies of many plants read
    max_listeners: int = 2048  # to events, of each worker
    head_timeout: float = 10.0  # for a request's head to arrive, and for a TLS handshake
    body_timeout: float = 30.0  # for a body, or the next part of many plants, to arrive
    idle_timeout: float = 75.0  # that an idle connection is kept open
    write_timeout: float = 10.0  # that a write may wait for the database
    stream_timeout: float = 600.0  # for a long list to be sent


def load_settings(
    flags: Mapping[str, object], environ: Mapping[str, str], file: str | None = None
) -> Settings:
    """The settings from flags that are not None, the environment and the TOML ``file``.

    :raises SetupError: a value is not valid, or the file has an unknown setting.
    """
    given = collect(flags, environ, file)
    values = {name: convert(one, _hint(name)) for name, one in given.items()}
    settings = Settings(**{**values, "database": values.get("database") or default_database()})
    if settings.cors_origins == ("none",):
        settings = replace(settings, cors_origins=())
    settings = _derive(settings)
    origins = {name: one.origin for name, one in given.items()}
    _check_tls(settings, origins)
    _check_forms(settings, origins)
    _check_proxies(settings, origins)
    return settings


def collect(
    flags: Mapping[str, object], environ: Mapping[str, str], file: str | None = None
) -> dict[str, Given]:
    """The settings that are given, each as its first source has it.

    :raises SetupError: a source cannot be read, or the file has an unknown setting.
    """
    path = file or environ.get(SETTINGS_FILE)
    given = read_file(path)
    _require_known(given, path)
    return given | read_environment(environ, setting_names()) | read_flags(flags)


def load_database(
    flags: Mapping[str, object], environ: Mapping[str, str], file: str | None = None
) -> str:
    """Only the database's URL, from the same sources: other settings may be wrong.

    :raises SetupError: a source cannot be read, or its value is not text.
    """
    return load_setting("database", flags, environ, file) or default_database()


def load_setting(
    name: str,
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    file: str | None = None,
) -> Any:  # noqa: ANN401 - any type
    """One setting from the same sources, or its default: others may be wrong.

    :raises SetupError: a source cannot be read, or its value is not valid.
    """
    given = read_flags(flags)
    if name not in given:
        given = read_environment(environ, [name]) or read_file(file or environ.get(SETTINGS_FILE))
    return convert(given[name], _hint(name)) if name in given else default_value(name)


def default_value(name: str) -> Any:  # noqa: ANN401 - any type
    """The setting's default; empty where it is made when it is needed."""
    return getattr(Settings(database=""), name)


def _derive(settings: Settings) -> Settings:
    """The settings with the bounds that follow from ``max_requests``."""
    requests = settings.max_requests
    return replace(
        settings,
        max_connections=max(_MIN_CONNECTIONS, 2 * requests),
        max_writes=max(1, requests // 2),
        max_streams=max(_MIN_STREAMS, requests // 128),
        max_listeners=requests,
    )


def _check_tls(settings: Settings, origins: Mapping[str, str]) -> None:
    """Check the certificate and its key, which maybe only the service may read."""
    pair = [origins[name] for name in ("tls_cert", "tls_key") if getattr(settings, name)]
    if not pair:
        return
    if len(pair) == 1:
        raise SetupError(
            f"{pair[0]} is given alone, but tls_cert and tls_key go together: give both or neither"
        )
    import ssl  # noqa: PLC0415 - not needed without TLS

    cert, key = settings.tls_cert or "", settings.tls_key
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)
    except (OSError, ValueError) as error:
        raise SetupError(f"cannot use {pair[0]} {cert} with {pair[1]} {key}: {error}") from None


def read_rate(text: str) -> tuple[int, int]:
    """The count and the seconds of a rate such as ``100/second``."""
    count, _, unit = text.partition("/")
    return int(count), _UNITS[unit]


def _check_forms(settings: Settings, origins: Mapping[str, str]) -> None:
    for name, (form, advice) in _FORMS.items():
        value = getattr(settings, name)
        if value is not None and form.fullmatch(value) is None:
            raise SetupError(f"{origins[name]} is {value!r}, which is not {advice}")


def _check_proxies(settings: Settings, origins: Mapping[str, str]) -> None:
    for proxy in settings.trusted_proxies:
        try:
            if proxy != UNIX:
                ip_network(proxy)
        except ValueError:
            raise SetupError(
                f"{origins['trusted_proxies']} has {proxy!r}, which is neither an address, such "
                "as 192.0.2.1, nor a network, such as 10.0.0.0/8, nor unix"
            ) from None


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


def setting_names() -> tuple[str, ...]:
    """The names of those that can be set, in the order of the reference."""
    return tuple(name for name in Settings.__struct_fields__ if _descriptions(name))


def setting_description(name: str) -> str:
    """What the docs say of a setting."""
    return _descriptions(name)[0]


def allowed_values(name: str) -> str:
    """The values that a setting can have, in words."""
    return describe_type(_hint(name))


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """A sentence for each ``PLANTSTORE_*`` variable that is not a setting."""
    return find_unknown(environ, setting_names())


def _descriptions(name: str) -> list[str]:
    metadata = getattr(Settings.__annotations__[name], "__metadata__", ())
    return [about for about in metadata if isinstance(about, str)]


def _hint(name: str) -> Any:  # noqa: ANN401 - any type
    return get_type_hints(Settings, include_extras=True)[name]


def _require_known(given: Mapping[str, object], file: str | None) -> None:
    for name in given:
        if name not in setting_names():
            known = ", ".join(setting_names())
            raise SetupError(f"{file}: unknown setting {name!r}; the settings are: {known}")
