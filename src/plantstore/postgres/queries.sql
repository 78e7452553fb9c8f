-- The queries for PostgreSQL only, by name; shared queries are in sql/queries.sql. Every query of a
-- store's data names the store.


-- Planning -------------------------------------------------------------------------------------

-- All queries are lookups by a prefix of a key. Without statistics of a table, or of a store that
-- has grown, the planner would choose other plans: it would read and sort the whole store for a
-- page. JIT compilation would take longer than running any of these. Queries join by LATERAL and
-- LIMIT 1 where a hash join could read a whole table. A batch sees what was committed before its locks.
-- A query whose client has gone ends; a client that reads a long list slowly keeps its snapshot.

-- name: plan_lookups
SELECT set_config('enable_seqscan', 'off', false), set_config('enable_bitmapscan', 'off', false),
    set_config('jit', 'off', false), set_config('default_transaction_isolation', 'read committed', false),
    set_config('idle_in_transaction_session_timeout', '0', false),
    set_config('client_connection_check_interval', CASE WHEN version() ~ 'linux|darwin|bsd' THEN '1s' ELSE '0' END, false)

-- A statement that waits for a table's lock blocks all later ones.

-- name: begin_migration
SELECT set_config('lock_timeout', '5s', true), set_config('statement_timeout', '10min', true)


-- Serving: callers and lists -----------------------------------------------------------------

-- Many callers at once: one round trip for all waiting requests. Each store has one token.

-- name: find_callers
SELECT o.n, t.user_id, t.label, t.expires_at, t.store_id, m.role, t.scopes, r.revision
FROM unnest($1::bigint[], $2::bytea[]) WITH ORDINALITY AS o (store_id, token_hash, n)
JOIN LATERAL (
    SELECT store_id, user_id, label, expires_at, scopes FROM tokens
    WHERE store_id = o.store_id AND token_hash = o.token_hash AND revoked_at IS NULL LIMIT 1
) AS t ON true
JOIN LATERAL (SELECT revision FROM revisions WHERE store_id = o.store_id LIMIT 1) AS r ON true
LEFT JOIN LATERAL (
    SELECT role FROM members WHERE store_id = o.store_id AND user_id = t.user_id LIMIT 1
) AS m ON true

-- In stores by their names or numbers; without these, in the tokens' own stores. A store's revision,
-- and a member, are read once, however many tokens there are: they may have many dead rows.

-- name: find_callers_in_stores
WITH t AS MATERIALIZED (
    SELECT o.n, t.*, CASE WHEN o.name IS NULL THEN coalesce(o.requested_id, o.store_id)
        ELSE (SELECT store_id FROM stores WHERE name = o.name) END AS wanted
    FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::bigint[])
        WITH ORDINALITY AS o (store_id, token_hash, name, requested_id, n)
    JOIN LATERAL (
        SELECT store_id, user_id, label, expires_at, all_stores, scopes FROM tokens
        WHERE store_id = o.store_id AND token_hash = o.token_hash AND revoked_at IS NULL LIMIT 1
    ) AS t ON true
), r AS MATERIALIZED (
    SELECT store_id, revision FROM revisions WHERE store_id = ANY (ARRAY(SELECT wanted FROM t))
), m AS MATERIALIZED (
    SELECT r.*, d.user_id, (SELECT role FROM members WHERE store_id = d.wanted AND user_id = d.user_id) AS role
    FROM (SELECT DISTINCT wanted, user_id FROM t WHERE all_stores OR wanted = store_id) AS d
    JOIN r ON r.store_id = d.wanted
)
SELECT t.n, t.user_id, t.label, t.expires_at, coalesce(m.store_id, 0), m.role, t.scopes, coalesce(m.revision, 0)
FROM t LEFT JOIN m ON m.store_id = t.wanted AND m.user_id = t.user_id AND (t.all_stores OR t.wanted = t.store_id)

-- name: find_read_only
SELECT current_setting('transaction_read_only')

-- The database makes the JSON: twice as fast as objects made from rows.

-- name: read_page
SELECT (SELECT revision FROM revisions WHERE store_id = $1), (SELECT plants FROM revisions WHERE store_id = $1), page.count,
    CASE WHEN octet_length(page.plants) <= 131072 THEN page.plants END, last_id,
    count = $3 AND (SELECT id FROM plants WHERE store_id = $1 AND id > last_id ORDER BY id LIMIT 1) IS NOT NULL
