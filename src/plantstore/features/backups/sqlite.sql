-- Verifying: the plants that differ from their last event

-- name: find_mismatches
WITH last AS (
    SELECT plant_id, kind, name, tag, max(revision) AS revision FROM events WHERE store_id = ?1 GROUP BY plant_id
)
SELECT l.plant_id, CASE WHEN p.id IS NULL THEN 'missing' WHEN l.kind = 'plant.deleted' THEN 'deleted' ELSE 'different' END,
    l.revision
FROM last AS l LEFT JOIN plants AS p ON p.store_id = ?1 AND p.id = l.plant_id
WHERE CASE WHEN p.id IS NULL THEN l.kind <> 'plant.deleted'
    ELSE l.kind = 'plant.deleted' OR (p.name, p.tag) IS NOT (l.name, l.tag) END
LIMIT ?2
