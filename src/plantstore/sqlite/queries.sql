-- The SQL that only SQLite has, by name; the rest is in sql/queries.sql. Every query of a store's
-- data names the store.


-- Serving: callers and lists -----------------------------------------------------------------

-- name: find_caller
SELECT t.user_id, t.label, t.expires_at, t.store_id, m.role, t.scopes, s.revision
FROM tokens AS t
JOIN stores AS s ON s.store_id = t.store_id
LEFT JOIN members AS m ON m.store_id = t.store_id AND m.user_id = t.user_id
WHERE t.store_id = ?1 AND t.token_hash = ?2 AND t.revoked_at IS NULL

-- name: find_caller_of_named_store
SELECT t.user_id, t.label, t.expires_at, coalesce(s.store_id, 0), m.role, t.scopes, coalesce(s.revision, 0)
FROM tokens AS t
LEFT JOIN stores AS s ON s.name = ?3 AND (t.all_stores OR s.store_id = t.store_id)
LEFT JOIN members AS m ON m.store_id = s.store_id AND m.user_id = t.user_id
WHERE t.store_id = ?1 AND t.token_hash = ?2 AND t.revoked_at IS NULL

-- name: find_caller_again
SELECT t.user_id, t.label, t.expires_at, s.store_id, m.role, t.scopes, s.revision
FROM tokens AS t
JOIN stores AS s ON s.store_id = ?3 AND (t.all_stores OR s.store_id = t.store_id)
JOIN members AS m ON m.store_id = ?3 AND m.user_id = t.user_id
WHERE t.store_id = ?1 AND t.token_hash = ?2 AND t.revoked_at IS NULL

-- One row for each store that the token opens, or one without a store. A token for one store reads
-- that store alone.

-- name: find_token_info
SELECT t.user_id, u.subject, t.label, t.expires_at, own.name, t.scopes, s.name, m.role
FROM tokens AS t
JOIN users AS u ON u.user_id = t.user_id
JOIN stores AS own ON own.store_id = t.store_id
LEFT JOIN members AS m
    ON m.user_id = t.user_id AND m.store_id BETWEEN
        iif(t.all_stores, 0, t.store_id) AND iif(t.all_stores, 9223372036854775807, t.store_id)
LEFT JOIN stores AS s ON s.store_id = m.store_id
WHERE t.store_id = ?1 AND t.token_hash = ?2 AND t.revoked_at IS NULL
ORDER BY s.name

-- name: find_revision
SELECT revision FROM stores WHERE store_id = ?1

-- name: count_all
SELECT count(*), coalesce(sum(plants), 0) FROM stores

-- The JSON is made here: half the time of objects made from rows, and without Python's lock.
-- One statement per page: two would need a transaction to see the same revision.

-- name: read_page
SELECT s.revision, s.plants, page.count, page.plants, last_id,
    count = ?3 AND EXISTS (SELECT 1 FROM plants WHERE store_id = ?1 AND id > last_id)
FROM (
    SELECT max(id) AS last_id, count(*) AS count, CAST(group_concat(plant) AS BLOB) AS plants
    FROM (
        SELECT id, CASE WHEN ?4
            THEN iif(tag IS NULL, json_object('id', id, 'name', name), json_object('id', id, 'name', name, 'tag', tag))
            ELSE iif(tag IS NULL, json_object('name', name), json_object('name', name, 'tag', tag))
        END AS plant
        FROM plants WHERE store_id = ?1 AND id >= ?2 ORDER BY id LIMIT ?3
    )
) AS page LEFT JOIN stores AS s ON s.store_id = ?1

-- Without a hint, SQLite scans all plants of the store for those of a rare tag.

-- name: read_page_of_tag
SELECT s.revision, s.plants, page.count, page.plants, last_id,
    count = ?3 AND EXISTS (SELECT 1 FROM plants WHERE store_id = ?1 AND id > last_id AND tag = ?5)
FROM (
    SELECT max(id) AS last_id, count(*) AS count, CAST(group_concat(plant) AS BLOB) AS plants
    FROM (
        SELECT id,
            iif(?4, json_object('id', id, 'name', name, 'tag', tag), json_object('name', name, 'tag', tag)) AS plant
        FROM plants INDEXED BY plants_by_tag WHERE store_id = ?1 AND id >= ?2 AND tag = ?5 ORDER BY id LIMIT ?3
    )
) AS page LEFT JOIN stores AS s ON s.store_id = ?1

