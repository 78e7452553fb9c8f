-- name: read_tags
SELECT revision, (
    SELECT CAST('[' || coalesce(group_concat(json_object('tag', tag, 'count', n)), '') || ']' AS BLOB) FROM (
        SELECT tag, count(*) AS n FROM plants INDEXED BY plants_by_tag
        WHERE store_id = ?1 AND tag IS NOT NULL GROUP BY tag ORDER BY tag
    )
)
FROM revisions WHERE store_id = ?1
