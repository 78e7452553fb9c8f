"""Finds a command's store: in a database or, with ``--url``, through a service.

Errors of the service end a command like those of a database: with a message and an exit status.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from plantstore.cli.options import Command, passing, store_option, using_database
from plantstore.core.errors import SetupError

if TYPE_CHECKING:
    from plantstore_client import PlantStore


def pass_store(
    in_database: Callable[[Any, Any], object],
    behind: "Callable[[PlantStore, str], object]",
    explanation: str = "Name of the store; with --url by default the token's own.",
    *,
    required: bool = True,
    reads: bool = False,
) -> Callable[[Command], Command]:
    """Pass the command a ``store``, of the database or of the service at ``--url``."""

    def find(context: click.Context) -> object:
        options, store = context.find_root().params, context.params["store"]
        if options["url"] is not None:
            path = f"/stores/{quote(store, safe='')}" if store else ""
            address = options["url"].rstrip("/") + path
            return behind(context.with_resource(connect(address, options["token_file"])), address)
        if store is None and required:
            raise click.UsageError("Missing option '--store'.")
        reads_once = reads and not context.params.get("follow", False)
        return in_database(context.with_resource(using_database(context, reads=reads_once)), store)

    return lambda command: store_option(help=explanation)(passing("store", find)(command))


@contextmanager
def connect(url: str, token_file: str | None) -> "Iterator[PlantStore]":
    """A client of the store at a URL.

    :raises SetupError: the service refuses, or cannot be reached.
    """
    if token_file is None or re.match("https?://[^/]", url) is None:
        raise click.UsageError("give --url http://HOST:PORT, or https://, with --token-file FILE")
    try:
        import httpx  # noqa: PLC0415 - only here, and an extra
        from plantstore_client import PlantStore, Refused  # noqa: PLC0415 - as httpx
    except ImportError:
        raise SetupError("--url needs httpx: pip install 'plantstore[client]'") from None
    token = Path(token_file).read_text(encoding="utf-8", errors="replace").strip()
    if re.fullmatch("[!-~]+", token) is None:
        raise SetupError(f"{token_file} must hold one token and nothing else")
    try:
        with PlantStore(url, token) as client:
            yield client
    except Refused as error:
        message = error.message.removeprefix(f"line {error.line}: ")  # of the body
        raise SetupError(f"{message} ({error.error})") from None
    except httpx.InvalidURL as error:
        raise click.UsageError(f"{url} is not a URL: {error}") from None
    except httpx.TransportError as error:
        reason = re.sub(r"\[Errno -?\d+\] ", "", str(error))
        raise SetupError(
            f"{url} cannot be reached: {reason}; check the address, http or https, and that the "
            "service runs"
        ) from None
    except (ValueError, KeyError):  # msgspec's and json's too
        raise SetupError(f"{url} is not a Plant Store service") from None
