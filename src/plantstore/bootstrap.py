"""The composition root: puts the application, its database and the features together."""

import gc
import time
from functools import partial
from socket import socket
from typing import TYPE_CHECKING

from plantstore.core.settings import Settings
from plantstore.databases import find_open_session, is_postgres, open_database
from plantstore.features import load_parts

if TYPE_CHECKING:
    from plantstore.http.app import App


def serve(settings: Settings, listeners: list[socket]) -> bool:
    """Serve until a signal or a broken database stops the service: True for a signal.

    :raises SetupError: the database, or the address for metrics, cannot be used.
    """
    from plantstore.server.serve import serve as run

    if settings.workers > 1:  # workers share the code, and a restarted one has no newer version
        import plantstore.http.app

        list(load_parts("adds_to"))
        if is_postgres(settings.database):
            import plantstore.postgres.database
        else:
            import plantstore.sqlite.database  # noqa: F401 - the last of them
    return run(partial(create_app, settings, time.time()), settings, listeners)


async def create_app(settings: Settings, began: float, number: int) -> "App":
    """The application on its database, in the service's process with this number."""
    from plantstore.http.app import App

    database = await open_database(settings)
    app = App(database, settings, find_open_session(settings.database), number, began)
    for add in load_parts("adds_to"):
        add(app)
    gc.freeze()  # objects of the start stay alive: garbage collection can skip them
    return app
