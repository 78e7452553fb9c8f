-- The queries of copies for PostgreSQL only.

-- For stores and users that were copied with their ids. Sequences never go down: the ids of deleted
-- rows are not used again.

-- name: advance_sequences
SELECT
    setval(ids.store, greatest(pg_sequence_last_value(ids.store), (SELECT max(store_id) FROM stores), 1)),
    setval(ids.user, greatest(pg_sequence_last_value(ids.user), (SELECT max(user_id) FROM users), 1))
FROM (SELECT pg_get_serial_sequence('stores', 'store_id')::regclass AS store,
    pg_get_serial_sequence('users', 'user_id')::regclass AS user) AS ids

-- Without statistics, the first lists after a copy would be slow.

-- name: analyze
ANALYZE stores, revisions, users, members, tokens, plants, events, idempotency_keys
