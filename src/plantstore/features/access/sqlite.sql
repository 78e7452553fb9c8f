-- The JSON of a store's members or tokens, separated by commas: all, or one.

-- name: show_members
SELECT CAST(group_concat(member) AS BLOB) FROM (
    SELECT '{"user":' || json_quote(u.subject) || ',"role":"' || m.role
        || '","since":"' || strftime('%Y-%m-%dT%H:%M:%fZ', m.since / 1000.0, 'unixepoch')
        || iif(a.subject IS NULL, '"}', '","by":' || json_quote(a.subject) || '}') AS member
    FROM members AS m
    CROSS JOIN users AS u ON u.user_id = m.user_id
    LEFT JOIN users AS a ON a.user_id = m.added_by
    WHERE m.store_id = ?1 AND (?2 IS NULL OR u.subject = ?2) ORDER BY u.subject
)

-- Valid tokens that open only this store.

-- name: show_tokens
SELECT CAST(group_concat(token) AS BLOB) FROM (
    SELECT '{"id":"' || lower(hex(substr(t.token_hash, 1, 8))) || '","user":' || json_quote(u.subject)
        || ',"label":' || json_quote(t.label) || ',"scopes":["' || replace(t.scopes, ',', '","')
        || '"],"created_at":"' || strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch')
        || coalesce('","expires_at":"' || strftime('%Y-%m-%dT%H:%M:%fZ', t.expires_at / 1000.0, 'unixepoch'), '')
        || coalesce('","last_used_at":"' || strftime('%Y-%m-%dT%H:%M:%fZ', t.last_used_at / 1000.0, 'unixepoch'), '')
        || '"}' AS token
    FROM tokens AS t CROSS JOIN users AS u ON u.user_id = t.user_id
    WHERE t.store_id = ?1 AND t.token_hash BETWEEN ?2 AND ?3 AND NOT t.all_stores
        AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?4)
    ORDER BY t.created_at, t.token_hash
)
