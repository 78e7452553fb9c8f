"""Large tables: one store with most of the plants, among many small stores.

The same rows on every database, made inside it. ``user-1`` is a member of all stores.
"""

import os
from collections.abc import Sequence
from hashlib import sha256

# FULL_SIZE makes them ten times as large, which takes minutes; the plans are the same.
_FACTOR = 10 if os.environ.get("FULL_SIZE") else 1
PLANTS = 100_000 * _FACTOR  # of the large store
STORES = 10_000 * _FACTOR
EVENTS = PLANTS // 10  # of the large store
LARGE = STORES // 2
SMALL = STORES  # the last store: the rows of all others come before its rows
RARE = PLANTS // 100  # one in so many plants of the large store has the tag "rare"
PLANTS_OF_SMALL = 2
ENDED = 1000  # tokens of the large store
DELIVERIES = 1000  # of the small store's webhook
OLD = 100  # keys of this age or older are few


def hash_of(number: int) -> bytes:
    return sha256(number.to_bytes(8, signed=True)).digest()


def filling() -> Sequence[str]:
    """Statements that fill the tables of an empty schema.

    The database has a function ``hash_of`` and a table ``numbers (n)``, from 1 to ``PLANTS``.
    """
    return (
        f"{_USER} n, 'user-' || n, n {_numbers(STORES)}",
        f"{_STORE} SELECT n, 'store-' || n, n {_numbers(STORES)}",
        f"{_STORE} VALUES (0, 'half', 0)",
        f"INSERT INTO revisions (store_id, revision) SELECT n, {EVENTS} {_numbers(STORES)}",
        f"{_MEMBER} n, n, 0, n, 'owner' {_numbers(STORES)}",
        f"{_MEMBER} n, 1, 0, NULL, 'reader' {_numbers(STORES)} AND n > 1",
        f"{_CREDENTIALS} n, hash_of(n), n, n = 1, 'list', '', n {_numbers(STORES)}",
        f"{_ENDED} {LARGE}, hash_of(-n), {LARGE}, n < 0, 'list', '', n, n {_numbers(ENDED)}",
        f"{PLANT} {LARGE}, n, 'Fern', {_TAG} {_numbers(PLANTS)}",
        f"{PLANT} n, 1, 'Fern', 'common' {_numbers(STORES)} AND n <> {LARGE}",
        f"{PLANT} n, 2, 'Moss', NULL {_numbers(STORES)} AND n <> {LARGE}",
        f"{EVENT} {LARGE}, n, 'plant.created', n, 'Fern', n, 1, '' {_numbers(EVENTS)}",
        f"{EVENT} n, 1, 'plant.created', 1, 'Fern', n, n, '' {_numbers(STORES)} AND n <> {LARGE}",
        f"{_KEY} {LARGE}, {LARGE}, 'key-' || n, hash_of(1), 'created', n {_numbers(STORES)}",
        f"{_LINK} {SMALL}, hash_of({SMALL}), {SMALL}, 'list', '', {STORES * 20}, hash_of({SMALL})",
        f"{_KEY} n, n, 'key', hash_of(1), 'created', n {_numbers(STORES)}",
        f"{_WEBHOOK} {SMALL}, 'w', 'https://a.invalid', '', '', 'whsec_', 0, 0",
        f"{_DELIVERY} {SMALL}, 'w', n, 'plant.created', 0, '' {_numbers(DELIVERIES)}",
    )


_STORE = "INSERT INTO stores (store_id, name, created_at)"
_USER = "INSERT INTO users (user_id, subject, created_at) SELECT"
_CREDENTIALS = (
    "INSERT INTO tokens"
    " (store_id, token_hash, user_id, all_stores, scopes, label, created_at) SELECT"
)
_ENDED = _CREDENTIALS.replace("created_at", "created_at, revoked_at")
_MEMBER = "INSERT INTO members (store_id, user_id, since, added_by, role) SELECT"
PLANT = "INSERT INTO plants (store_id, id, name, tag) SELECT"
_TAG = f"CASE WHEN n % {RARE} = 0 THEN 'rare' WHEN n % 2 = 0 THEN 'common' END"
EVENT = (
    "INSERT INTO events (store_id, revision, kind, plant_id, name, at, user_id, token_label) SELECT"
)
_LINK = (
    "INSERT INTO links (store_id, code_hash, user_id, scopes, label, expires_at, maker_hash) SELECT"
)
_WEBHOOK = (
    "INSERT INTO webhooks"
    " (store_id, webhook_id, url, kinds, description, secret, created_at, delivered) SELECT"
)
_DELIVERY = "INSERT INTO deliveries (store_id, webhook_id, number, kind, duration, response) SELECT"
_KEY = (
    "INSERT INTO idempotency_keys (store_id, user_id, key, fingerprint, outcome, created_at) SELECT"
)


def _numbers(count: int) -> str:
    return f"FROM numbers WHERE n <= {count}"
