"""Administration by commands and over HTTP: stores, users, members, tokens and links."""

from typing import Annotated

from msgspec import Struct

from plantstore.core.errors import SetupError
from plantstore.core.tokens import find_weakness
from plantstore.feature import Feature


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
        if self.token is not None and (weakness := find_weakness(self.token)):
            raise SetupError(
                f"the setting token {weakness}: make another one with `openssl rand -hex 32`"
            )


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
