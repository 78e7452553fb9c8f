"""``plantstore serve``."""

import logging
import os
from collections.abc import Callable
from contextlib import ExitStack

import click

from plantstore import bootstrap, databases
from plantstore.cli.sources import find_sources
from plantstore.core.logs import set_up_logs
from plantstore.core.settings import Settings, without_password
from plantstore.core.sources import find_unknown
from plantstore.feature import Start
from plantstore.features import FEATURES, load_parts
from plantstore.program.loading import SETTINGS, load_settings

logger = logging.getLogger("plantstore")

_FLAGS = {name: text for feature in FEATURES.values() for name, text in feature.flags.items()}


def _feature_flags(command: Callable[..., None]) -> Callable[..., None]:
    for name, text in _FLAGS.items():
        is_flag = name not in SETTINGS or isinstance(getattr(SETTINGS[name](), name), bool)
        option = f"--{name.replace('_', '-')}"
        command = click.option(option, is_flag=is_flag, default=None, help=text)(command)
    return command


@click.command()
@click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=int, help="Port to listen on; 0 picks a free one.  [default: 8080]")
@click.option("--uds", metavar="PATH", help="Unix socket to listen on, in place of host and port.")
@click.option("--workers", type=int, help="Worker processes.  [default: 1]")
@click.option("--tls-cert", metavar="FILE", help="TLS certificate chain (PEM).")
@click.option("--tls-key", metavar="FILE", help="The certificate's private key (PEM).")
@click.option(
    "--cors-origin",
    "cors_origins",
    multiple=True,
    metavar="ORIGIN",
    help="Origin whose pages may call the service; repeatable; none for no page.  [default: *]",
)
@click.option("--log-format", type=click.Choice(["text", "json"]), help="[default: text]")
@_feature_flags
def serve(cors_origins: tuple[str, ...], **flags: object) -> None:
    """Serve the HTTP interface; a missing SQLite file is created.

    \b
    Settings can also be given as environment variables, such as PLANTSTORE_PORT, and in
    the settings file. To list them all:
      plantstore settings show

    \b
    Examples:
      plantstore serve
      plantstore --database sqlite:///plants.db serve --port 9000
      plantstore serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
    """
    chosen = frozenset(name for name in _FLAGS if name not in SETTINGS and flags.pop(name))
    if cors_origins:
        flags["cors_origins"] = cors_origins
    settings = load_settings(find_sources(**flags))
    set_up_logs(settings.log_format)
    for sentence in find_unknown(os.environ, SETTINGS):
        logger.warning("%s", sentence)
    if not _serve(settings, chosen):
        raise click.exceptions.Exit(1)
    logger.info("stopped")


def _serve(settings: Settings, flags: frozenset[str]) -> bool:
    """Serve until a signal or a broken database stops the service: True for a signal."""
    from plantstore.server import listeners  # noqa: PLC0415 - slow to import

    scheme = "http" if settings.tls_cert is None else "https"
    with listeners.listen(settings) as sockets, ExitStack() as stack:
        if created := databases.create_database(settings.database):
            logger.info("created the database %s", created)
        databases.prepare_database(settings.database)
        is_public = "://" in settings.public_url
        local = listeners.make_local(listeners.describe(sockets[0], scheme))
        start = Start(
            settings=settings,
            address=settings.public_url.rstrip("/") if is_public else local,
            is_local=not is_public and all(map(listeners.is_loopback, sockets)),
            flags=flags,
        )
        # That of access is entered last: it declares the token only once the others can serve.
        for surround in reversed([*load_parts("surrounds")]):
            stack.enter_context(surround(start))
        names = dict.fromkeys(listeners.describe(listener, scheme) for listener in sockets)
        logger.info("serving %s on %s", without_password(settings.database), " and ".join(names))
        if settings.tls_cert is None and not all(map(listeners.is_loopback, sockets)):
            logger.warning(
                "without TLS tokens cross the network unencrypted: set tls_cert and tls_key, or "
                "let only a proxy with TLS reach this address"
            )
        return bootstrap.serve(settings, sockets)
