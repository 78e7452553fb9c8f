-- name: find_plants_among
SELECT id, name, tag FROM plants WHERE store_id = ?1 AND id IN (SELECT value FROM json_each(?2))
