"""Runs the application under uvicorn, in this process or in several workers."""

import asyncio
import resource
import socket
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn
import uvloop

from plantstore.errors import SetupError
from plantstore.http.protocol import BoundedProtocol
from plantstore.http.signals import stop_on_signals
from plantstore.settings import Settings

if TYPE_CHECKING:
    from plantstore.http.app import App

_BACKLOG = 2048
_OTHER_FILES = 200


def listen(settings: Settings) -> socket.socket:
    """A socket that takes connections from now on.

    :raises SetupError: the address cannot be had.
    """
    host, port = settings.host, settings.port
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except (OSError, UnicodeError) as error:  # the latter for names of no host
        fault = error.strerror if isinstance(error, OSError) else error
        raise SetupError(
            f"cannot listen on {host} port {port}: {fault}; choose another --host or --port"
        ) from None
    listener.set_inheritable(True)
    return listener


def origin_of(settings: Settings, listener: socket.socket) -> str:
    """The address at which a client on this machine reaches the service."""
    scheme = "http" if settings.tls_cert is None else "https"
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - recognised, not bound
        host = "127.0.0.1"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def run(create_app: "Callable[[], App]", settings: Settings, listener: socket.socket) -> bool:
    """Serve until a signal or a broken database stops it; whether it was a signal."""
    config = ServerConfig(create_app, settings)
    _allow_open_files(settings.max_connections)
    if settings.workers > 1:
        from plantstore.http.workers import Workers  # noqa: PLC0415 - one process needs none

        workers = Workers(config, [listener])
        workers.run()
        return not workers.has_failed
    server = uvicorn.Server(config)
    stop_on_signals(server)
    server.run([listener])
    return not config.loaded_app.has_failed


def _allow_open_files(connections: int) -> None:
    """Ask for as many file descriptors as the connections need, as far as we may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class ServerConfig(uvicorn.Config):
    """uvicorn's configuration, with the settings for the protocol; it travels to the workers."""

    def __init__(self, create_app: "Callable[[], App]", settings: Settings) -> None:
        super().__init__(
            create_app,
            factory=True,
            http=BoundedProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            workers=settings.workers,
            timeout_keep_alive=settings.idle_timeout,  # type: ignore[arg-type]  # any number does
            timeout_graceful_shutdown=settings.drain_timeout,  # type: ignore[arg-type]  # as above
            ssl_certfile=settings.tls_cert,
            ssl_keyfile=settings.tls_key,
        )
        self.settings = settings

    def get_loop_factory(self) -> Callable[[], asyncio.AbstractEventLoop]:
        """What makes the event loop (uvicorn's hook)."""
        return partial(ServerLoop, self.settings.head_timeout)


class ServerLoop(uvloop.Loop):
    """uvloop's event loop, with our deadline for TLS handshakes in place of its minute."""

    def __init__(self, handshake_timeout: float) -> None:
        super().__init__()
        self._handshake_timeout = handshake_timeout

    async def create_server(
        self,
        *arguments: Any,  # noqa: ANN401 - asyncio and uvloop give it different types
        **options: Any,  # noqa: ANN401 - as above
    ) -> Any:  # noqa: ANN401 - as above
        """Listen (uvicorn's call, which has no deadline to set)."""
        if options.get("ssl") is not None:
            options["ssl_handshake_timeout"] = self._handshake_timeout
        return await super().create_server(*arguments, **options)
