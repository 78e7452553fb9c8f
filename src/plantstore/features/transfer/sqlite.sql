-- name: find_plants_among
SELECT id, name, tag FROM plants WHERE store_id = ?1 AND id IN (SELECT value FROM json_each(?2))

-- name: copy_users
INSERT INTO users (user_id, subject, created_at) VALUES (?1, ?2, ?3)

-- name: copy_stores
INSERT INTO stores (store_id, name, created_at) VALUES (?1, ?2, ?3)

-- name: copy_members
INSERT INTO members (store_id, user_id, role, since, added_by) VALUES (?1, ?2, ?3, ?4, ?5)

-- name: copy_tokens
INSERT INTO tokens (store_id, token_hash, user_id, all_stores, scopes, label, created_at, expires_at, revoked_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)

-- name: copy_plants
INSERT INTO plants (store_id, id, name, tag) VALUES (?1, ?2, ?3, ?4)

-- name: copy_events
INSERT INTO events (store_id, revision, kind, plant_id, name, tag, at, user_id, token_label, token_id)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)

-- name: copy_keys
INSERT INTO idempotency_keys (store_id, user_id, key, fingerprint, outcome, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
