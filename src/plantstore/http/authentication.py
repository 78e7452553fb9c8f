"""Authentication: turns the Authorization header into a caller who may do what is requested.

Each request takes a turn of its user.
"""

import re
import time
from collections.abc import Awaitable, Sequence

from msgspec import Struct

from plantstore.core import errors
from plantstore.core.clock import now
from plantstore.core.database import Database, Row
from plantstore.core.fair_queue import BYTES_READ, COMMAS_READ, REFUSED, ROUTED, FairQueue
from plantstore.core.model import Caller, Principal, Scope, is_store_name
from plantstore.core.operations import require_scope
from plantstore.core.pools import Pools, network_of
from plantstore.core.proxies import Proxies
from plantstore.core.settings import Settings, read_rate
from plantstore.core.tokens import MAX_LENGTH, can_be_declared, hash_token, read_store_id
from plantstore.http.lanes import Lanes
from plantstore.http.rates import InvalidTokens, Rates, require
from plantstore.server.messages import Request

_SCHEME = b"Bearer "
_AUTHORIZATION = re.compile(rb"\r\nauthorization:[ \t]*+([^\r\n]*+)\r\n", re.IGNORECASE)
_MAX_BODY = 64 * 1024
_MAX_TOKENS = 10_000  # that are known
_MAX_STORES = 64  # per token
_MAX_AGE_SECONDS = 10.0  # also the precision of a token's last use
REFUSALS = (
    # Of a write: the first three before its transaction, the others by it.
    *(errors.RequestError, errors.InvalidChangeError, errors.OverloadedError),
    *(errors.InvalidTokenError, errors.ForbiddenError, errors.NoSuchStoreError),
)


class KnownToken(Struct):
    """A valid token: its user and hash, and callers by store name (None: the token's own store).

    Until ``writes_until``, in seconds, writes to the own store may begin with the cached caller.
    """

    principal: Principal
    token_hash: bytes
    callers: dict[str | None, Caller] = {}
    writes_until: float = 0.0


class KnownTokens:
    """The known ``tokens`` by Authorization header; new ones evict the oldest.

    A cached caller is current until the next commit. For a write, a caller of the last ten seconds
    suffices, because the transaction checks the token again. A known token is never a guess.
    """

    def __init__(self) -> None:
        self.tokens: dict[bytes | None, KnownToken] = {}

    def add(self, sent: bytes, principal: Principal, token_hash: bytes) -> KnownToken:
        if len(self.tokens) >= _MAX_TOKENS:
            del self.tokens[next(iter(self.tokens))]
        known = self.tokens[sent] = KnownToken(principal, token_hash)
        return known

    def put(self, sent: bytes, store_name: str | None, caller: Caller) -> None:
        """Cache a caller that was looked up, unless its token was evicted since."""
        known = self.tokens.get(sent)
        if known is None:
            return
        if len(known.callers) >= _MAX_STORES:
            self.expire(sent)
        known.callers[store_name] = caller
        if store_name is None:
            known.writes_until = time.time() + _MAX_AGE_SECONDS
            if caller.expires_at is not None:
                known.writes_until = min(known.writes_until, caller.expires_at / 1000)

    def expire(self, sent: bytes | None) -> None:
        """Drop the token's callers: the next request looks them up."""
        if known := self.tokens.get(sent):
            known.callers.clear()
            known.writes_until = 0.0


