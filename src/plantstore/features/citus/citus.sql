-- The named queries that differ on Citus: each query of serving concerns one store.


-- Settings -------------------------------------------------------------------------------------

-- Lets a transaction change tables on all servers and tables of a store, in any order.

-- name: plan_lookups
SELECT set_config('enable_seqscan', 'off', false), set_config('enable_bitmapscan', 'off', false),
    set_config('jit', 'off', false), set_config('default_transaction_isolation', 'read committed', false),
    set_config('citus.multi_shard_modify_mode', 'sequential', false),
    set_config('idle_in_transaction_session_timeout', '0', false), set_config('client_connection_check_interval', '1s', false)

-- name: begin_migration
SELECT set_config('lock_timeout', '5s', true), set_config('statement_timeout', '10min', true),
    set_config('citus.multi_shard_modify_mode', 'sequential', true)


-- Serving --------------------------------------------------------------------------------------

-- All tokens belong to the store of the first. Queries of several tables are planned at each call,
-- on two servers: subselects cost a quarter less than joins.

-- name: find_callers
SELECT array_position($2::bytea[], t.token_hash), t.user_id, t.label, t.expires_at, t.store_id,
    (SELECT m.role FROM members AS m WHERE m.store_id = ($1::bigint[])[1] AND m.user_id = t.user_id),
    t.scopes,
    (SELECT r.revision FROM revisions AS r WHERE r.store_id = ($1::bigint[])[1])
FROM tokens AS t
WHERE t.store_id = ($1::bigint[])[1] AND t.token_hash = ANY ($2) AND t.revoked_at IS NULL

-- name: find_callers_in_stores
SELECT * FROM find_callers_of($1, $2, $3, $4)

-- All at once.

-- name: delete_old_keys
DELETE FROM idempotency_keys WHERE created_at <= $1 AND $2::bigint > 0

-- name: record_token_uses
CALL record_token_uses($1, $2, $3)


-- Administration -------------------------------------------------------------------------------

-- name: list_tokens
WITH t AS MATERIALIZED (
    SELECT * FROM tokens WHERE store_id BETWEEN $1 AND $2 AND user_id BETWEEN $3 AND $4
), m AS MATERIALIZED (
    SELECT store_id, user_id, role FROM members WHERE user_id BETWEEN $3 AND $4
)
SELECT t.store_id, t.token_hash, t.user_id, s.name, u.subject, t.label, t.scopes, t.all_stores, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
    (SELECT string_agg(DISTINCT m.role, ',') FROM m WHERE m.user_id = t.user_id AND (t.all_stores OR m.store_id = t.store_id))
FROM t
JOIN stores AS s ON s.store_id = t.store_id
JOIN users AS u ON u.user_id = t.user_id
ORDER BY t.created_at, t.token_hash
