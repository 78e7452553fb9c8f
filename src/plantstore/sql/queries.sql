-- Queries for both SQLite and PostgreSQL, by name, with SQLite's ``?1`` for ``$1``. Every query of
-- a store's data names the store.


-- Serving: callers and lists -----------------------------------------------------------------

-- A row for each store that the token opens, or one row without a store. A token for one store
-- reads only that store. The parts are read one after another: on Citus each may be on another
-- server.

-- name: find_token_info
WITH t AS MATERIALIZED (
    SELECT store_id, user_id, label, expires_at, scopes, all_stores FROM tokens
    WHERE store_id = ?1 AND token_hash = ?2 AND revoked_at IS NULL
), m AS MATERIALIZED (
    SELECT store_id, role, since, added_by FROM members
    WHERE store_id = ?1 AND user_id IN (SELECT user_id FROM t WHERE NOT all_stores)
    UNION ALL
    SELECT store_id, role, since, added_by FROM members WHERE user_id IN (SELECT user_id FROM t WHERE all_stores)
)
SELECT u.subject, t.label, t.expires_at, own.name, t.scopes, s.name, m.role, m.since, a.subject
FROM t
JOIN users AS u ON u.user_id = t.user_id
JOIN stores AS own ON own.store_id = t.store_id
LEFT JOIN m ON true
LEFT JOIN stores AS s ON s.store_id = m.store_id
LEFT JOIN users AS a ON a.user_id = m.added_by
ORDER BY s.name

-- A declared token does not name its store.

-- name: find_store_of_token
SELECT store_id FROM tokens WHERE token_hash = ?1 AND revoked_at IS NULL

-- name: find_plant
SELECT id, name, tag FROM plants WHERE store_id = ?1 AND id = ?2

-- name: count_all
SELECT (SELECT count(*) FROM stores), (SELECT CAST(coalesce(sum(plants), 0) AS bigint) FROM revisions)

-- The last plant within a limit, and the plant after it.

-- name: find_last_of_limit
SELECT id FROM plants WHERE store_id = ?1 AND id >= ?2 ORDER BY id LIMIT 2 OFFSET ?3


-- Serving: writes, all in the transaction of their batch --------------------------------------

-- The newest migration that a program must know to work with the database.

-- name: find_compatible_since
SELECT max(compatible_since) FROM schema_migrations

-- name: find_counts
SELECT revision, plants, max_plants FROM revisions WHERE store_id = ?1

-- name: delete_plant
DELETE FROM plants WHERE store_id = ?1 AND id = ?2

-- name: insert_key
INSERT INTO idempotency_keys (store_id, user_id, key, fingerprint, outcome, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)

-- name: insert_event
INSERT INTO events (store_id, revision, kind, plant_id, name, tag, at, user_id, token_label, token_id)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)


-- Administration -------------------------------------------------------------------------------