class Authentication:
    """Finds callers, who take ``turns``; ``rates``, if any, limit their calls."""

    def __init__(
        self, database: Database, settings: Settings, pools: Pools, turns: FairQueue
    ) -> None:
        self._proxies = Proxies(settings.trusted_proxies)
        limit = settings.rate_limit
        self.rates = None if limit is None else Rates(*read_rate(limit))
        self.turns = turns
        self.lanes = Lanes(self.turns)
        self._database = database
        self._invalid = InvalidTokens(*read_rate(settings.invalid_token_rate))
        self._requests = pools.requests
        self._known = KnownTokens()

    def client_address(self, request: Request) -> str:
        return self._proxies.find_client(request.address, request.read_tracing)

    def find_user(self, head: bytes | memoryview) -> Principal | None:
        """The user of the known token in a head that is not yet parsed."""
        line = _AUTHORIZATION.search(head)
        known = self._known.tokens.get(line[1]) if line else None
        return known.principal if known else None

    def enter(self, request: Request) -> Awaitable[None] | None:
        """A turn to wait for before anything is done: of a known token's user, or the network."""
        known = self._known.tokens.get(request.headers.get(b"authorization"))
        if known is None:
            network = network_of(self.client_address(request))
            has_turn = self.turns.try_take(network, REFUSED)
            return None if has_turn else self.turns.wait(network, REFUSED)
        has_turn = self._try_enter(request, known.principal)
        return None if has_turn else self.turns.wait(known.principal, ROUTED)

    async def admit(self, request: Request, store_name: str | None, scope: Scope | None) -> Caller:
        """The caller, who has the scope in the store (None: the token's own); waits for a turn.

        :raises PlantStoreError: the token is missing or invalid, or has no access to the store or
            no such scope; or there were too many calls.
        """
        caller = await self._find_caller(request, store_name, scope)
        if self.rates is not None:
            require(self.rates.take(caller.principal))
        return caller

    async def admit_write(self, request: Request, store_name: str | None, scope: Scope) -> Caller:
        """Like ``admit``, for a write: a recent caller suffices: the transaction checks it.

        If the write is refused, call ``confirm``.
        """
        known = self._known.tokens.get(request.headers.get(b"authorization"))
        if (
            known is None
            or request.turns_of is None  # it was not yet known when the request entered
            or store_name is not None
            or known.writes_until <= time.time()
            or scope not in (caller := known.callers[None]).permissions
        ):
            caller = await self._find_caller(request, store_name, scope)
        request.caller, request.writes = caller, (store_name, scope)
        if self.rates is not None:
            require(self.rates.take(caller.principal))
        return caller

    async def confirm(self, request: Request) -> None:
        """Look up the caller of a refused write: perhaps no transaction checked the token.

        :raises PlantStoreError: the caller is now refused for another reason.
        """
        if request.writes is not None:
            self._known.expire(request.headers.get(b"authorization"))
            await self._find_caller(request, *request.writes)

    async def read_body(self, request: Request) -> bytes:
        """The complete body; one that is long, or has many values, takes a turn to be decoded.

        :raises RequestError: it is too long, too slow, or not well-formed.
        """
        body, cost = request.body, 0
        if not isinstance(body, bytes):
            body = await body.read(_MAX_BODY)
            cost = len(body) // BYTES_READ
        await self.turns.take(request.turns_of, cost + body.count(b",") // COMMAS_READ)
        return body

    async def introspect(self, request: Request) -> Sequence[Row]:
        """The rows of ``find_token_info``: about the token, and each store that it opens.

        :raises PlantStoreError: the token is missing or invalid, or there were too many calls.
        """
        caller = await self._find(request, None)
        await self.turns.take(caller.principal, ROUTED)
        token = (caller.token_store_id, caller.token_hash)
        async with self.lanes.of(request, is_long=True):
            rows = await self._database.read("find_token_info", *token)
        if not rows:  # it was revoked meanwhile
            raise errors.InvalidTokenError
        if self.rates is not None:
            require(self.rates.take(caller.principal))
        return rows

    async def _find_caller(
        self, request: Request, store_name: str | None, scope: Scope | None
    ) -> Caller:
        caller = await self._find(request, store_name)
        require_scope(caller, scope)
        return caller

    async def _find(self, request: Request, store_name: str | None) -> Caller:
        """The caller as of now, who need not be a member, from the cache or the database."""
        request.caller = None
        sent, known = await self._read_token(request)
        caller = None if known is None else known.callers.get(store_name)
        if caller is None or not caller.unchanged() or _is_expired(caller):
            # No store has an empty name.
            name = store_name if store_name is None or is_store_name(store_name) else ""
            caller = await self._look_up(request, sent, known, name)
            if caller.role is not None:
                self._known.put(sent, store_name, caller)
        request.caller = None if caller.role is None else caller
        return caller

    async def _look_up(
        self, request: Request, sent: bytes, known: KnownToken | None, store_name: str | None
    ) -> Caller:
        """Look up the token in the database, and count invalid tokens."""
        token = sent.removeprefix(_SCHEME).decode("latin-1")
        if known is None:
            self._invalid.check(self.client_address(request), token)
            store_id, token_hash = read_store_id(token), hash_token(token)
            if store_id is None and can_be_declared(token):
                rows = await self._database.read("find_store_of_token", token_hash)
                store_id = rows[0][0] if rows else None
        else:
            store_id, token_hash = known.principal[0], known.token_hash
        caller: Caller | None = None
        if store_id is not None:
            caller = await self._database.find_caller(store_id, token_hash, store_name)
        if caller is None or _is_expired(caller):
            self._known.tokens.pop(sent, None)
            self._invalid.count(self.client_address(request), token, was_valid=known is not None)
            raise errors.InvalidTokenError
        if known is None:
            known = self._known.add(sent, caller.principal, token_hash)
            if not self._try_enter(request, known.principal):
                await self.turns.wait(known.principal, ROUTED)
                # The token may have been revoked meanwhile.
                return await self._look_up(request, sent, known, store_name)
        return caller

    def _try_enter(self, request: Request, principal: Principal) -> bool:
        """Count the request as in flight, once; returns whether its user has a turn now."""
        if request.turns_of is not None:
            return True
        if not self._requests.try_acquire(principal[0]):
            raise errors.OverloadedError
        request.turns_of, request.holder = principal, principal[0]
        return self.turns.try_take(principal, ROUTED)

    async def _read_token(self, request: Request) -> tuple[bytes, KnownToken | None]:
        """The Authorization header in canonical form, and the token if it is known.

        If the token was not yet known when the request entered, it takes its user's turn here.
        """
        sent = request.headers.get(b"authorization", b"")
        known = self._known.tokens.get(sent)
        if known is None:
            scheme, token = sent[: len(_SCHEME)], sent[len(_SCHEME) :]
            if scheme.lower() != _SCHEME.lower():
                raise errors.RequestError(40101)
            sent = _SCHEME + token.strip()[:MAX_LENGTH]
            known = self._known.tokens.get(sent)
        if known is not None and not self._try_enter(request, known.principal):
            await self.turns.wait(known.principal, ROUTED)
        return sent, known


def _is_expired(caller: Caller) -> bool:
    return caller.expires_at is not None and caller.expires_at <= now()
