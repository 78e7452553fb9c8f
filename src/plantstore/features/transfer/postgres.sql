-- name: find_plants_among
SELECT p.id, p.name, p.tag FROM json_array_elements_text($2::json) AS w
JOIN LATERAL (SELECT * FROM plants WHERE store_id = $1 AND id = w.value::bigint LIMIT 1) AS p ON true

-- name: copy_users
COPY users (user_id, subject, created_at) FROM STDIN

-- name: copy_stores
COPY stores (store_id, name, created_at) FROM STDIN

-- name: copy_members
COPY members (store_id, user_id, role, since, added_by) FROM STDIN

-- name: copy_tokens
COPY tokens (store_id, token_hash, user_id, all_stores, scopes, label, created_at, expires_at, revoked_at) FROM STDIN

-- name: copy_plants
COPY plants (store_id, id, name, tag) FROM STDIN

-- name: copy_events
COPY events (store_id, revision, kind, plant_id, name, tag, at, user_id, token_label, token_id) FROM STDIN

-- name: copy_keys
COPY idempotency_keys (store_id, user_id, key, fingerprint, outcome, created_at) FROM STDIN
