-- The SQL that is the same on SQLite and PostgreSQL, by name, with SQLite's ``?1`` for ``$1``. Every
-- query of a store's data names the store.


-- Serving: callers and lists -----------------------------------------------------------------

-- name: find_plant
SELECT name, tag FROM plants WHERE store_id = ?1 AND id = ?2


-- Serving: writes, all in the transaction of their batch --------------------------------------

-- name: delete_plant
DELETE FROM plants WHERE store_id = ?1 AND id = ?2

-- name: insert_event
INSERT INTO events (store_id, revision, kind, plant_id, name, tag, at, user_id, token_label, token_id)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)

-- name: delete_events_before
DELETE FROM events WHERE store_id = ?1 AND revision < ?2

-- The next store that has events, and when its first one was.

-- name: find_oldest_event
SELECT store_id, at FROM events WHERE store_id > ?1 ORDER BY store_id, revision LIMIT 1


-- Administration -------------------------------------------------------------------------------

-- name: rename_store
UPDATE stores SET name = ?2 WHERE store_id = ?1

-- name: delete_members_of_store
DELETE FROM members WHERE store_id = ?1

-- name: delete_store
DELETE FROM stores WHERE store_id = ?1

-- name: insert_user
INSERT INTO users (subject) VALUES (?1)

-- name: find_user
SELECT user_id, subject FROM users WHERE subject = ?1

-- name: rename_user
UPDATE users SET subject = ?2 WHERE user_id = ?1

-- name: delete_memberships_of
DELETE FROM members WHERE user_id = ?1

-- name: delete_tokens_of
DELETE FROM tokens WHERE user_id = ?1

-- name: delete_keys_of
DELETE FROM idempotency_keys WHERE user_id = ?1

-- name: delete_user
DELETE FROM users WHERE user_id = ?1

-- name: find_events_of
SELECT revision FROM events WHERE store_id = ?1 AND user_id = ?2 AND revision > ?3 ORDER BY revision LIMIT 5000

-- name: forget_user_in_events
UPDATE events SET user_id = ?5, token_label = ''
WHERE store_id = ?1 AND revision BETWEEN ?2 AND ?3 AND user_id = ?4

-- name: find_role
SELECT role FROM members WHERE store_id = ?1 AND user_id = ?2

-- name: list_all_members
SELECT s.name, u.subject, m.role FROM members AS m
JOIN stores AS s ON s.store_id = m.store_id JOIN users AS u ON u.user_id = m.user_id

-- name: delete_member
DELETE FROM members WHERE store_id = ?1 AND user_id = ?2

-- name: insert_token
INSERT INTO tokens (store_id, token_hash, user_id, all_stores, scopes, label, created_at, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)

-- name: revoke_token
UPDATE tokens SET revoked_at = ?3 WHERE store_id = ?1 AND token_hash = ?2

-- name: revoke_tokens
UPDATE tokens SET revoked_at = ?5
WHERE store_id BETWEEN ?1 AND ?2 AND user_id BETWEEN ?3 AND ?4 AND revoked_at IS NULL RETURNING token_hash

-- name: set_expiry
UPDATE tokens SET expires_at = ?3 WHERE store_id = ?1 AND token_hash = ?2

-- name: find_last_deletion
SELECT name, tag FROM events WHERE store_id = ?1 AND plant_id = ?2 AND kind = 'plant.deleted'
ORDER BY revision DESC LIMIT 1


-- Access over HTTP -----------------------------------------------------------------------------

-- Who calls; no row where the token is not valid.

-- name: find_valid_token
SELECT t.user_id, (SELECT subject FROM users WHERE user_id = t.user_id), t.scopes, t.all_stores
FROM tokens AS t
WHERE t.store_id = ?1 AND t.token_hash = ?2 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?3)

-- A token for all stores is its user's, not the store's.

-- name: revoke_token_of_store
UPDATE tokens SET revoked_at = coalesce(revoked_at, ?4)
WHERE store_id = ?1 AND token_hash BETWEEN ?2 AND ?3 AND NOT all_stores RETURNING token_hash


-- Links to sign in with: a code's row is deleted by whoever uses it.

-- name: insert_link
INSERT INTO links (store_id, code_hash, user_id, scopes, label, token_expires_at, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)

-- name: take_link
DELETE FROM links WHERE store_id = ?1 AND code_hash = ?2 AND expires_at > ?3
RETURNING user_id, scopes, label, token_expires_at

-- name: count_links
SELECT count(*) FROM links WHERE store_id = ?1

-- name: delete_expired_links
DELETE FROM links WHERE store_id = ?1 AND expires_at <= ?2


-- Verifying: how many plants and events there are, and which plants are not as their last event says

-- name: count_to_verify
SELECT (SELECT count(*) FROM plants WHERE store_id = ?1), count(*), min(revision), max(revision),
    count(*) FILTER (WHERE revision > ?2)
FROM events WHERE store_id = ?1


-- Copying: pages of a range of stores in the order of the keys, and rows written as they were read --------------------

-- name: count_rows
SELECT (SELECT count(*) FROM members WHERE store_id BETWEEN ?1 AND ?2)
    + (SELECT count(*) FROM tokens WHERE store_id BETWEEN ?1 AND ?2)
    + (SELECT count(*) FROM plants WHERE store_id BETWEEN ?1 AND ?2)
    + (SELECT count(*) FROM events WHERE store_id BETWEEN ?1 AND ?2)

-- name: page_of_users
SELECT user_id, subject FROM users WHERE user_id >= ?1 AND user_id <= ?2 ORDER BY user_id LIMIT ?3

-- name: page_of_members
SELECT store_id, user_id, role FROM members
WHERE (store_id, user_id) >= (?1, ?2) AND store_id <= ?3 ORDER BY store_id, user_id LIMIT ?4

-- name: page_of_plants
SELECT store_id, id, name, tag FROM plants
WHERE (store_id, id) >= (?1, ?2) AND store_id <= ?3 ORDER BY store_id, id LIMIT ?4

-- name: page_of_events
SELECT store_id, revision, kind, plant_id, name, tag, at, user_id, token_label, token_id FROM events
WHERE (store_id, revision) >= (?1, ?2) AND store_id <= ?3 ORDER BY store_id, revision LIMIT ?4

-- name: page_of_keys
SELECT store_id, user_id, key, fingerprint, outcome, created_at FROM idempotency_keys
WHERE (store_id, user_id, key) >= (?1, ?2, ?3) AND store_id <= ?4 ORDER BY store_id, user_id, key LIMIT ?5


-- Importing: portions of plants, each with its place in the journal -------------------------------

-- name: find_highest_id
SELECT max(id) FROM plants WHERE store_id = ?1

-- name: find_import
SELECT digest, reached, written, revision FROM imports WHERE store_id = ?1

-- name: delete_import
DELETE FROM imports WHERE store_id = ?1

-- What an import has created, the last first; it is known by its label, since it has no token.

-- name: page_of_imported
SELECT revision, plant_id FROM events
WHERE store_id = ?1 AND revision > ?2 AND revision < ?3
    AND kind = 'plant.created' AND token_label = ?4 AND token_id = ''
ORDER BY revision DESC LIMIT ?5

-- name: page_of_others_events
SELECT revision, plant_id FROM events
WHERE store_id = ?1 AND revision > ?2 AND NOT (token_label = ?3 AND token_id = '')
ORDER BY revision LIMIT ?4
