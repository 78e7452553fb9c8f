-- name: renew_revision
UPDATE revisions SET revision = CASE WHEN revision < ?2 THEN ?2 ELSE revision + 1 END,
    trimmed = CASE WHEN revision < ?2 THEN ?2 ELSE revision + 1 END
WHERE store_id = ?1

-- name: recount
UPDATE revisions SET plants = (SELECT count(*) FROM plants WHERE store_id = ?1) WHERE store_id = ?1

-- Verifying: stores in pages, counts of plants and events, and plants without an event

-- name: page_to_verify
SELECT s.store_id, s.name, s.created_at, r.plants, r.trimmed, r.revision
FROM stores AS s JOIN revisions AS r ON r.store_id = s.store_id
WHERE s.store_id > ?1 ORDER BY s.store_id LIMIT ?2

-- name: count_to_verify
SELECT (SELECT count(*) FROM plants WHERE store_id = ?1), count(*), min(revision), max(revision),
    count(*) FILTER (WHERE revision > ?2)
FROM events WHERE store_id = ?1

-- name: find_plants_without_event
SELECT id FROM plants WHERE store_id = ?1 EXCEPT SELECT plant_id FROM events WHERE store_id = ?1 ORDER BY id LIMIT ?2
