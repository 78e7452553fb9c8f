-- The webhooks of a store, or the one with an id, each with its store's revision, the oldest first.

-- name: find_webhooks
SELECT w.*, r.revision, s.name FROM webhooks AS w
JOIN revisions AS r ON r.store_id = w.store_id JOIN stores AS s ON s.store_id = w.store_id
WHERE w.store_id = ?1 AND w.webhook_id = coalesce(?2, w.webhook_id) ORDER BY w.created_at, w.webhook_id

-- A new webhook gets events from now on.

-- name: insert_webhook
INSERT INTO webhooks (store_id, webhook_id, url, kinds, description, secret, created_at, delivered)
SELECT store_id, ?2, '', '', '', '', ?3, revision FROM revisions WHERE store_id = ?1

-- name: save_webhook
UPDATE webhooks SET url = ?3, kinds = ?4, tag = ?5, description = ?6, secret = ?7, old_secret = ?8, rotated_at = ?9,
    created_at = ?10, delivered = ?11, failing_since = ?12, paused = ?13, progress = ?14
WHERE store_id = ?1 AND webhook_id = ?2

-- name: delete_webhook
DELETE FROM webhooks WHERE store_id = ?1 AND webhook_id = ?2

-- name: list_deliveries
SELECT number, kind, revision, status, duration, response, next_at FROM deliveries
WHERE store_id = ?1 AND webhook_id = ?2 ORDER BY number DESC

-- name: insert_delivery
INSERT INTO deliveries (store_id, webhook_id, number, kind, revision, status, duration, response, next_at)
SELECT store_id, webhook_id, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM webhooks WHERE store_id = ?1 AND webhook_id = ?2
ON CONFLICT (store_id, webhook_id, number) DO NOTHING

-- name: delete_old_deliveries
DELETE FROM deliveries WHERE store_id = ?1 AND webhook_id = ?2 AND (number < ?3 OR number <=
    (SELECT number FROM deliveries WHERE store_id = ?1 AND webhook_id = ?2 ORDER BY number DESC LIMIT 1 OFFSET 100))

-- name: find_due_webhooks
SELECT w.*, r.revision, s.name FROM webhooks AS w
JOIN revisions AS r ON r.store_id = w.store_id JOIN stores AS s ON s.store_id = w.store_id
WHERE w.paused IS NULL AND w.delivered < r.revision

-- A plant's state before an event: without an index, so it reads at most 10,000 earlier events.

-- name: find_former
SELECT name, tag FROM events WHERE store_id = ?1 AND plant_id = ?2 AND revision < ?3 AND revision >= ?3 - 10000
ORDER BY revision DESC LIMIT 1

-- In a transaction, a webhook that cannot be saved is undone alone.

-- name: begin_webhook
SAVEPOINT webhook

-- name: undo_webhook
ROLLBACK TO SAVEPOINT webhook
