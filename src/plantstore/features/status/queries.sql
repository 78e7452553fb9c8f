-- When the oldest store was created and the last backups were recorded, and how many tokens expire between two times.

-- name: read_status
SELECT (SELECT created_at FROM stores ORDER BY store_id LIMIT 1),
    (SELECT max(at) FROM audit WHERE action = 'backup'), (SELECT max(at) FROM audit WHERE action = 'backup verify'),
    (SELECT count(*) FROM tokens WHERE revoked_at IS NULL AND expires_at > ?1 AND expires_at <= ?2)