FROM (
    SELECT max(id) AS last_id, count(*) AS count, string_agg(
        CASE WHEN $4 THEN '{"id":' || id || ',"name":' ELSE '{"name":' END ||
        to_json(name) || CASE WHEN tag IS NULL THEN '' ELSE ',"tag":' || to_json(tag) END || '}',
        ',' ORDER BY id) AS plants
    FROM (SELECT id, name, tag FROM plants WHERE store_id = $1 AND id >= $2 ORDER BY id LIMIT $3) AS plant
) AS page

-- The tags are a JSON array. For each, at most a page of plants is read.

-- name: read_page_of_tags
SELECT (SELECT revision FROM revisions WHERE store_id = $1),
    CASE WHEN $6 THEN (
        SELECT sum(n)::bigint FROM json_array_elements_text($5::json) AS t (value), LATERAL (
            SELECT count(*) AS n FROM plants WHERE store_id = $1 AND tag = t.value) AS p
    ) END,
    page.count, CASE WHEN octet_length(page.plants) <= 131072 THEN page.plants END, last_id,
    count = $3 AND EXISTS (
        SELECT FROM json_array_elements_text($5::json) AS t (value), LATERAL (
            SELECT id FROM plants WHERE store_id = $1 AND id > last_id AND tag = t.value ORDER BY id LIMIT 1) AS p)
FROM (
    SELECT max(id) AS last_id, count(*) AS count, string_agg(
        CASE WHEN $4 THEN '{"id":' || id || ',"name":' ELSE '{"name":' END ||
        to_json(name) || ',"tag":' || to_json(tag) || '}',
        ',' ORDER BY id) AS plants
    FROM (
        SELECT p.id, p.name, p.tag FROM json_array_elements_text($5::json) AS t (value), LATERAL (
            SELECT id, name, tag FROM plants WHERE store_id = $1 AND id >= $2 AND tag = t.value ORDER BY id LIMIT $3) AS p
        ORDER BY p.id LIMIT $3
    ) AS plant
) AS page

-- name: find_last_of_limit_and_tags
SELECT p.id FROM json_array_elements_text($4::json) AS t (value), LATERAL (
    SELECT id FROM plants WHERE store_id = $1 AND id >= $2 AND tag = t.value ORDER BY id LIMIT $3::bigint + 2) AS p
ORDER BY p.id LIMIT 2 OFFSET $3

-- name: begin_snapshot
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

-- name: end_snapshot
ROLLBACK


-- Serving: writes, a batch in one round trip and one commit ------------------------------------

-- The function in functions.sql locks the stores, and applies the writes in order.

-- name: write_batch
SELECT write_batch($1::bigint, $2::json, $3::bigint, $4::text)

-- Last uses of tokens, in one statement. Another process may be writing the same rows: locked rows
-- are skipped.

-- name: record_token_uses
WITH o AS MATERIALIZED (
    SELECT t.store_id, t.token_hash, u.at
    FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) AS u (store_id, token_hash, at)
    JOIN tokens AS t ON t.store_id = u.store_id AND t.token_hash = u.token_hash
        AND (t.last_used_at IS NULL OR t.last_used_at <= u.at)
    FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE tokens AS t SET last_used_at = o.at FROM o
WHERE t.store_id = o.store_id AND t.token_hash = o.token_hash


-- Administration -------------------------------------------------------------------------------

-- Administration runs one transaction at a time, by an advisory lock. The wait has a timeout, since
-- later transactions, maybe a revocation, wait too.

-- name: lock_administration
SELECT set_config('lock_timeout', '10s', true), pg_advisory_xact_lock(7091938230912)

-- name: find_time
SELECT CAST(extract(epoch FROM now()) * 1000 AS bigint)

-- The plants whose ids are in a JSON array.

-- name: find_plants_among
SELECT p.id, p.name, p.tag FROM json_array_elements_text($2::json) AS w
JOIN LATERAL (SELECT * FROM plants WHERE store_id = $1 AND id = w.value::bigint LIMIT 1) AS p ON true

-- name: insert_plant
INSERT INTO plants (store_id, id, name, tag) VALUES ($1, $2, $3, $4)
