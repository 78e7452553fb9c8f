"""Loads the settings: the core's and the features'."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from plantstore.core.errors import SetupError, UsageError, find_similar
from plantstore.core.proxies import Proxies
from plantstore.core.settings import Settings, default_database
from plantstore.core.sources import Sources, setting_types
from plantstore.features import FEATURES

_MIN_CONNECTIONS = 64  # reserved, so that /readyz responds under overload
_MIN_STREAMS = 16  # a quarter per user

_OF_FEATURES = [feature.settings for feature in FEATURES.values() if feature.settings is not None]
_KINDS: list[type[Struct]] = [Settings, *_OF_FEATURES]
# The struct of each setting, by name, in the order of the reference.
SETTINGS = {name: kind for kind in _KINDS for name in setting_types(kind)}


def load_settings(sources: Sources) -> Settings:
    """All settings, with the bounds that follow from ``max_requests``.

    :raises SetupError: a value is not valid, or the settings file has an unknown setting.
    """
    for sentence in find_unknown_in_file(sources):
        raise SetupError(sentence)
    settings = sources.read(Settings)
    _check_tls(settings, sources)
    try:
        Proxies(settings.trusted_proxies)
    except ValueError as error:
        given = sources.find("trusted_proxies")
        advice = "give addresses, networks such as 10.0.0.0/8, or unix"
        raise SetupError(f"{given and given.origin} has a wrong entry: {error}; {advice}") from None
    requests = settings.max_requests
    return replace(
        settings,
        database=settings.database or default_database(),
        file=sources.file,
        of_features=tuple(map(sources.read, _OF_FEATURES)),
        max_connections=max(_MIN_CONNECTIONS, 4 * requests),
        max_streams=max(_MIN_STREAMS, requests // 128),
    )


def find_unknown_in_file(sources: Sources) -> Iterator[str]:
    """A sentence for each unknown setting in the settings file, with the most similar name."""
    for name, value in sources.in_file.items():
        if name.removesuffix("_file") not in SETTINGS:
            advice = f"the settings are: {', '.join(SETTINGS)}"
            if isinstance(value, dict):
                advice = "settings must not be in a [section]"
            elif similar := find_similar(name, SETTINGS):
                advice = f"did you mean {similar}?"
            yield f"{sources.file}: unknown setting {name!r}; {advice}"


def _check_tls(settings: Settings, sources: Sources) -> None:
    """Check the certificate and its key; perhaps only the service can read them."""
    pair = [given for name in ("tls_cert", "tls_key") if (given := sources.find(name))]
    if len(pair) == 1:
        kind = UsageError if pair[0].source == "flag" else SetupError
        raise kind(
            f"{pair[0].origin} is set alone, but tls_cert and tls_key go together: set both or "
            "neither"
        )
    if settings.tls_cert and settings.tls_key:
        from plantstore.server.tls import Certificate  # noqa: PLC0415 - seldom

        Certificate(settings.tls_cert, settings.tls_key)
