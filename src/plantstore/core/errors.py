"""The domain's errors.

They know nothing of HTTP: numbers, statuses and messages are in the table of ``http/errors.py``,
which formats the message with the error's details.
"""

from collections.abc import Iterable


class PlantStoreError(Exception):
    """Base of all errors that clients see; ``details`` are the values in the message."""

    def __init__(self, **details: object) -> None:
        super().__init__(*details.values())
        self.details = details


class RequestError(PlantStoreError):
    """The request is invalid, or cannot be served now; ``number`` identifies the table's row."""

    def __init__(self, number: int, **details: object) -> None:
        super().__init__(**details)
        self.number = number


class IdTakenError(PlantStoreError):
    """The id belongs to another plant of this store. Details: ``plant_id``."""


class AlreadyStoredError(PlantStoreError):
    """An identical plant is stored already. Details: ``plant_id``."""


class KeyReusedError(PlantStoreError):
    """The Idempotency-Key was used for another request."""


class InvalidTokenError(PlantStoreError):
    """The token is unknown, malformed, expired or revoked: clients do not learn which."""


class ForbiddenError(PlantStoreError):
    """The token's scopes or its user's role do not allow this. Details: ``scope``, ``caller``.

    ``caller`` is given only if the application does not know it yet.
    """


class StoreFullError(PlantStoreError):
    """The store's quota is used up. Details: ``plant_id``."""


class NoSuchPlantError(PlantStoreError):
    """The store has no plant with this id. Details: ``plant_id``."""


class PreconditionFailedError(PlantStoreError):
    """The plant does not meet the request's precondition. Details: ``plant_id``."""


class NoSuchStoreError(PlantStoreError):
    """There is no such store, or the caller is not a member: clients do not learn which.

    Details, only for commands: ``store``, ``meant`` (a similar name), and ``stores`` (existing
    names).
    """


class InvalidChangeError(PlantStoreError):
    """The requested change is not possible. Details: ``reason``."""


class RoleTooLowError(InvalidChangeError):
    """The user's role does not allow this. Details: ``reason``, ``enough``, a role that does."""


class NoSuchLinkError(PlantStoreError):
    """No unused link has this id. Details: ``link_id``."""


class NoSuchWebhookError(PlantStoreError):
    """The store has no such webhook. Details: ``webhook_id``."""


class NoSuchMemberError(PlantStoreError):
    """The store has no such member. Details: ``subject``."""


class NoSuchTokenError(PlantStoreError):
    """There is no such token, or it is not for this store. Details: ``token_id``, if given."""


class LastOwnerError(PlantStoreError):
    """The store would be left without an owner. Details: ``subject``."""


class TooMuchAccessError(PlantStoreError):
    """The store has the maximum number of these. Details: ``things``."""


class OverloadedError(PlantStoreError):
    """A limit on work in flight is reached; nothing was done."""


class DatabaseUnavailableError(PlantStoreError):
    """The database cannot be used now; nothing was written. Details: maybe ``reason``."""


class OutcomeUnknownError(PlantStoreError):
    """The database failed while committing: the write may or may not be stored."""


class SetupError(Exception):
    """A command cannot continue; the message says why, and what to do."""


class UsageError(SetupError):
    """The command line itself is wrong."""


def find_similar(name: str, names: Iterable[str], similarity: float = 0.6) -> str | None:
    """The most similar name, which was perhaps meant, if one is as similar as this, from 0 to 1."""
    from difflib import get_close_matches  # noqa: PLC0415 - seldom needed

    return next(iter(get_close_matches(name, list(names), 1, similarity)), None)
