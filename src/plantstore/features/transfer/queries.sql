-- name: copy_revisions
INSERT INTO revisions (store_id) VALUES (?1)

-- name: set_store
UPDATE revisions SET revision = ?2, max_plants = ?3, trimmed = ?4,
    plants = (SELECT count(*) FROM plants WHERE store_id = ?1)
WHERE store_id = ?1

-- name: delete_event
DELETE FROM events WHERE store_id = ?1 AND revision = ?2

-- name: find_highest_id
SELECT max(id) FROM plants WHERE store_id = ?1

-- name: find_last_deletion
SELECT plant_id, name, tag FROM events WHERE store_id = ?1 AND plant_id = ?2 AND kind = 'plant.deleted'
ORDER BY revision DESC LIMIT 1

-- name: page_of_members
SELECT store_id, user_id, role, since, added_by FROM members
WHERE (store_id, user_id) >= (?1, ?2) AND store_id <= ?3 ORDER BY store_id, user_id LIMIT ?4

-- name: page_of_tokens
SELECT store_id, token_hash, user_id, CAST(all_stores AS int), scopes, label, created_at, expires_at, revoked_at FROM tokens
WHERE (store_id, token_hash) >= (?1, ?2) AND store_id <= ?3 ORDER BY store_id, token_hash LIMIT ?4

-- name: page_of_events
SELECT store_id, revision, kind, plant_id, name, tag, at, user_id, token_label, token_id FROM events
WHERE (store_id, revision) >= (?1, ?2) AND store_id <= ?3 ORDER BY store_id, revision LIMIT ?4

-- name: page_of_keys
SELECT store_id, user_id, key, fingerprint, outcome, created_at FROM idempotency_keys
WHERE (store_id, user_id, key) >= (?1, ?2, ?3) AND store_id <= ?4 ORDER BY store_id, user_id, key LIMIT ?5

-- Rows as they are read above; to PostgreSQL by COPY

-- name: copy_users
INSERT INTO users (user_id, subject, created_at) VALUES (?1, ?2, ?3)

-- name: copy_stores
INSERT INTO stores (store_id, name, created_at) VALUES (?1, ?2, ?3)
