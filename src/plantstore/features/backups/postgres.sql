-- Verifying: the plants that differ from their last event. Without statistics of the store, a join
-- would read all of its plants for each event.

-- name: find_mismatches
WITH last AS MATERIALIZED (
    SELECT DISTINCT ON (plant_id) plant_id, kind, name, tag, revision FROM events WHERE store_id = $1
    ORDER BY plant_id, revision DESC
)
SELECT l.plant_id, CASE WHEN p.id IS NULL THEN 'missing' WHEN l.kind = 'plant.deleted' THEN 'deleted' ELSE 'different' END,
    l.revision
FROM last AS l
LEFT JOIN LATERAL (SELECT * FROM plants WHERE store_id = $1 AND id = l.plant_id LIMIT 1) AS p ON true
WHERE CASE WHEN p.id IS NULL THEN l.kind <> 'plant.deleted'
    ELSE l.kind = 'plant.deleted' OR (p.name, p.tag) IS DISTINCT FROM (l.name, l.tag) END
ORDER BY l.plant_id LIMIT $2
