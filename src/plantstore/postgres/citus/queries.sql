-- The named queries that are others where Citus distributes the tables: each is of one store.


-- Serving --------------------------------------------------------------------------------------

-- A query of several tables is planned at each call, on two servers: subselects by $1 cost a quarter less
-- than joins.

-- name: find_callers
SELECT t.user_id, t.label, t.expires_at, t.store_id,
    (SELECT m.role FROM members AS m WHERE m.store_id = $1 AND m.user_id = t.user_id),
    t.scopes,
    (SELECT r.revision FROM revisions AS r WHERE r.store_id = $1)
FROM tokens AS t
WHERE t.store_id = $1 AND t.token_hash = $2 AND t.revoked_at IS NULL

-- name: find_store_ids
SELECT name, store_id FROM stores WHERE name = ANY ($1)

-- name: find_token_of_key
SELECT user_id, label, expires_at, scopes, all_stores FROM tokens
WHERE store_id = $1 AND token_hash = $2 AND revoked_at IS NULL

-- name: find_revision_and_role
SELECT r.store_id, (SELECT m.role FROM members AS m WHERE m.store_id = $1 AND m.user_id = $2), r.revision
FROM revisions AS r WHERE r.store_id = $1

-- name: delete_old_keys
DELETE FROM idempotency_keys WHERE created_at <= $1

-- name: note_token_use
UPDATE tokens SET last_used_at = $3
WHERE store_id = $1 AND token_hash = $2 AND (last_used_at IS NULL OR last_used_at <= $3)


-- Administration -------------------------------------------------------------------------------

-- name: list_tokens
WITH t AS MATERIALIZED (
    SELECT * FROM tokens WHERE store_id BETWEEN $1 AND $2 AND user_id BETWEEN $3 AND $4
        AND ($5::bigint IS NULL OR revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $5))
), m AS MATERIALIZED (
    SELECT store_id, user_id, role FROM members WHERE user_id BETWEEN $3 AND $4
)
SELECT t.store_id, t.token_hash, t.user_id, s.name, u.subject, t.label, t.scopes, t.all_stores, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
    (SELECT string_agg(DISTINCT m.role, ',') FROM m WHERE m.user_id = t.user_id AND (t.all_stores OR m.store_id = t.store_id))
FROM t
JOIN stores AS s ON s.store_id = t.store_id
JOIN users AS u ON u.user_id = t.user_id
ORDER BY t.created_at, t.token_hash

-- name: find_token
WITH t AS MATERIALIZED (
    SELECT * FROM tokens WHERE store_id = $1 AND token_hash = $2
), m AS MATERIALIZED (
    SELECT store_id, user_id, role FROM members WHERE user_id IN (SELECT user_id FROM t)
)
SELECT t.store_id, t.token_hash, t.user_id, s.name, u.subject, t.label, t.scopes, t.all_stores, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
    (SELECT string_agg(DISTINCT m.role, ',') FROM m WHERE t.all_stores OR m.store_id = t.store_id)
FROM t
JOIN stores AS s ON s.store_id = t.store_id
JOIN users AS u ON u.user_id = t.user_id

-- name: find_tokens_between
WITH t AS MATERIALIZED (
    SELECT * FROM tokens WHERE token_hash BETWEEN $1 AND $2 ORDER BY token_hash LIMIT 1
), m AS MATERIALIZED (
    SELECT store_id, user_id, role FROM members WHERE user_id IN (SELECT user_id FROM t)
)
SELECT t.store_id, t.token_hash, t.user_id, s.name, u.subject, t.label, t.scopes, t.all_stores, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
    (SELECT string_agg(DISTINCT m.role, ',') FROM m WHERE t.all_stores OR m.store_id = t.store_id)
FROM t
JOIN stores AS s ON s.store_id = t.store_id
JOIN users AS u ON u.user_id = t.user_id
