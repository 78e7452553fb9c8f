-- name: renew_revision
UPDATE revisions SET revision = CASE WHEN revision < ?2 THEN ?2 ELSE revision + 1 END,
    trimmed = CASE WHEN revision < ?2 THEN ?2 ELSE revision + 1 END
WHERE store_id = ?1

-- Verifying: how many plants and events there are, and which plants have no event

-- name: count_to_verify
SELECT (SELECT count(*) FROM plants WHERE store_id = ?1), count(*), min(revision), max(revision),
    count(*) FILTER (WHERE revision > ?2)
FROM events WHERE store_id = ?1

-- name: find_plants_without_event
SELECT id FROM plants WHERE store_id = ?1 EXCEPT SELECT plant_id FROM events WHERE store_id = ?1 ORDER BY id LIMIT ?2
