-- name: list_audit
SELECT a.at, a.action, a.store, a.user_id, u.subject, a.by_user_id, b.subject, a.by_name, a.token_id, a.address, a.details
FROM audit AS a
LEFT JOIN users AS u ON u.user_id = a.user_id
LEFT JOIN users AS b ON b.user_id = a.by_user_id
WHERE (CAST(?1 AS text) IS NULL OR u.subject = ?1 OR b.subject = ?1)
    AND (CAST(?2 AS text) IS NULL OR a.store = ?2) AND (CAST(?3 AS bigint) IS NULL OR a.at >= ?3)
ORDER BY a.at, a.audit_id

-- The newest entries of backups stay: by them, the service knows how old its backups are.

-- name: trim_audit
DELETE FROM audit WHERE audit_id IN (
    SELECT audit_id FROM audit AS a
    WHERE at < ?1 AND (action NOT LIKE 'backup%' OR EXISTS (SELECT 1 FROM audit WHERE action = a.action AND at > a.at))
    ORDER BY at LIMIT ?2
)
RETURNING 1
