-- name: find_plants_among
SELECT p.id, p.name, p.tag FROM json_array_elements_text($2::json) AS w
JOIN LATERAL (SELECT * FROM plants WHERE store_id = $1 AND id = w.value::bigint LIMIT 1) AS p ON true
