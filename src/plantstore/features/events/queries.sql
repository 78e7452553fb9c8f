-- The next store that has events, and the time of its first event.

-- name: find_oldest_event
SELECT store_id, at FROM events WHERE store_id > ?1 ORDER BY store_id, revision LIMIT 1

-- Of the ?3 oldest events of a store: the first, and the first that is not older than ?2.

-- name: find_old_events
SELECT min(revision), coalesce(min(revision) FILTER (WHERE at >= ?2), max(revision) + 1)
FROM (SELECT revision, at FROM events WHERE store_id = ?1 ORDER BY revision LIMIT ?3) AS part

-- name: delete_old_events
DELETE FROM events WHERE store_id = ?1 AND revision >= ?2 AND revision < ?3

-- name: set_trimmed
UPDATE revisions SET trimmed = ?2 WHERE store_id = ?1 AND trimmed < ?2

-- Access that ended so long ago that no event refers to it. The newest token stays: by it, a
-- restore knows that older tokens, which only the backup has, were deleted.

-- name: find_ended_tokens
SELECT store_id, token_hash FROM tokens
WHERE (revoked_at < ?1 OR expires_at < ?1) AND created_at < (SELECT max(created_at) FROM tokens) LIMIT ?2

-- name: find_ended_links
SELECT store_id, code_hash FROM links WHERE expires_at < ?1 LIMIT ?2

-- name: find_unused_users
SELECT user_id FROM users WHERE created_at < ?1
EXCEPT SELECT user_id FROM members EXCEPT SELECT user_id FROM tokens LIMIT ?2