-- name: record_migration
INSERT INTO schema_migrations (number, name, checksum, compatible_since, applied_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (number) DO UPDATE SET checksum = excluded.checksum, applied_at = excluded.applied_at

-- name: insert_store
INSERT INTO stores (name, created_at) VALUES (?1, ?2)

-- If stores were deleted, a new store begins at the time in microseconds: revisions of an earlier
-- store with the same name are not reused.

-- name: insert_revision
INSERT INTO revisions (store_id, max_plants, revision, trimmed)
SELECT store_id, CAST(?2 AS bigint), first, first FROM (
    SELECT store_id, CASE WHEN store_id > (SELECT count(*) FROM stores) THEN created_at * 1000 ELSE 0 END AS first
    FROM stores WHERE name = ?1
) AS made

-- name: find_store
SELECT s.store_id, s.name, s.created_at, r.plants, r.max_plants, r.trimmed, r.revision
FROM stores AS s JOIN revisions AS r ON r.store_id = s.store_id WHERE s.name = ?1

-- name: page_of_stores
SELECT s.store_id, s.name, s.created_at, r.plants, r.max_plants, r.trimmed, r.revision
FROM stores AS s JOIN revisions AS r ON r.store_id = s.store_id
WHERE s.store_id >= ?1 AND s.store_id <= ?2 ORDER BY s.store_id LIMIT ?3

-- name: delete_member
DELETE FROM members WHERE store_id = ?1 AND user_id = ?2

-- name: insert_user
INSERT INTO users (subject, created_at) VALUES (?1, ?2)

-- name: find_user
SELECT user_id, subject FROM users WHERE subject = ?1

-- name: find_role
SELECT role FROM members WHERE store_id = ?1 AND user_id = ?2

-- name: set_member
INSERT INTO members (store_id, user_id, role, since, added_by) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (store_id, user_id) DO UPDATE SET role = excluded.role

-- name: insert_token
INSERT INTO tokens (store_id, token_hash, user_id, all_stores, scopes, label, created_at, expires_at, revoked_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)

-- Tokens, each with its user's roles in the stores that it opens. For a store's list, the plus keeps
-- a generic plan from using the index of users.

-- name: list_tokens
SELECT t.store_id, t.token_hash, t.user_id, s.name, u.subject, t.label, t.scopes, t.all_stores, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
    (SELECT string_agg(role, ',') FROM (
        SELECT DISTINCT role FROM members AS m WHERE m.user_id = t.user_id AND (t.all_stores OR m.store_id = t.store_id)
    ) AS roles)
FROM tokens AS t
JOIN stores AS s ON s.store_id = t.store_id
JOIN users AS u ON u.user_id = t.user_id
WHERE t.store_id BETWEEN ?1 AND ?2 AND +t.user_id BETWEEN ?3 AND ?4
ORDER BY t.created_at, t.token_hash

-- An id is a prefix of the hash: a range finds the hash. The parts are read one after another, as
-- in find_token_info.

-- name: find_token
WITH t AS MATERIALIZED (
    SELECT * FROM tokens WHERE token_hash BETWEEN ?1 AND ?2 ORDER BY token_hash LIMIT 1
), m AS MATERIALIZED (
    SELECT store_id, user_id, role FROM members WHERE user_id IN (SELECT user_id FROM t)
)
SELECT t.store_id, t.token_hash, t.user_id, s.name, u.subject, t.label, t.scopes, t.all_stores, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
    (SELECT string_agg(role, ',') FROM (SELECT DISTINCT role FROM m WHERE t.all_stores OR m.store_id = t.store_id) AS roles)
FROM t
JOIN stores AS s ON s.store_id = t.store_id
JOIN users AS u ON u.user_id = t.user_id

-- name: revoke_token
UPDATE tokens SET revoked_at = ?3 WHERE store_id = ?1 AND token_hash = ?2

-- name: revoke_tokens
UPDATE tokens SET revoked_at = ?5
WHERE store_id BETWEEN ?1 AND ?2 AND +user_id BETWEEN ?3 AND ?4 AND revoked_at IS NULL RETURNING token_hash

-- name: delete_token
DELETE FROM tokens WHERE store_id = ?1 AND token_hash = ?2

-- name: delete_user
DELETE FROM users WHERE user_id = ?1

-- name: delete_link
DELETE FROM links WHERE store_id = ?1 AND code_hash = ?2

-- name: delete_links
DELETE FROM links WHERE store_id BETWEEN ?1 AND ?2 AND user_id BETWEEN ?3 AND ?4

-- name: set_expiry
UPDATE tokens SET expires_at = ?3 WHERE store_id = ?1 AND token_hash = ?2

-- name: page_of_plants
SELECT store_id, id, name, tag FROM plants
WHERE (store_id, id) >= (?1, ?2) AND store_id <= ?3 ORDER BY store_id, id LIMIT ?4

-- name: find_deleted_store
SELECT revision FROM deleted_stores WHERE store_id = ?1

-- name: delete_plants_of_store
DELETE FROM plants WHERE store_id = ?1 AND id <=
    (SELECT max(id) FROM (SELECT id FROM plants WHERE store_id = ?1 ORDER BY id LIMIT 5000) AS part) RETURNING 1

-- name: delete_events_of_store
DELETE FROM events WHERE store_id = ?1 AND revision <=
    (SELECT max(revision) FROM (SELECT revision FROM events WHERE store_id = ?1 ORDER BY revision LIMIT 5000) AS part) RETURNING 1

-- name: delete_keys_of_store
DELETE FROM idempotency_keys WHERE store_id = ?1 AND (user_id, key) <= (
    SELECT user_id, key
    FROM (SELECT user_id, key FROM idempotency_keys WHERE store_id = ?1 ORDER BY user_id, key LIMIT 5000) AS part
    ORDER BY user_id DESC, key DESC LIMIT 1
) RETURNING 1

-- name: delete_old_keys
DELETE FROM idempotency_keys WHERE created_at <= (
    SELECT max(created_at) FROM (SELECT created_at FROM idempotency_keys WHERE created_at <= ?1 ORDER BY created_at LIMIT ?2) AS part
) RETURNING 1

-- name: insert_audit
INSERT INTO audit (at, action, store, user_id, details, by_user_id, by_name, token_id, address)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)

-- The first rotation of a token, after its creation, by its id in the details.

-- name: find_rotation
SELECT details FROM audit WHERE at >= ?1 AND action = 'token rotate' AND details LIKE ?2 ORDER BY at LIMIT 1

-- name: list_events
SELECT revision, kind, plant_id, name, tag, at, (SELECT subject FROM users AS u WHERE u.user_id = e.user_id),
    token_label, token_id, user_id
FROM events AS e
WHERE store_id = ?1 AND revision > ?2 AND (CAST(?3 AS bigint) IS NULL OR plant_id = ?3)
    AND (CAST(?4 AS text) IS NULL OR user_id = (SELECT user_id FROM users WHERE subject = ?4))
    AND (CAST(?5 AS bigint) IS NULL OR at >= ?5)
ORDER BY revision LIMIT ?6

-- name: page_of_users
SELECT user_id, subject, created_at FROM users WHERE user_id >= ?1 AND user_id <= ?2 ORDER BY user_id LIMIT ?3

-- The revisions of a range of stores, locked until the end of the transaction. Citus can lock rows
-- of several shards only by changing them.

-- name: lock_revisions
UPDATE revisions SET revision = revision WHERE store_id BETWEEN ?1 AND ?2 RETURNING store_id, revision
