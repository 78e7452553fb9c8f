"""Who asks much and reads nothing takes little memory, and keeps nobody out."""

from contextlib import ExitStack
from pathlib import Path

from tests.http.blocking import peak_memory
from tests.http.raw import LIVE, Connection, Message, exchange
from tests.service import Service

KIB, MIB = 2**10, 2**20
# The largest file that anybody may ask for; not compressed.
LARGEST = Message("GET", "/docs")


def test_unread_files_take_little_memory_and_keep_nobody_out(tmp_path: Path) -> None:
    settings = {"max_connections": 2000, "body_timeout": 2}  # of which a network has half
    with Service(tmp_path, settings=settings) as service, ExitStack() as stack:
        assert len(exchange(service.origin, LARGEST).body) > 100 * KIB
        before = peak_memory(service)
        for _ in range(900):
            unread = Connection(service.origin, receive_buffer=4096)
            stack.enter_context(unread).send(LARGEST)
        assert exchange(service.origin, LIVE).status == 200
        assert peak_memory(service) - before < 50 * MIB
        assert len(exchange(service.origin, LARGEST).body) > 100 * KIB
