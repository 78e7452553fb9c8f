"""The messages of the domain's errors on the command line; ``http/errors.py`` has those for HTTP.

A message says what happened, then what to do. It is formatted with the error's details and the
command's ``store``.
"""

import shlex
from collections.abc import Mapping

from plantstore.core import errors
from plantstore.core.errors import PlantStoreError

# fmt: off
SENTENCES: Mapping[type[PlantStoreError], str] = {
    errors.InvalidChangeError: "{reason}",
    errors.RoleTooLowError:
        "{reason}, with --role {enough} for a new member, or `plantstore member add "
        "--store {store} --user {user} --role {enough}`",
    errors.NoSuchStoreError: "there is no store {store!r}{meant}; the stores are: {stores}",
    errors.NoSuchMemberError:
        "{subject} is not a member of {store}: `plantstore member list --store {store}` shows the "
        "members, `plantstore member add --create --store {store} --user {subject} --role editor` "
        "adds {subject}",
    errors.LastOwnerError:
        "{subject} is the last owner of {store}: make another member an owner first, "
        "with `plantstore member add --store {store} --role owner --user NAME`, or give --yes",
    errors.TooMuchAccessError: "{store} has too many {things}: wait until they expire",
    errors.NoSuchTokenError:
        "there is no such token: `plantstore token list` shows all ids, and --user NAME stands for "
        "all tokens of a user",
    errors.NoSuchLinkError:
        "there is no link with the id {link_id}: it was used, revoked or expired; "
        "`plantstore link list` shows the unused links",
    errors.NoSuchWebhookError:
        "{store} has no webhook {webhook_id}: `plantstore webhook list --store {store}` shows them",
}
# fmt: on


def describe_error(error: PlantStoreError) -> str:
    """The message for an error of administration; names in commands are quoted for the shell."""
    quoted = {name: shlex.quote(str(value)) for name, value in error.details.items()}
    parts = SENTENCES[type(error)].split("`")
    parts[::2] = [part.format(**error.details) for part in parts[::2]]
    parts[1::2] = [part.format(**quoted) for part in parts[1::2]]
    return "`".join(parts)
