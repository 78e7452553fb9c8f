"""The results of ``plantstore check``."""

from collections.abc import Callable

from msgspec import Struct

from plantstore.core.errors import SetupError


class Check(Struct, frozen=True):
    """A result; ``detail`` is a sentence that says what was found."""

    name: str
    ok: bool
    detail: str


def run_check(name: str, find: Callable[..., str], *arguments: object) -> Check:
    """The sentence that ``find`` returns, or its ``SetupError`` as a failed check."""
    try:
        return Check(name, ok=True, detail=find(*arguments))
    except SetupError as error:
        return Check(name, ok=False, detail=str(error))
