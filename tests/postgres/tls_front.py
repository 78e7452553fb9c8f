"""Speaks PostgreSQL's TLS before a server that was built without it."""

import asyncio
import ssl
import threading
from pathlib import Path
from typing import Self

SSL_REQUEST = (8).to_bytes(4, "big") + (80877103).to_bytes(4, "big")


class TLSFront:
    """A listener on a free port of loopback, with ``name``.pem and .key of a folder."""

    def __init__(self, server_port: int, folder: Path, name: str) -> None:
        self._server_port = server_port
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _run(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with await asyncio.start_server(self._serve, "127.0.0.1", 0) as listener:
            self.port: int = listener.sockets[0].getsockname()[1]
            self._ready.set()
            await self._stop.wait()
            listener.close()
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()
            await asyncio.sleep(0.1)  # for their ends

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers = [writer]
        try:
            assert await reader.readexactly(len(SSL_REQUEST)) == SSL_REQUEST
            writer.write(b"S")
            await writer.start_tls(self._context)
            servers_reader, servers_writer = await asyncio.open_connection(
                "127.0.0.1", self._server_port
            )
            writers.append(servers_writer)
            await asyncio.gather(_pump(reader, servers_writer), _pump(servers_reader, writer))
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client does not trust us, or has gone
        finally:
            for one in writers:
                one.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while part := await reader.read(65536):
        writer.write(part)
        await writer.drain()
    writer.close()
