"""A real server process for tests, with its database, its tokens and its clients."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Self

import httpx

from plantstore.core.model import Grant, Role, Scope
from plantstore.core.settings import Settings
from plantstore.databases import create_database
from plantstore.program.loading import SETTINGS
from tests.administration import Administration, Event, open_administration
from tests.fork_server import ForkedProcess

START_SECONDS = 30.0
STOP_SECONDS = 30.0
# All tests come from one address, many with invalid tokens; on a busy machine any request is slow.
_SETTINGS = {"port": 0, "invalid_token_rate": "1000000/second", "slow_request": 0}
JSON = {"Content-Type": "application/json"}


class Service:
    """``plantstore serve`` on a free port. ``settings`` become its environment.

    Settings that users cannot set, such as ``body_timeout``, are set in the process, as are
    constants of modules, such as ``server.workers._HANG_SECONDS``.

    ``command`` starts the program, instead of a fork.
    """

    def __init__(
        self,
        folder: Path,
        *,
        database: str | None = None,
        settings: Mapping[str, object] | None = None,
        command: tuple[str, ...] = (),
    ) -> None:
        self.database = database or f"sqlite:///{folder / 'plants.db'}"
        self.log_path = folder / "log.txt"
        self.command = command
        self.descriptors: list[int] = []  # which the command inherits
        bounds = Settings.__struct_fields__ - SETTINGS.keys()
        defaults = {name: value for name, value in _SETTINGS.items() if name in SETTINGS}
        values = {**defaults, **(settings or {}), "database": self.database}
        inside = {name for name in values if name in bounds or "." in name}
        self._bounds = {name: values.pop(name) for name in inside}
        self._environ = os.environ | {
            f"PLANTSTORE_{name.upper()}": str(value) for name, value in values.items()
        }

    def start(self) -> Self:
        """Start the process, and return when it is ready."""
        log_size = self.log_path.stat().st_size if self.log_path.exists() else 0
        self.launch()
        deadline = time.monotonic() + START_SECONDS
        self.wait_for_origin(log_size)
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.origin}/readyz", verify=False).status_code == 200:
                    return self
            except httpx.TransportError:
                time.sleep(0.02)
        raise AssertionError(f"not ready:\n{self.log()}")

    def launch(self) -> None:
        self.process: subprocess.Popen[bytes] | ForkedProcess
        with self.log_path.open("ab") as log, Path(os.devnull).open("rb") as nothing:
            if self.command:
                self.process = subprocess.Popen(
                    [*self.command, "serve"],
                    env=self._environ,
                    stdout=log,
                    stderr=log,
                    pass_fds=self.descriptors,
                )
            else:
                streams = [stream.fileno() for stream in (nothing, log, log)]
                self.process = ForkedProcess(["serve"], self._environ, streams, bounds=self._bounds)

    def start_again_on(self, port: str) -> None:
        """Start the process on its earlier port, where its clients find it."""
        self._environ["PLANTSTORE_PORT"] = port
        self.start()

    def stop(self) -> int:
        """Stop the process as a supervisor does; return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)

    def kill(self) -> None:
        """Kill the process, which to the process is like a power loss."""
        self.process.kill()
        self.process.wait(STOP_SECONDS)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if self.process.poll() is None:
            self.stop()
        if error is not None:
            error.add_note(f"The service's exit status: {self.process.returncode}\n{self.log()}")

    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8")

    def make_token(
        self,
        store: str = "nursery",
        user: str = "ada",
        *,
        role: Role | None = None,
        scopes: frozenset[Scope] | None = None,
        expires_at: int | None = None,
        all_stores: bool = False,
    ) -> str:
        """A new token, as ``plantstore token create`` makes it."""
        request = Grant(
            subject=user,
            store=store,
            role=role,
            scopes=scopes,
            expires_at=expires_at,
            all_stores=all_stores,
        )
        with self.administration() as administration:
            return administration.create_token(request).secret

    def administration(self) -> closing[Administration]:
        """Opens the administration of the service's database, for a ``with`` block."""
        create_database(self.database)
        return closing(open_administration(self.database))

    def revoke(self, token: str) -> None:
        """Revoke a token, as ``plantstore token revoke`` does."""
        with self.administration() as administration:
            administration.revoke_token(token)

    def set_role(self, store: str, user: str, role: Role) -> None:
        """Give a user a role in a store, as ``plantstore member add`` does."""
        with self.administration() as administration:
            administration.add_member(store, user, role)

    def events(self, store: str) -> list[Event]:
        with self.administration() as administration:
            return list(administration.list_events(store))

    @contextmanager
    def client(self, token: str | None) -> Iterator[httpx.Client]:
        """An HTTP client that sends the token; without TLS, whose setup takes 50 ms per client."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        with httpx.Client(
            base_url=self.origin, headers=headers, timeout=30, verify=False
        ) as client:
            yield client

    def status_of(self, token: str) -> int:
        """The status of a list with the token, on a new connection."""
        with self.client(token) as client:
            return client.get("/plants").status_code

    def wait_for_origin(self, log_size: int = 0) -> None:
        """Wait until the log, after so many characters, has the origin; it may not be ready."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            match = re.search(r'serving .* on ([^\s"]+)', self.log()[log_size:])
            if match:
                self.origin = match[1]
                return
            time.sleep(0.02)
        raise AssertionError(f"did not start:\n{self.log()}")
