"""Creates tokens, with the users, stores and memberships that they need.

The functions run within a transaction of the given session.
"""

from plantstore.errors import SetupError
from plantstore.model import (
    EXPIRY_MAX,
    LABEL_MAX,
    Role,
    Scope,
    Store,
    TokenRequest,
    User,
    broken_rule,
)
from plantstore.sql.administered import IssuedToken
from plantstore.sql.records import (
    find_role,
    find_store,
    find_user,
    insert_store,
    insert_user,
    set_role,
)
from plantstore.sql.scopes import to_text
from plantstore.sql.session import Session
from plantstore.sql.token_records import insert_token


def find_missing(session: Session, request: TokenRequest) -> list[tuple[str, str]]:
    """What would be created with the token, such as the ``user`` with the name ``ada``."""
    missing = []
    if find_user(session, request.subject) is None:
        missing.append(("user", request.subject))
    if request.store is not None and find_store(session, request.store) is None:
        missing.append(("store", request.store))
    return missing


def create_token(session: Session, request: TokenRequest) -> IssuedToken:
    """Create a token, and a missing store, user or membership."""
    made: list[str] = []
    user = find_user(session, request.subject)
    if user is None:
        user = insert_user(session, request.subject)
        made.append(f"created the user {user.subject}")
    store, role = _join(session, request, user, made)
    scopes = to_text(choose_scopes(request, role))
    values = (user.user_id, request.all_stores, scopes, request.label)
    issued = insert_token(session, store.store_id, values, request.expires_at)
    return IssuedToken(*issued, tuple(made))


def check_request(request: TokenRequest) -> None:
    """Refuse a label or an expiry that a token cannot have.

    :raises SetupError: the message names the rule.
    """
    if request.label and (reason := broken_rule(request.label, LABEL_MAX)):
        raise SetupError(f"a token's label {reason}")
    if request.expires_at is not None and not 0 <= request.expires_at <= EXPIRY_MAX:
        raise SetupError("a token's expiry must be from 1970 to 9999")


def _join(
    session: Session, request: TokenRequest, user: User, made: list[str]
) -> tuple[Store, Role]:
    """The token's store, and the user's role there."""
    if request.store is not None:
        store, role = _join_store(session, request, request.store, user, made)
    if request.store is None or request.all_stores:
        # The role in each store bounds what the token may do there.
        return _require_first_store(session, user), Role.OWNER
    return store, role


def _join_store(
    session: Session, request: TokenRequest, name: str, user: User, made: list[str]
) -> tuple[Store, Role]:
    """The store and the user's role in it; a new store's first member owns it."""
    store, default, wanted = find_store(session, name), Role.EDITOR, request.role
    if store is None:
        store, default = insert_store(session, name, request.max_plants), Role.OWNER
        made.append(f"created the empty store {store.name}")
    role = find_role(session, store.store_id, user.user_id)
    if role is None:
        role = wanted or default
        set_role(session, store, user, role)
        made.append(f"made {user.subject} {role} of {store.name}")
    elif wanted not in (None, role):
        raise SetupError(
            f"{user.subject} is already {role} of {store.name}: change that with `plantstore "
            f"member add --store {store.name} --user {user.subject} --role {wanted}`"
        )
    return store, role


def _require_first_store(session: Session, user: User) -> Store:
    rows = session.query("find_first_store", user.user_id)
    if not rows:
        raise SetupError(f"{user.subject} is not a member of any store: name one with --store")
    return Store(*rows[0])


def choose_scopes(request: TokenRequest, role: Role) -> frozenset[Scope]:
    """What a token may do that a user with this role gets.

    :raises SetupError: the role does not allow what is asked for.
    """
    wanted = role.default_scopes if request.scopes is None else request.scopes
    if request.manages:
        wanted |= {Scope.MANAGE}
    if beyond := wanted - role.scopes:
        raise SetupError(f"the role {role} does not allow: {', '.join(sorted(beyond))}")
    return wanted
