-- As in sqlite.sql.

-- name: read_events
SELECT r.revision, r.trimmed, r.trimmed IN (0, (SELECT created_at * 1000 FROM stores WHERE store_id = $1)),
    CASE WHEN $4 THEN string_agg(coalesce(u.subject, ''), chr(10) ORDER BY e.revision) END,
    convert_to(CAST($5 AS text) || coalesce(string_agg(CASE WHEN $5 IS NOT NULL THEN
        format($6, e.revision, e.kind) || '{"revision":' || e.revision || ',"kind":"' || e.kind
        || '","at":"' || to_char(to_timestamp(e.at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') || 'Z'
        || '","plant":{"id":' || e.plant_id
        || CASE WHEN $9 THEN ',"id_text":"' || e.plant_id || '","name":' ELSE ',"name":' END || to_json(e.name)
        || CASE WHEN e.tag IS NULL THEN '' ELSE ',"tag":' || to_json(e.tag) END || '}'
        || CASE WHEN u.subject IS NULL THEN '' ELSE ',"user":' || to_json(u.subject) END
        || CASE WHEN $4 AND e.token_label <> '' THEN ',"token_label":' || to_json(e.token_label) ELSE '' END
        || CASE WHEN $4 AND e.token_id <> '' THEN ',"token_id":' || to_json(e.token_id) ELSE '' END || '}'
    END, $7 ORDER BY e.revision), '') || $8, 'UTF8')
FROM revisions AS r
LEFT JOIN LATERAL (
    SELECT revision, kind, plant_id, name, tag, at, user_id, token_label, token_id FROM events
    WHERE store_id = $1 AND revision > greatest(r.trimmed, $2) ORDER BY revision LIMIT $3
) AS e ON true
LEFT JOIN LATERAL (SELECT subject FROM users WHERE user_id = e.user_id AND $4 LIMIT 1) AS u ON true
WHERE r.store_id = $1 GROUP BY r.store_id
