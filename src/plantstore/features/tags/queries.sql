-- The tags from a given tag on, in the order of their code points.

-- name: read_tags
SELECT r.revision, t.tag, t.plants FROM revisions AS r LEFT JOIN (
    SELECT tag, count(*) AS plants FROM plants WHERE store_id = ?1 AND tag >= ?2 GROUP BY tag ORDER BY tag LIMIT ?3
) AS t ON true
WHERE r.store_id = ?1 ORDER BY t.tag
