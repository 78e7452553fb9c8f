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

-- name: count_rows
SELECT (SELECT count(*) FROM members WHERE store_id BETWEEN ?1 AND ?2)
    + (SELECT count(*) FROM tokens WHERE store_id BETWEEN ?1 AND ?2)
    + (SELECT count(*) FROM plants WHERE store_id BETWEEN ?1 AND ?2)
    + (SELECT count(*) FROM events WHERE store_id BETWEEN ?1 AND ?2)

-- name: copy_revisions
INSERT INTO revisions (store_id) VALUES (?1)

-- name: set_revision
UPDATE revisions SET revision = ?2 WHERE store_id = ?1

-- name: set_store
UPDATE revisions SET max_plants = ?2, trimmed = ?3, plants = (SELECT count(*) FROM plants WHERE store_id = ?1)
WHERE store_id = ?1

-- The store's row, locked until the end of the transaction.

-- name: lock_counts
UPDATE revisions SET revision = revision WHERE store_id = ?1 RETURNING revision, plants, max_plants

-- name: find_highest_id
SELECT max(id) FROM plants WHERE store_id = ?1

-- name: delete_token
DELETE FROM tokens WHERE store_id = ?1 AND token_hash = ?2
