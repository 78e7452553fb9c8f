-- The first schema. Every hot table begins with store_id, which is also how it would be sharded.
-- Times are Unix times in milliseconds.

CREATE TABLE stores (
    store_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT    NOT NULL UNIQUE,
    revision   INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
    user_id INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT    NOT NULL UNIQUE
) STRICT;

CREATE TABLE members (
    store_id INTEGER NOT NULL REFERENCES stores ON DELETE CASCADE,
    user_id  INTEGER NOT NULL REFERENCES users,
    role     TEXT    NOT NULL CHECK (role IN ('reader', 'editor', 'owner')),
    PRIMARY KEY (store_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
    store_id   INTEGER NOT NULL REFERENCES stores ON DELETE CASCADE,
    token_hash BLOB    NOT NULL,
    user_id    INTEGER NOT NULL REFERENCES users,
    all_stores INTEGER NOT NULL CHECK (all_stores IN (0, 1)),
    scopes     TEXT    NOT NULL,
    label      TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    PRIMARY KEY (store_id, token_hash)
) STRICT, WITHOUT ROWID;

-- No reference to stores from here on: the writer has read the store's row in the same transaction.

CREATE TABLE plants (
    store_id INTEGER NOT NULL,
    id       INTEGER NOT NULL,
    name     TEXT    NOT NULL,
    tag      TEXT,
    PRIMARY KEY (store_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX plants_by_tag ON plants (store_id, tag, id) WHERE tag IS NOT NULL;

CREATE TABLE events (
    store_id    INTEGER NOT NULL,
    revision    INTEGER NOT NULL,
    kind        TEXT    NOT NULL CHECK (kind IN ('plant.created', 'plant.deleted')),
    plant_id    INTEGER NOT NULL,
    name        TEXT    NOT NULL,
    tag         TEXT,
    at          INTEGER NOT NULL,
    user_id     INTEGER NOT NULL,
    token_label TEXT    NOT NULL,
    PRIMARY KEY (store_id, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
    store_id    INTEGER NOT NULL,
    user_id     INTEGER NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL,
    outcome     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (store_id, user_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
