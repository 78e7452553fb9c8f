"""What a connection waits for."""

from enum import Enum, auto


class Phase(Enum):
    """Each connection is in one of these."""

    HANDSHAKE = auto()  # the rest of TLS's handshake
    REQUEST = auto()  # a request, of which nothing has arrived
    HEAD = auto()  # the rest of a head
    RESPONSE = auto()  # the application, or the client reading its response
    BODY = auto()  # the rest of a body that nobody reads
    END = auto()  # the client, to close the connection
