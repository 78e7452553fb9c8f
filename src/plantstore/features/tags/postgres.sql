-- name: read_tags
SELECT revision, (
    SELECT convert_to('[' || coalesce(
        string_agg('{"tag":' || to_json(tag) || ',"count":' || n || '}', ',' ORDER BY tag COLLATE "C"), '') || ']', 'UTF8')
    FROM (
        SELECT tag, count(*) AS n FROM plants WHERE store_id = $1 AND tag IS NOT NULL GROUP BY tag
    ) AS counted
)
FROM revisions WHERE store_id = $1
