"""Who asks much and reads nothing takes little memory, and keeps nobody out."""

import re
from contextlib import ExitStack
from pathlib import Path

import httpx

from tests.http.blocking import peak_memory
from tests.http.raw import LIVE, Connection, Message, exchange
from tests.service import Service

MIB = 2**20


def find_script(origin: str) -> str:
    """The largest file that anybody may ask for: 1.4 MB."""
    page = httpx.get(f"{origin}/docs").text
    found = re.search(r"static/[0-9a-f]+/swagger-ui-bundle\.js", page)
    assert found
    return f"/{found[0]}"


def test_unread_files_take_little_memory_and_keep_nobody_out(tmp_path: Path) -> None:
    settings = {"max_connections": 1000, "body_timeout": 2}
    with Service(tmp_path, settings=settings) as service, ExitStack() as stack:
        large = Message("GET", find_script(service.origin))
        assert len(exchange(service.origin, large).body) > MIB
        before = peak_memory(service)
        for _ in range(900):
            unread = Connection(service.origin, receive_buffer=4096)
            stack.enter_context(unread).send(large)
        assert exchange(service.origin, LIVE).status == 200
        assert peak_memory(service) - before < 50 * MIB
        assert len(exchange(service.origin, large).body) > MIB
