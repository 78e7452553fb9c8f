"""Arguments for every named query that reads rows, and how many rows of tables its result needs.

A page that is cut at its limit needs one more row, to see that there is one.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, astuple

from plantstore.core.model import INT64_MAX, INT64_MIN, NewPlant
from plantstore.features.events.reading import ARRAY, NO_EVENTS, STREAM
from tests.plans.tables import (
    DELIVERIES,
    ENDED,
    EVENTS,
    LARGE,
    OLD,
    PLANTS,
    PLANTS_OF_SMALL,
    RARE,
    SMALL,
    STORES,
    hash_of,
)

HASH = hash_of(SMALL)
LATER = STORES * 10  # a time after all others
PART = 5000  # rows of a store that one statement deletes
PAGE = 100
FERN = astuple(NewPlant(7, "Fern"))


READS_NO_ROWS = re.compile(
    r"INSERT (OR REPLACE )?INTO \w+ \([^()]+\)\s+VALUES\b|SAVEPOINT|ROLLBACK"
)


class Case(Struct, frozen=True):
    """Arguments of a query, and how many rows of tables its result needs."""

    arguments: Sequence[Any]
    rows: int


def pages(*extra: object, more: int = 1) -> list[Case]:
    """Pages of plants without a tag: first, last, exactly full, and of a small store."""
    return [
        Case((LARGE, INT64_MIN, PAGE, *extra), PAGE + more),
        Case((LARGE, PLANTS - PAGE // 2, PAGE, *extra), PAGE),
        Case((LARGE, PLANTS - PAGE + 1, PAGE, *extra), PAGE + more),
        Case((SMALL, INT64_MIN, PAGE, *extra), PLANTS_OF_SMALL),
        Case((SMALL, INT64_MIN, PLANTS_OF_SMALL, *extra), PLANTS_OF_SMALL + more),
        Case((STORES + 1, INT64_MIN, PAGE, *extra), 0),
    ]


def tagged(*extra: object) -> list[Case]:
    """Pages of plants with tags: a common, a rare and an absent one, and all of them."""
    few = PLANTS // RARE
    several = '["rare", "none", "common"]'
    return [
        Case((LARGE, INT64_MIN, PAGE, *extra, '["common"]', False), 2 * PAGE + 2),
        Case((LARGE, INT64_MIN, few, *extra, '["rare"]', True), 3 * few + 1),
        Case((LARGE, PLANTS // 2, few, *extra, '["rare"]', False), 2 * few),
        Case((LARGE, INT64_MIN, PAGE, *extra, '["none"]', True), 0),
        Case((SMALL, INT64_MIN, 1, *extra, '["common"]', True), 3),
        Case((LARGE, INT64_MIN, PAGE, *extra, several, False), 4 * PAGE + 2),
        Case((LARGE, PLANTS, PAGE, *extra, several, True), PLANTS // 2 + few),
    ]


def both(*arguments: object, large: int, small: int) -> list[Case]:
    """A query of a store and other arguments, for the large one and a small one."""
    return [Case((LARGE, *arguments), large), Case((SMALL, *arguments), small)]


# On every database.
COMMON: Mapping[str, Sequence[Case]] = {
    "find_token_info": [Case((SMALL, HASH), 5), Case((1, hash_of(1)), 3 + 2 * STORES)],
    "find_compatible_since": [Case((), 2)],
    "find_store_of_token": [Case((HASH,), 1)],
    "find_counts": [Case((SMALL,), 1)],
    "count_all": [Case((), 2 * STORES)],
    "read_events": [
        Case((LARGE, EVENTS // 2, PAGE, True, *astuple(ARRAY)), 2 * PAGE + 1),
        Case((LARGE, EVENTS // 2, PAGE, True, *astuple(NO_EVENTS)), 2 * PAGE + 1),
        Case((LARGE, EVENTS // 2, PAGE, True, *astuple(STREAM)), 2 * PAGE + 1),
        Case((LARGE, EVENTS - 1, PAGE, True, *astuple(ARRAY)), 3),
        Case((LARGE, EVENTS, PAGE, True, *astuple(ARRAY)), 1),
        Case((LARGE, 0, 0, False, *astuple(NO_EVENTS)), 1),
        Case((SMALL, 0, PAGE, True, *astuple(ARRAY)), 3),
    ],
    # Access that ended long ago is looked for once an hour, among all.
    "find_ended_tokens": [Case((LATER, PAGE), 2 * (STORES + ENDED))],
    "find_ended_links": [Case((LATER, PAGE), 1)],
    "find_unused_users": [Case((LATER, PAGE), 4 * STORES)],
    "find_oldest_event": [Case((0,), 1), Case((LARGE,), 1), Case((STORES,), 0)],
    "read_page": pages(True),  # noqa: FBT003 - an argument of SQL
    "read_page_of_tags": tagged(True),  # noqa: FBT003
    "find_last_of_limit": [Case((LARGE, INT64_MIN, PAGE), PAGE + 2), Case((SMALL, 0, 1), 3)],
    "find_last_of_limit_and_tags": [
        Case((LARGE, INT64_MIN, PAGE, '["common"]'), 2 * PAGE + 3),
        Case((LARGE, INT64_MIN, PLANTS // RARE - 1, '["rare"]'), 2 * PLANTS // RARE),
        Case((LARGE, INT64_MIN, PAGE, '["rare", "none", "common"]'), 4 * PAGE + 3),
        Case((SMALL, 0, 0, '["common"]'), 2),
    ],
    "find_time": [Case((), 0)],
    "delete_old_keys": [Case((OLD, PAGE), 4 * OLD), Case((0, PAGE), 0), Case((LATER, 200), 400)],
    "insert_revision": [Case(("half", None), 2 * STORES)],  # it counts them: a command
    "set_max_plants": [Case((SMALL, 1), 1)],
    "find_store": [Case((f"store-{SMALL}",), 2)],
    "delete_members_of_store": [Case((SMALL,), 2)],
    "raise_revision": [Case((SMALL, 1), 1)],
    "delete_plants_of_store": both(large=2 * PART, small=2 * PLANTS_OF_SMALL),
    "delete_events_of_store": both(large=2 * PART, small=2),
    "delete_keys_of_store": both(large=2 * PART, small=2),
    "delete_store": [Case((SMALL,), 1 + DELIVERIES)],
    "find_deleted_store": [Case((SMALL,), 1)],
    "find_user": [Case(("user-2",), 1)],
    "find_role": [Case((SMALL, SMALL), 1)],
    "delete_member": [Case((SMALL, SMALL), 1)],
    "list_members": [Case((SMALL, None), 6), Case((SMALL, "user-2"), 6)],
    "list_valid_tokens": [Case((SMALL, 0), 2), Case((LARGE, 0), 2)],
    "list_all_members": [Case((), 6 * STORES)],
    "list_tokens": [
        Case((0, INT64_MAX, 0, INT64_MAX), 6 * STORES),
        Case((SMALL, SMALL, 0, INT64_MAX), 4),
    ],
    # Erasing a user, or revoking the user's tokens, reads all rows that may be affected.
    "delete_tokens_of": [Case((SMALL,), 1)],
    "delete_keys_of": [Case((SMALL,), 4 * STORES)],
    "delete_memberships_of": [Case((SMALL,), 2)],
    "find_events_of": both(0, 1, "x", large=2 * EVENTS, small=1),
    "relabel_events": [Case((LARGE, 1, PAGE, 1, "x", "", -1), 3 * PAGE)],
    "relabel_tokens": [Case(("x", ""), STORES + ENDED)],
    "relabel_links": [Case(("x", ""), 1)],
    "delete_user": [Case((STORES + 1,), 0)],
    "rename_user": [Case((SMALL, "new"), 1)],
    "rename_store": [Case((SMALL, "new"), 1)],
    "describe_store": both(0, large=2 * (PLANTS + EVENTS), small=PLANTS_OF_SMALL + 5),
    "list_audit": [Case((None, None, None), 0)],
    "trim_audit": [Case((LATER, PAGE), 0)],
    "read_status": [Case((0, LATER), STORES + ENDED)],
    "read_size": [Case((), 0)],
    "find_store_name": [Case((SMALL,), 1)],
    "set_expiry": [Case((SMALL, HASH, 1), 1)],
    "find_rotation": [Case((0, "%x%"), 0)],
    "find_token": [Case((HASH[:8], HASH), 3)],
    "revoke_token": [Case((SMALL, HASH, 1), 1)],
    "revoke_tokens": [
        Case((0, INT64_MAX, SMALL, SMALL, 1), STORES + ENDED),
        Case((SMALL, SMALL, 0, INT64_MAX, 1), 1),
    ],
    "find_subject": [Case((SMALL,), 1)],
    "find_valid_token": [Case((SMALL, HASH, 0), 1), Case((1, hash_of(1), 0), 1)],
    "find_links": [
        Case((SMALL, SMALL, b"", HASH + b"x", 0), 10),
        Case((SMALL, SMALL, HASH, HASH, 0), 10),
        Case((LARGE, LARGE, b"", HASH + b"x", 0), 0),
    ],
    "find_code": [Case((SMALL, HASH, 0), 1)],
    "count_members": [Case((SMALL,), 2)],
    "count_tokens": [Case((SMALL, 0, PAGE), 1), Case((LARGE, 0, PAGE), 1)],
    "find_links_of": [Case((SMALL, SMALL), 4), Case((LARGE, 1), 2), Case((SMALL, LARGE), 4)],
    "delete_link": [Case((SMALL, HASH), 1)],
    "delete_links": [Case((SMALL, SMALL, SMALL, SMALL), 2), Case((LARGE, LARGE, 1, 1), 0)],
    "count_links": [Case((SMALL,), 1)],
    "delete_expired_links": [Case((SMALL, LATER), 1)],
    "find_webhooks": [Case((SMALL, None), 3), Case((SMALL, "w"), 3)],
    "insert_webhook": [Case((SMALL, "x", 0), 1)],
    "save_webhook": [Case((SMALL, "w", "", "", None, "", "", None, None, 0, 0, None, None, ""), 1)],
    "delete_webhook": [Case((SMALL, "w"), DELIVERIES)],
    "list_deliveries": [Case((SMALL, "w"), DELIVERIES)],
    "insert_delivery": [Case((SMALL, "w", 0, "", None, None, 0, "", None), 1)],
    "delete_old_deliveries": [Case((SMALL, "w", 0), 2 * DELIVERIES)],
    "find_due_webhooks": [Case((), 3)],
    "find_former": [Case((LARGE, 7, EVENTS), 20_000), Case((SMALL, 1, 1), 1)],
    # Other filters than a revision look at all later events of the store.
    "list_events": [
        Case((LARGE, 0, None, None, None, PAGE), 2 * PAGE),
        Case((LARGE, EVENTS - 1, None, None, None, PAGE), 2),
        Case((LARGE, 0, 7, "user-1", 0, PAGE), 2 * EVENTS),
        Case((SMALL, 0, None, None, None, PAGE), 2),
    ],
    "find_old_events": [Case((LARGE, 50, 500), 500), Case((SMALL, 0, 500), 1)],
    "delete_old_events": [Case((LARGE, 1, PAGE + 1), PAGE), Case((SMALL, 1, 1), 0)],
    "set_trimmed": [Case((SMALL, 1), 1)],
    "find_last_deletion": [Case((LARGE, 7), EVENTS + STORES), Case((SMALL, 1), 1)],
    "read_tags": [Case((LARGE, "", PAGE), PLANTS + 2 * STORES), Case((SMALL, "", PAGE), 2)],
    "find_plant": [Case((LARGE, 7), 1)],
    "insert_plant": [Case((SMALL, *FERN), 0)],
    "insert_event": [Case((SMALL, 7, "plant.created", *FERN, 1, 1, "", ""), 0)],
    "page_of_users": [Case((5, INT64_MAX, PAGE), PAGE), Case((STORES, INT64_MAX, PAGE), 1)],
    "page_of_stores": [
        Case((5, INT64_MAX, PAGE), 2 * PAGE),
        Case((SMALL, SMALL, PAGE), 2),
        Case((SMALL - 1, SMALL - 1, PAGE), 2),
    ],
    "page_of_members": [Case((SMALL, 0, INT64_MAX, PAGE), 2), Case((5, 0, STORES, PAGE), PAGE)],
    "page_of_tokens": [Case((SMALL, b"", SMALL, PAGE), 1), Case((5, b"", STORES, PAGE), PAGE)],
    "page_of_plants": [
        Case((LARGE, INT64_MIN, INT64_MAX, PAGE), PAGE),
        Case((LARGE, PLANTS, LARGE, PAGE), 1),
        Case((LARGE, PLANTS // 2, STORES, PAGE), PAGE),
        Case((SMALL, INT64_MIN, SMALL, PAGE), PLANTS_OF_SMALL),
    ],
    "page_of_events": [
        Case((LARGE, EVENTS // 2, STORES, PAGE), PAGE),
        Case((SMALL, 0, SMALL, PAGE), 1),
    ],
    "page_of_keys": [
        Case((LARGE, LARGE, "key-5", INT64_MAX, PAGE), PAGE),
        Case((SMALL, SMALL, "key", SMALL, PAGE), 1),
    ],
    "find_highest_id": [Case((LARGE,), 1), Case((SMALL,), 1)],
    "find_plants_among": [Case((LARGE, json.dumps([1, 2, PLANTS + 1])), 3)],
    "renew_revisions": [Case((SMALL, SMALL, LATER), 2)],
    "recount": [Case((SMALL,), PLANTS_OF_SMALL + 1)],
    "count_to_verify": both(0, large=2 * (PLANTS + EVENTS), small=PLANTS_OF_SMALL + 1),
    "find_mismatches": both(PAGE, large=PLANTS + 2 * EVENTS, small=PLANTS_OF_SMALL + 2),
    "find_plants_without_event": both(
        PAGE, large=2 * (PLANTS + EVENTS), small=2 * PLANTS_OF_SMALL + 2
    ),
    "lock_revisions": [Case((SMALL, SMALL), 1)],
    "update_plant": [Case((LARGE, *FERN), 1)],
    "delete_token": [Case((SMALL, HASH), 1)],
    "delete_plant": [Case((LARGE, 7), 1)],
    "delete_event": [Case((LARGE, 1), 1)],
    "set_store": both(1, 1, 1, large=PLANTS + 2 * STORES, small=PLANTS_OF_SMALL + 1),
}


def write(store_id: int, plant_id: int) -> dict[str, object]:
    """A write as the batch has it: a create, an update or a delete, some with keys."""
    kind = ("create", "update", "delete")[plant_id % 3]
    key = {"key": f"new-{plant_id}", "fingerprint": "00"} if kind == "create" else {}
    return (
        asdict(NewPlant(plant_id, "Moss", "a"))
        | key
        | {
            "kind": kind,
            "store_id": store_id,
            "user_id": store_id,
            "token_label": "",
            "token_store_id": store_id,
            "token_hash": hash_of(store_id).hex(),
            "if_none_match": ["0123456789abcdef"],
        }
    )


def batch(*stores: int) -> Case:
    """Writes to these stores; each looks at few rows of a few tables."""
    writes = [write(store_id, number) for number, store_id in enumerate(stores, 1)]
    return Case((stores[0], json.dumps(writes), LATER, "1s"), 12 * len(stores))


_MANY = [SMALL - number for number in range(PAGE)]
_HASHES = [hash_of(number) for number in _MANY]
_NAMES = [f"store-{number}" for number in _MANY]

POSTGRES: Mapping[str, Sequence[Case]] = {
    "hold_lease": [Case((), 0)],
    "find_callers": [
        Case(([SMALL], [HASH]), 3),
        Case((_MANY, _HASHES), 3 * PAGE),
    ],
    "find_callers_in_stores": [
        Case(([SMALL], [HASH], [None], [None]), 3),
        Case(([SMALL], [HASH], [None], [SMALL]), 3),
        Case((_MANY, _HASHES, [None] * PAGE, _MANY), 3 * PAGE),
        # A store's revision and a member are read once: they may have many dead rows.
        Case(([SMALL] * PAGE, [HASH] * PAGE, [None] * PAGE, [None] * PAGE), PAGE + 2),
        Case(([1], [hash_of(1)], [None], [SMALL]), 3),
        Case(([SMALL], [HASH], [f"store-{SMALL}"], [None]), 4),
        Case((_MANY, _HASHES, _NAMES, [None] * PAGE), 4 * PAGE),
        Case(([1], [hash_of(1)], [f"store-{SMALL}"], [None]), 4),
    ],
    "find_read_only": [Case((), 0)],
    "write_batch": [
        *(batch(*[LARGE] * count) for count in (1, 2, 3, 500)),
        batch(*range(STORES - 64, STORES)),
    ],
    "lock_administration": [Case((), 0)],
    "advance_sequences": [Case((), 2)],
    "plan_lookups": [Case((), 0)],
    "begin_migration": [Case((), 0)],
    "record_token_uses": [
        Case(([SMALL], [HASH], [LATER]), 3),
        Case((_MANY, _HASHES, [LATER] * PAGE), 3 * PAGE),
    ],
}

SQLITE: Mapping[str, Sequence[Case]] = {
    "find_caller": [Case((SMALL, HASH), 3)],
    "find_caller_in_store": [
        Case((SMALL, HASH, f"store-{SMALL}", None), 3),
        Case((1, hash_of(1), f"store-{SMALL}", None), 3),
        Case((SMALL, HASH, None, SMALL), 3),
        Case((1, hash_of(1), None, SMALL), 3),
    ],
    "advance_sequences": [Case((), 0)],
    "analyze": [Case((), 0)],
    "find_role_of_token": [Case((SMALL, HASH, SMALL, 0), 2)],
    "find_key": [Case((SMALL, SMALL, "key"), 1)],
    "set_counts": [Case((SMALL, 1, 1), 1)],
    "record_token_uses": [
        Case((json.dumps([(SMALL, HASH.hex(), LATER)]),), 1),
        Case((json.dumps([(n, hash_of(n).hex(), LATER) for n in _MANY]),), 2 * PAGE),
    ],
}