-- The last plant of a limit, where another one follows.

-- name: find_last_of_limit
SELECT last_id FROM
    (SELECT id AS last_id FROM plants WHERE store_id = ?1 AND id >= ?2 ORDER BY id LIMIT 1 OFFSET ?3)
WHERE EXISTS (SELECT 1 FROM plants WHERE store_id = ?1 AND id > last_id)

-- name: find_last_of_limit_and_tag
SELECT last_id FROM
    (SELECT id AS last_id FROM plants WHERE store_id = ?1 AND id >= ?2 AND tag = ?4 ORDER BY id LIMIT 1 OFFSET ?3)
WHERE EXISTS (SELECT 1 FROM plants WHERE store_id = ?1 AND id > last_id AND tag = ?4)

-- One row for each event, or one without where there are none.

-- name: read_events
SELECT s.revision, s.trimmed, e.revision, e.kind, e.plant_id, e.name, e.tag, e.at, u.subject, e.token_label, e.token_id, e.user_id
FROM stores AS s
LEFT JOIN (
    SELECT revision, kind, plant_id, name, tag, at, user_id, token_label, token_id FROM events
    WHERE store_id = ?1 AND revision > max(?2, (SELECT trimmed FROM stores WHERE store_id = ?1))
    ORDER BY revision LIMIT ?3
) AS e ON true
LEFT JOIN users AS u ON u.user_id = e.user_id
WHERE s.store_id = ?1 ORDER BY e.revision


-- Serving: writes, all in the transaction of their batch --------------------------------------

-- The role of a token's user in the store that it writes to, and the token's id, with which its hash
-- begins; no row where the token is not valid.

-- name: find_role_of_token
SELECT m.role, lower(hex(substr(t.token_hash, 1, 8))) FROM tokens AS t LEFT JOIN members AS m ON m.store_id = ?3 AND m.user_id = t.user_id
WHERE t.store_id = ?1 AND t.token_hash = ?2 AND t.revoked_at IS NULL
    AND (t.expires_at IS NULL OR t.expires_at > ?4) AND (t.all_stores OR t.store_id = ?3)

-- name: find_counts
SELECT revision, plants, max_plants FROM stores WHERE store_id = ?1

-- name: insert_plant
INSERT INTO plants (store_id, id, name, tag) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING

-- name: update_plant
UPDATE plants SET name = ?3, tag = ?4 WHERE store_id = ?1 AND id = ?2

-- name: set_counts
UPDATE stores SET revision = ?2, plants = ?3 WHERE store_id = ?1

-- Where the events begin that are not older than ?2, among the first ?3.

-- name: find_first_kept_event
SELECT coalesce(min(revision) FILTER (WHERE at >= ?2), max(revision) + 1) FROM
    (SELECT revision, at FROM events WHERE store_id = ?1 ORDER BY revision LIMIT ?3)

-- name: set_trimmed
UPDATE stores SET trimmed = max(trimmed, ?2) WHERE store_id = ?1

-- name: find_key
SELECT fingerprint, outcome FROM idempotency_keys
WHERE store_id = ?1 AND user_id = ?2 AND key = ?3 AND created_at > ?4

-- name: insert_key
INSERT OR REPLACE INTO idempotency_keys (store_id, user_id, key, fingerprint, outcome, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)

-- name: delete_old_keys
DELETE FROM idempotency_keys WHERE created_at <=
    (SELECT max(created_at) FROM (SELECT created_at FROM idempotency_keys WHERE created_at <= ?1 ORDER BY created_at LIMIT 1000))


-- When tokens were used last: one statement for all of them. It writes also what stands there already:
-- what is remembered of callers is forgotten with its commit, so that they are noted again.

-- name: note_token_uses
UPDATE tokens AS t SET last_used_at = o.at
FROM (SELECT value ->> 0 AS store_id, unhex(value ->> 1) AS token_hash, value ->> 2 AS at FROM json_each(?1)) AS o
WHERE t.store_id = o.store_id AND t.token_hash = o.token_hash
    AND (t.last_used_at IS NULL OR t.last_used_at <= o.at)


-- Administration -------------------------------------------------------------------------------

-- Where stores were deleted, a new one begins at the time in microseconds: no revision of an earlier
-- store of the same name is one of it.

-- name: insert_store
INSERT INTO stores (name, created_at, max_plants, revision, trimmed)
SELECT ?1, ?2, ?3, first, first FROM (
    SELECT iif((SELECT seq FROM sqlite_sequence WHERE name = 'stores') > count(*), ?2 * 1000, 0) AS first FROM stores
)

