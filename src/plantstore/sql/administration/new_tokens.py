"""Grants tokens, with the users, stores and memberships that they need.

Invariant: a token allows at most what its user's role and its giver's scopes allow.
"""

from datetime import UTC, datetime
from shlex import quote

from msgspec.structs import replace

from plantstore.core.errors import ForbiddenError, InvalidChangeError, RoleTooLowError, SetupError
from plantstore.core.model import LABEL_MAX, Grant, Role, Scope, broken_rule
from plantstore.sql.administration import records
from plantstore.sql.administration.tokens import IssuedToken, insert_token
from plantstore.sql.session import Queries

EXPIRY_MAX = 253_402_300_799_999  # the end of 9999, the last year that RFC 3339 can express
ANYTHING = frozenset(Scope)  # what the command line may grant


def find_missing(session: Queries, grant: Grant) -> list[str]:
    """What would be created with the token, each with a similar name that was perhaps meant."""
    missing = []
    if records.find_user(session, grant.subject) is None:
        names = [user.subject for user in records.list_users(session)]
        missing.append(f"user {grant.subject!r}{records.find_meant(grant.subject, names)}")
    if records.find_store(session, grant.store) is None:
        names = [store.name for store in records.list_stores(session)]
        missing.append(f"store {grant.store!r}{records.find_meant(grant.store, names)}")
    return missing


def create_token(session: Queries, grant: Grant) -> IssuedToken:
    made: list[str] = []
    if (user := records.find_user(session, grant.subject)) is None:
        user = records.insert_user(session, grant.subject)
        made.append(f"created the user {user.subject}")
    store, default = records.find_store(session, grant.store), Role.EDITOR
    if store is None:  # its first member owns it
        store, default = records.insert_store(session, grant.store, grant.max_plants), Role.OWNER
        made.append(f"created the empty store {store.name}")
    if (role := records.find_role(session, store.store_id, user.user_id)) is None:
        role = grant.role or default
        records.set_role(session, store.store_id, user.user_id, role)
        made.append(f"made {user.subject} {role} of {store.name}")
    elif grant.role not in (None, role):
        change = f"--store {store.name} --user {quote(user.subject)} --role {grant.role}"
        raise SetupError(
            f"{user.subject} is already {role} of {store.name}: change that with `plantstore "
            f"member add {change}`"
        )
    # A token for all stores is limited in each store by the role there.
    given = limit_grant(grant, Role.OWNER if grant.all_stores else role)
    return replace(insert_token(session, store.store_id, user.user_id, given), made=tuple(made))


def label_by(name: str) -> str:
    """The default label of a token: who created it, and today's date, in UTC."""
    return f"{begin_label(name)}{datetime.now(UTC):%Y-%m-%d}"


def begin_label(name: str) -> str:
    """What precedes the date in a default label; a long name is cut."""
    return f"{name[: LABEL_MAX - len(' 2030-01-31')]} "


def limit_grant(grant: Grant, role: Role, giver: frozenset[Scope] = ANYTHING) -> Grant:
    """The grant with its scopes, limited by the user's role and the giver's scopes.

    :raises ForbiddenError: the giver does not have the scopes.
    :raises RoleTooLowError: the role does not allow the scopes.
    :raises InvalidChangeError: the label or expiry is invalid.
    """
    if grant.label and (reason := broken_rule(grant.label, LABEL_MAX)):
        raise InvalidChangeError(reason=f"the label {reason}")
    if grant.expires_at is not None and grant.expires_at > EXPIRY_MAX:
        raise InvalidChangeError(reason="the expiry must be before the year 10000")
    scopes = role.default_scopes & giver if grant.scopes is None else grant.scopes
    if grant.manages:
        scopes |= {Scope.MANAGE}
    if missing := (scopes or role.default_scopes) - giver:  # or the giver has none of the defaults
        raise ForbiddenError(scope=min(missing).value)
    if beyond := scopes - role.scopes:
        names = ", ".join(sorted(beyond))
        enough = next(higher for higher in Role if scopes <= higher.scopes)
        reason = f"the role {role} does not allow: {names}; give the user the role {enough} first"
        raise RoleTooLowError(reason=reason, enough=enough)
    return replace(grant, scopes=scopes)
