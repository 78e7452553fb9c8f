-- The first schema. Every hot table begins with store_id, which is also how it would be sharded.
-- Times are Unix times in milliseconds.

CREATE TABLE schema_migrations (
    number           INTEGER PRIMARY KEY,
    name             TEXT    NOT NULL,
    checksum         TEXT    NOT NULL,
    compatible_since INTEGER NOT NULL,
    applied_at       INTEGER NOT NULL
) STRICT;

CREATE TABLE stores (
    store_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
    user_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    subject    TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

-- What changes with every write, as on PostgreSQL in a table of its own. A row has how many plants the
-- store holds and may hold (NULL: any number), and the revision up to which its events are trimmed.

CREATE TABLE revisions (
    store_id   INTEGER PRIMARY KEY REFERENCES stores ON DELETE CASCADE,
    revision   INTEGER NOT NULL DEFAULT 0,
    plants     INTEGER NOT NULL DEFAULT 0,
    max_plants INTEGER,
    trimmed    INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Stores that were deleted, at which revision: an earlier state of one does not come back by a copy.

CREATE TABLE deleted_stores (
    store_id INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL
) STRICT;

-- added_by is the user who added the member, NULL for the command line; maybe deleted since.

CREATE TABLE members (
    store_id INTEGER NOT NULL REFERENCES stores ON DELETE CASCADE,
    user_id  INTEGER NOT NULL REFERENCES users,
    role     TEXT    NOT NULL CHECK (role IN ('reader', 'editor', 'owner')),
    since    INTEGER NOT NULL,
    added_by INTEGER,
    PRIMARY KEY (store_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX members_by_user ON members (user_id, store_id);

-- last_used_at is NULL where that is not known.

CREATE TABLE tokens (
    store_id     INTEGER NOT NULL REFERENCES stores ON DELETE CASCADE,
    token_hash   BLOB    NOT NULL,
    user_id      INTEGER NOT NULL REFERENCES users,
    all_stores   INTEGER NOT NULL CHECK (all_stores IN (0, 1)),
    scopes       TEXT    NOT NULL,
    label        TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    revoked_at   INTEGER,
    last_used_at INTEGER,
    PRIMARY KEY (store_id, token_hash)
) STRICT, WITHOUT ROWID;

-- A token's id is the beginning of its hash, and does not name its store.

CREATE INDEX tokens_by_hash ON tokens (token_hash);
CREATE INDEX tokens_by_user ON tokens (user_id);

-- A link to sign in with: its code's hash, which is deleted when it is used, the token that it gives,
-- when the code expires, and the hash of the token that made it, NULL for the command line.

CREATE TABLE links (
    store_id         INTEGER NOT NULL REFERENCES stores ON DELETE CASCADE,
    code_hash        BLOB    NOT NULL,
    user_id          INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    scopes           TEXT    NOT NULL,
    label            TEXT    NOT NULL,
    token_expires_at INTEGER,
    expires_at       INTEGER NOT NULL,
    maker_hash       BLOB,
    PRIMARY KEY (store_id, code_hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX links_by_user ON links (user_id);

-- Who changed what by administration: a user with a token over HTTP, or a name of the system's by a
-- command; on whom, if on a user, and in which store, by its name then. The details are JSON.

CREATE TABLE audit (
    audit_id   INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    action     TEXT    NOT NULL,
    store      TEXT,
    user_id    INTEGER,
    details    TEXT    NOT NULL,
    by_user_id INTEGER,
    by_name    TEXT,
    token_id   TEXT,
    address    TEXT    NOT NULL
) STRICT;

CREATE INDEX audit_by_time ON audit (at);

-- Where a store's events are sent: which kinds (separated by spaces), perhaps of plants with a tag; all up to the
-- revision delivered have arrived. A paused one says why. While messages are refused, progress has a later
-- revision, and which up to there have not arrived: an array of revisions, attempts and when the next one is due.

CREATE TABLE webhooks (
    store_id      INTEGER NOT NULL REFERENCES stores ON DELETE CASCADE,
    webhook_id    TEXT    NOT NULL,
    url           TEXT    NOT NULL,
    kinds         TEXT    NOT NULL,
    tag           TEXT,
    description   TEXT    NOT NULL,
    secret        TEXT    NOT NULL,
    old_secret    TEXT,
    rotated_at    INTEGER,
    created_at    INTEGER NOT NULL,
    delivered     INTEGER NOT NULL,
    failing_since INTEGER,
    paused        TEXT,
    progress      TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (store_id, webhook_id)
) STRICT, WITHOUT ROWID;

-- The last attempts of each webhook, by their times in microseconds. status is NULL without a response, revision
-- for messages that are about no event.

CREATE TABLE deliveries (
    store_id   INTEGER NOT NULL,
    webhook_id TEXT    NOT NULL,
    number     INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    revision   INTEGER,
    status     INTEGER,
    duration   INTEGER NOT NULL,
    response   TEXT    NOT NULL,
    next_at    INTEGER,
    PRIMARY KEY (store_id, webhook_id, number),
    FOREIGN KEY (store_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
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

-- For an IN of three texts SQLite builds a table of them with each insert, a tenth of a create's time.
-- token_id is '' where none was recorded.

CREATE TABLE events (
    store_id    INTEGER NOT NULL,
    revision    INTEGER NOT NULL,
    kind        TEXT    NOT NULL CHECK (
        kind = 'plant.created' OR kind = 'plant.updated' OR kind = 'plant.deleted'),
    plant_id    INTEGER NOT NULL,
    name        TEXT    NOT NULL,
    tag         TEXT,
    at          INTEGER NOT NULL,
    user_id     INTEGER NOT NULL,
    token_label TEXT    NOT NULL,
    token_id    TEXT    NOT NULL DEFAULT '',
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
