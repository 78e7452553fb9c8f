-- As in sqlite.sql.

-- name: show_members
SELECT convert_to(string_agg('{"user":' || to_json(u.subject) || ',"role":"' || m.role
    || '","since":"' || to_char(to_timestamp(m.since / 1000.0::float8) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || coalesce('","by":' || to_json(a.subject) || '}', '"}'), ',' ORDER BY u.subject), 'UTF8')
FROM members AS m
JOIN users AS u ON u.user_id = m.user_id
LEFT JOIN users AS a ON a.user_id = m.added_by
WHERE m.store_id = $1 AND ($2::text IS NULL OR u.subject = $2)

-- name: show_tokens
SELECT convert_to(string_agg('{"id":"' || encode(substr(t.token_hash, 1, 8), 'hex') || '","user":' || to_json(u.subject)
    || ',"label":' || to_json(t.label) || ',"scopes":["' || replace(t.scopes, ',', '","')
    || '"],"created_at":"' || to_char(to_timestamp(t.created_at / 1000.0::float8) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || coalesce('","expires_at":"'
        || to_char(to_timestamp(t.expires_at / 1000.0::float8) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '')
    || coalesce('","last_used_at":"'
        || to_char(to_timestamp(t.last_used_at / 1000.0::float8) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '')
    || '"}', ',' ORDER BY t.created_at, t.token_hash), 'UTF8')
FROM tokens AS t JOIN users AS u ON u.user_id = t.user_id
WHERE t.store_id = $1 AND t.token_hash BETWEEN $2 AND $3 AND NOT t.all_stores
    AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $4)
