-- The events after a revision as one text: ``?5`` opens and ``?8`` closes it, ``?6`` formats the
-- start of each event from its revision and kind, ``?7`` separates events. ``?9`` adds the plant's
-- id as a string. Without ``?5`` there is no text. Users are read only for owners (``?4``). A store
-- begins at revision 0 or at its time (``insert_revision``): if it is trimmed only up to there, it
-- has all its events.

-- name: read_events
SELECT r.revision, r.trimmed, r.trimmed IN (0, (SELECT created_at * 1000 FROM stores WHERE store_id = ?1)),
    CASE WHEN ?4 THEN group_concat(coalesce(u.subject, ''), char(10)) END,
    CAST(?5 || coalesce(group_concat(CASE WHEN ?5 IS NOT NULL THEN
        format(?6, e.revision, e.kind) || '{"revision":' || e.revision || ',"kind":"' || e.kind
        || '","at":"' || replace(datetime(e.at / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z'
        || '","plant":{"id":' || e.plant_id || iif(?9, ',"id_text":"' || e.plant_id || '","name":', ',"name":') || json_quote(e.name)
        || iif(e.tag IS NULL, '', ',"tag":' || json_quote(e.tag)) || '}'
        || iif(u.subject IS NULL, '', ',"user":' || json_quote(u.subject))
        || iif(?4 AND e.token_label <> '', ',"token_label":' || json_quote(e.token_label), '')
        || iif(?4 AND e.token_id <> '', ',"token_id":' || json_quote(e.token_id), '') || '}'
    END, ?7), '') || ?8 AS BLOB)
FROM revisions AS r
LEFT JOIN events AS e ON e.store_id = ?1 AND e.revision > max(r.trimmed, ?2) AND e.revision <= max(r.trimmed, ?2) + ?3
LEFT JOIN users AS u ON u.user_id = e.user_id AND ?4
WHERE r.store_id = ?1 GROUP BY r.store_id
