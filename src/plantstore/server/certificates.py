"""The TLS certificate of one process, reloaded on request and when its files change.

Invariant: new handshakes always get a certificate with its own key: half-written files, or files
that do not match, change nothing.
"""

import asyncio
import logging
import os
import ssl
from contextlib import suppress
from pathlib import Path

from plantstore.core.errors import SetupError

logger = logging.getLogger(__name__)

_INTERVAL = 2.0  # seconds between two checks of the files

Stamp = tuple[tuple[int, ...], ...]


class Certificate:
    """The files ``cert`` and ``key``; ``context`` is for new handshakes.

    :raises SetupError: the files are not a certificate and its key.
    """

    def __init__(self, cert: str, key: str) -> None:
        self._cert, self._key = cert, key
        self._tried = self._seen = self._read_stamp()
        self.context = self._load()

    async def follow_files(self) -> None:
        """Load the files whenever they change, until cancelled."""
        while True:
            await asyncio.sleep(_INTERVAL)
            stamp = self._read_stamp()
            # Unchanged between two checks: nobody is writing the files.
            if stamp == self._seen != self._tried:
                self.reload()
            self._seen = stamp

    def reload(self) -> None:
        """Load the files, or keep the current certificate and log why."""
        self._tried = self._read_stamp()
        try:
            self.context = self._load()
        except SetupError as error:
            logger.error("the TLS certificate is unchanged: %s", error)  # noqa: TRY400 - the reason is enough
        else:
            logger.info("the TLS certificate was reloaded from %s", self._cert)

    def _load(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            for path in (self._cert, self._key):
                Path(path).read_bytes()
            context.load_cert_chain(self._cert, self._key)
        except ssl.SSLError:
            raise SetupError(
                f"cannot use tls_cert {self._cert} with tls_key {self._key}: give a certificate "
                "and its own private key, both as PEM files"
            ) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise SetupError(f"cannot read tls_cert or tls_key at {path}: {reason}") from None
        context.set_ecdh_curve("prime256v1")
        return context

    def _read_stamp(self) -> Stamp:
        """A stamp that changes when the files, or the links to them, change."""
        stamps = []
        for path in (self._cert, self._key):
            with suppress(OSError):  # the file is missing while it is replaced
                stat = os.stat(path)  # noqa: PTH116 - a path as the settings have it
                stamps.append((stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns))
        return tuple(stamps)