-- name: set_max_plants
UPDATE stores SET max_plants = ?2 WHERE store_id = ?1

-- name: find_store
SELECT store_id, name, revision, created_at, plants, max_plants FROM stores WHERE name = ?1

-- name: list_stores
SELECT store_id, name, revision, created_at, plants, max_plants FROM stores ORDER BY name

-- The size of the data: numbers have 8 bytes, as far as they are counted at all.

-- name: describe_store
SELECT (SELECT count(*) FROM members WHERE store_id = ?1),
    (SELECT count(*) FROM tokens WHERE store_id = ?1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)),
    (SELECT coalesce(sum(8 + octet_length(name) + coalesce(octet_length(tag), 0)), 0) FROM plants WHERE store_id = ?1)
    + (SELECT coalesce(sum(32 + octet_length(kind) + octet_length(name) + coalesce(octet_length(tag), 0)
        + octet_length(token_label) + octet_length(token_id)), 0) FROM events WHERE store_id = ?1),
    (SELECT at FROM events WHERE store_id = ?1 ORDER BY revision DESC LIMIT 1)

-- name: raise_revision
UPDATE stores SET revision = revision + 1, plants = plants + ?2 WHERE store_id = ?1 RETURNING revision

-- name: delete_plants_of_store
DELETE FROM plants WHERE store_id = ?1 AND id IN
    (SELECT id FROM plants WHERE store_id = ?1 LIMIT 5000) RETURNING 1

-- name: delete_events_of_store
DELETE FROM events WHERE store_id = ?1 AND revision IN
    (SELECT revision FROM events WHERE store_id = ?1 LIMIT 5000) RETURNING 1

-- name: delete_keys_of_store
DELETE FROM idempotency_keys WHERE store_id = ?1 AND (user_id, key) IN
    (SELECT user_id, key FROM idempotency_keys WHERE store_id = ?1 LIMIT 5000) RETURNING 1

-- name: list_users
SELECT user_id, subject FROM users ORDER BY subject

-- name: list_memberships
SELECT s.name, m.role, (SELECT count(*) FROM members AS o WHERE o.store_id = m.store_id AND o.role = 'owner')
FROM members AS m JOIN stores AS s ON s.store_id = m.store_id WHERE m.user_id = ?1 ORDER BY s.name

-- name: set_member
INSERT INTO members (store_id, user_id, role) VALUES (?1, ?2, ?3)
ON CONFLICT DO UPDATE SET role = excluded.role

-- name: list_members
SELECT u.subject, m.role FROM members AS m JOIN users AS u ON u.user_id = m.user_id
WHERE m.store_id = ?1 ORDER BY u.subject

-- name: find_first_store
SELECT s.store_id, s.name, s.revision, s.created_at, s.plants, s.max_plants
FROM members AS m JOIN stores AS s ON s.store_id = m.store_id
WHERE m.user_id = ?1 ORDER BY s.store_id LIMIT 1

-- name: list_tokens
SELECT t.store_id, t.token_hash, t.user_id, s.name, u.subject, t.label, t.scopes, t.all_stores, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
    (SELECT group_concat(DISTINCT m.role) FROM members AS m WHERE m.user_id = t.user_id AND (t.all_stores OR m.store_id = t.store_id))
FROM tokens AS t
JOIN stores AS s ON s.store_id = t.store_id
JOIN users AS u ON u.user_id = t.user_id
WHERE t.store_id BETWEEN ?1 AND ?2 AND t.user_id BETWEEN ?3 AND ?4
    AND (?5 IS NULL OR t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?5))
ORDER BY t.created_at, t.token_hash

-- name: find_token
SELECT t.store_id, t.token_hash, t.user_id, s.name, u.subject, t.label, t.scopes, t.all_stores, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
    (SELECT group_concat(DISTINCT m.role) FROM members AS m WHERE m.user_id = t.user_id AND (t.all_stores OR m.store_id = t.store_id))
FROM tokens AS t
JOIN stores AS s ON s.store_id = t.store_id
JOIN users AS u ON u.user_id = t.user_id
WHERE t.store_id = ?1 AND t.token_hash = ?2

-- An id is a prefix of the hash: a range finds the hashes that begin with it.

