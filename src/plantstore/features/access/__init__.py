"""Administration by commands and over HTTP: stores, users, members, tokens and links."""

import re
from typing import Annotated

from msgspec import Struct

from plantstore.core.errors import SetupError
from plantstore.core.tokens import CODE_PREFIX, MAX_LENGTH, MIN_DECLARED, PREFIX
from plantstore.feature import Feature

_MIN_DIFFERENT = 8  # characters of a declared token


class AccessSettings(Struct, frozen=True):
    """The settings of access."""

    token: Annotated[
        str | None,
        "a first token, of 32 to 128 characters, which opens the store `default` as its owner; for "
        "manifests, as a secret in a file. None by default",
    ] = None

    def __post_init__(self) -> None:
        """Refuse a weak token.

        :raises SetupError: the token is weak.
        """
        if self.token is not None and (weakness := _find_weakness(self.token)):
            raise SetupError(
                f"the setting token {weakness}: make another one with `openssl rand -hex 32`"
            )


def _find_weakness(token: str) -> str | None:
    """Why a text is too weak to be declared as a token; None if it is strong enough."""
    if not MIN_DECLARED <= len(token) <= MAX_LENGTH:
        return f"has {len(token)} characters, not {MIN_DECLARED} to {MAX_LENGTH}"
    if not re.fullmatch("[!-~]+", token):
        return "contains blanks or characters that are not ASCII"
    if token.startswith((f"{PREFIX}_", f"{CODE_PREFIX}_")):
        return f"looks like a token of the service: it begins with {token[:4]}"
    repeats = any(token.startswith(token[n:]) for n in range(1, len(token) // 2 + 1))
    if repeats or len(set(token)) < _MIN_DIFFERENT:
        return "repeats itself, so it can be guessed"
    return None


FEATURE = Feature(
    adds_to="http.routes.add_access",
    surrounds="declared.surround",
    settings=AccessSettings,
    commands={
        "link": "commands.links.link",
        "member": "commands.members.member",
        "store": "commands.stores.store",
        "user": "commands.users.user",
    },
    flags={"welcome": "Show how to sign in; create a first store."},
)
