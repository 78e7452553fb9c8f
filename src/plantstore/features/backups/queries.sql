-- name: renew_revisions
UPDATE revisions SET revision = CASE WHEN revision < ?3 THEN ?3 ELSE revision + 1 END,
    trimmed = CASE WHEN revision < ?3 THEN ?3 ELSE revision + 1 END
WHERE store_id BETWEEN ?1 AND ?2 RETURNING store_id

-- name: recount
UPDATE revisions SET plants = (SELECT count(*) FROM plants WHERE store_id = ?1) WHERE store_id = ?1

-- Verifying: counts of plants and events, and plants without an event

-- name: count_to_verify
SELECT (SELECT count(*) FROM plants WHERE store_id = ?1), count(*), min(revision), max(revision),
    count(*) FILTER (WHERE revision > ?2)
FROM events WHERE store_id = ?1

-- name: find_plants_without_event
SELECT id FROM plants WHERE store_id = ?1 EXCEPT SELECT plant_id FROM events WHERE store_id = ?1 ORDER BY id LIMIT ?2

-- The plants that differ from their last event. Each is looked up alone: without statistics of the
-- store, PostgreSQL's join would read all of its plants for each event.

-- name: find_mismatches
WITH last AS MATERIALIZED (
    SELECT plant_id, max(revision) AS revision FROM events WHERE store_id = ?1 GROUP BY plant_id
)
SELECT plant_id, mismatch, revision FROM (
    SELECT plant_id, revision, (
        SELECT CASE
            WHEN e.kind = 'plant.deleted' THEN CASE WHEN p.id IS NOT NULL THEN 'deleted' END
            WHEN p.id IS NULL THEN 'missing'
            WHEN (p.name, p.tag) IS DISTINCT FROM (e.name, e.tag) THEN 'different' END
        FROM events AS e LEFT JOIN plants AS p ON p.store_id = ?1 AND p.id = l.plant_id
        WHERE e.store_id = ?1 AND e.revision = l.revision
    ) AS mismatch
    FROM last AS l
) AS checked
WHERE mismatch IS NOT NULL ORDER BY plant_id LIMIT ?2
