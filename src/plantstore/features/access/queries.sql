-- name: set_max_plants
UPDATE revisions SET max_plants = ?2 WHERE store_id = ?1

-- name: find_store_name
SELECT name FROM stores WHERE store_id = ?1

-- name: rename_store
UPDATE stores SET name = ?2 WHERE store_id = ?1

-- The size of the data: each counted number has 8 bytes.

-- name: describe_store
SELECT (SELECT count(*) FROM members WHERE store_id = ?1),
    (SELECT count(*) FROM tokens WHERE store_id = ?1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)),
    (SELECT CAST(coalesce(sum(8 + octet_length(name) + coalesce(octet_length(tag), 0)), 0) AS bigint) FROM plants WHERE store_id = ?1)
    + (SELECT CAST(coalesce(sum(32 + octet_length(kind) + octet_length(name) + coalesce(octet_length(tag), 0)
        + octet_length(token_label) + octet_length(token_id)), 0) AS bigint) FROM events WHERE store_id = ?1),
    (SELECT at FROM events WHERE store_id = ?1 ORDER BY revision DESC LIMIT 1)

-- name: delete_store
DELETE FROM stores WHERE store_id = ?1

-- name: rename_user
UPDATE users SET subject = ?2 WHERE user_id = ?1

-- name: delete_memberships_of
DELETE FROM members WHERE user_id = ?1

-- name: delete_tokens_of
DELETE FROM tokens WHERE user_id = ?1

-- name: delete_keys_of
DELETE FROM idempotency_keys WHERE user_id = ?1

-- Default labels with a user's name: another name replaces what precedes the date. The events of a
-- user, who is deleted, lose their labels.

-- name: find_events_of
SELECT revision FROM events WHERE store_id = ?1 AND revision > ?2 AND (user_id = ?3 OR token_label LIKE ?4 ESCAPE '!')
ORDER BY revision LIMIT 5000

-- name: relabel_events
UPDATE events SET user_id = CASE WHEN user_id = ?4 THEN ?7 ELSE user_id END,
    token_label = CASE WHEN user_id = ?4 THEN '' ELSE ?6 || substr(token_label, length(token_label) - 9) END
WHERE store_id = ?1 AND revision BETWEEN ?2 AND ?3 AND (user_id = ?4 OR token_label LIKE ?5 ESCAPE '!')

-- name: relabel_tokens
UPDATE tokens SET label = ?2 || substr(label, length(label) - 9) WHERE label LIKE ?1 ESCAPE '!'

-- name: relabel_links
UPDATE links SET label = ?2 || substr(label, length(label) - 9) WHERE label LIKE ?1 ESCAPE '!'

-- name: list_all_members
SELECT s.name, u.subject, m.role FROM members AS m
JOIN stores AS s ON s.store_id = m.store_id JOIN users AS u ON u.user_id = m.user_id
ORDER BY s.name, u.subject

-- The members of a store, or one of them.

-- name: list_members
SELECT (SELECT subject FROM users WHERE user_id = m.user_id) AS subject, role, since,
    (SELECT subject FROM users WHERE user_id = m.added_by) AS adder
FROM members AS m
WHERE store_id = ?1 AND (CAST(?2 AS text) IS NULL OR user_id = (SELECT user_id FROM users WHERE subject = ?2))
ORDER BY subject

-- name: count_members
SELECT count(*), count(*) FILTER (WHERE role = 'owner') FROM members WHERE store_id = ?1

-- name: find_subject
SELECT subject FROM users WHERE user_id = ?1

-- name: find_valid_token
SELECT scopes, all_stores, expires_at FROM tokens
WHERE store_id = ?1 AND token_hash = ?2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?3)

-- The valid tokens that open only this store, however many have ended.

-- name: list_valid_tokens
SELECT token_hash, (SELECT subject FROM users AS u WHERE u.user_id = t.user_id), label, scopes, created_at, expires_at, last_used_at
FROM tokens AS t
WHERE store_id = ?1 AND NOT all_stores AND revoked_at IS NULL AND coalesce(expires_at, 9223372036854775807) > ?2
ORDER BY coalesce(expires_at, 9223372036854775807)

-- name: count_tokens
SELECT count(*) FROM (
    SELECT 1 FROM tokens WHERE store_id = ?1 AND NOT all_stores AND revoked_at IS NULL AND coalesce(expires_at, 9223372036854775807) > ?2
    ORDER BY coalesce(expires_at, 9223372036854775807) LIMIT ?3
) AS t

-- Links to sign in with: using a code deletes its row.

-- name: insert_link
INSERT INTO links (store_id, code_hash, user_id, scopes, label, token_expires_at, maker_hash, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)

-- Links that have not expired, each with its user's current role and its creator's current
-- permissions. The parts are read one after another, as in find_token_info.

-- name: find_links
WITH l AS MATERIALIZED (
    SELECT * FROM links
    WHERE store_id BETWEEN ?1 AND ?2 AND code_hash BETWEEN ?3 AND ?4
        AND expires_at > ?5 AND (token_expires_at IS NULL OR token_expires_at > ?5)
), t AS MATERIALIZED (
    SELECT token_hash, user_id, scopes, expires_at FROM tokens
    WHERE token_hash IN (SELECT maker_hash FROM l) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?5)
), m AS MATERIALIZED (
    SELECT store_id, user_id, role FROM members
    WHERE store_id BETWEEN ?1 AND ?2 AND user_id IN (SELECT user_id FROM l UNION SELECT user_id FROM t)
)
SELECT l.store_id, l.code_hash, s.name, l.user_id, u.subject, m.role, l.scopes, l.label, l.token_expires_at, l.expires_at,
    l.maker_hash IS NOT NULL, (SELECT role FROM m WHERE m.store_id = l.store_id AND m.user_id = t.user_id), t.scopes, t.expires_at
FROM l
JOIN stores AS s ON s.store_id = l.store_id
JOIN users AS u ON u.user_id = l.user_id
JOIN m ON m.store_id = l.store_id AND m.user_id = l.user_id
LEFT JOIN t ON t.token_hash = l.maker_hash
ORDER BY l.expires_at, l.code_hash

-- The links of a store for a user, or created by the user's tokens.

-- name: find_links_of
WITH l AS MATERIALIZED (
    SELECT * FROM links WHERE store_id = ?1
), t AS MATERIALIZED (
    SELECT token_hash FROM tokens WHERE token_hash IN (SELECT maker_hash FROM l) AND +user_id = ?2
)
SELECT store_id, code_hash FROM l WHERE user_id = ?2 OR maker_hash IN (SELECT token_hash FROM t)

-- name: find_code
SELECT 1 FROM links WHERE store_id = ?1 AND code_hash = ?2 AND expires_at > ?3

-- name: count_links
SELECT count(*) FROM links WHERE store_id = ?1

-- name: delete_expired_links
DELETE FROM links WHERE store_id = ?1 AND expires_at <= ?2

-- name: delete_members_of_store
DELETE FROM members WHERE store_id = ?1

-- name: raise_revision
UPDATE revisions SET revision = revision + 1, plants = plants + ?2 WHERE store_id = ?1 RETURNING revision

-- name: note_deleted_store
INSERT INTO deleted_stores (store_id, revision) VALUES (?1, ?2)
ON CONFLICT (store_id) DO UPDATE SET revision = excluded.revision