-- name: find_tokens_between
SELECT t.store_id, t.token_hash, t.user_id, s.name, u.subject, t.label, t.scopes, t.all_stores, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
    (SELECT group_concat(DISTINCT m.role) FROM members AS m WHERE m.user_id = t.user_id AND (t.all_stores OR m.store_id = t.store_id))
FROM tokens AS t
JOIN stores AS s ON s.store_id = t.store_id
JOIN users AS u ON u.user_id = t.user_id
WHERE t.token_hash BETWEEN ?1 AND ?2

-- name: list_events
SELECT e.revision, e.kind, e.plant_id, e.name, e.tag, e.at, u.subject, e.token_label, e.token_id, e.user_id
FROM events AS e LEFT JOIN users AS u ON u.user_id = e.user_id
WHERE e.store_id = ?1 AND e.revision > ?2 AND (?3 IS NULL OR e.plant_id = ?3)
    AND (?4 IS NULL OR u.subject = ?4) AND (?5 IS NULL OR e.at >= ?5)
ORDER BY e.revision LIMIT ?6

-- name: renew_revision
UPDATE stores SET revision = max(revision + 1, ?2), trimmed = max(revision + 1, ?2) WHERE store_id = ?1


-- name: find_mismatches
WITH last AS (
    SELECT plant_id, kind, name, tag, max(revision) AS revision FROM events WHERE store_id = ?1 GROUP BY plant_id
)
SELECT l.plant_id, CASE WHEN p.id IS NULL THEN 'missing' WHEN l.kind = 'plant.deleted' THEN 'deleted' ELSE 'different' END,
    l.revision
FROM last AS l LEFT JOIN plants AS p ON p.store_id = ?1 AND p.id = l.plant_id
WHERE CASE WHEN p.id IS NULL THEN l.kind <> 'plant.deleted'
    ELSE l.kind = 'plant.deleted' OR p.name <> l.name OR p.tag IS NOT l.tag END
LIMIT ?2

-- name: find_plants_without_event
SELECT id FROM plants WHERE store_id = ?1 EXCEPT SELECT plant_id FROM events WHERE store_id = ?1 LIMIT ?2


-- Copying: pages of a range of stores in the order of the keys, and rows written as they were read --------------------

-- name: page_of_stores
SELECT store_id, name, created_at, plants, max_plants, trimmed, revision FROM stores
WHERE store_id >= ?1 AND store_id <= ?2 ORDER BY store_id LIMIT ?3

-- name: page_of_tokens
SELECT store_id, token_hash, user_id, all_stores, scopes, label, created_at, expires_at, revoked_at FROM tokens
WHERE (store_id, token_hash) >= (?1, ?2) AND store_id <= ?3 ORDER BY store_id, token_hash LIMIT ?4

-- The revisions of a range of stores, locked until the end of the transaction.

-- name: lock_revisions
SELECT store_id, revision FROM stores WHERE store_id BETWEEN ?1 AND ?2

-- name: copy_users
INSERT INTO users (user_id, subject) VALUES (?1, ?2)

-- name: copy_stores
INSERT INTO stores (store_id, name, created_at) VALUES (?1, ?2, ?3)

-- name: copy_members
INSERT INTO members (store_id, user_id, role) VALUES (?1, ?2, ?3)

-- name: copy_tokens
INSERT INTO tokens (store_id, token_hash, user_id, all_stores, scopes, label, created_at, expires_at, revoked_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)

-- name: copy_plants
INSERT INTO plants (store_id, id, name, tag) VALUES (?1, ?2, ?3, ?4)

-- name: copy_events
INSERT INTO events (store_id, revision, kind, plant_id, name, tag, at, user_id, token_label, token_id)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)

-- name: set_revision
UPDATE stores SET revision = ?2 WHERE store_id = ?1

-- name: set_store
UPDATE stores SET max_plants = ?2, trimmed = ?3, plants = (SELECT count(*) FROM plants WHERE store_id = ?1)
WHERE store_id = ?1

-- name: copy_keys
INSERT INTO idempotency_keys (store_id, user_id, key, fingerprint, outcome, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)


-- Importing: portions of plants, each with its place in the journal -------------------------------

-- The store's row, locked until the end of the transaction.

-- name: lock_counts
SELECT revision, plants, max_plants FROM stores WHERE store_id = ?1

-- name: find_plants_among
SELECT id, name, tag FROM plants WHERE store_id = ?1 AND id IN (SELECT value FROM json_each(?2))

-- name: set_import
INSERT INTO imports (store_id, digest, reached, written, revision) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET reached = excluded.reached, written = excluded.written
