-- The queries for SQLite only, by name; shared queries are in sql/queries.sql. Every query of a
-- store's data names the store.


-- Serving: callers and lists -----------------------------------------------------------------

-- name: find_caller
SELECT t.user_id, t.label, t.expires_at, t.store_id, m.role, t.scopes, r.revision
FROM tokens AS t
JOIN revisions AS r ON r.store_id = t.store_id
LEFT JOIN members AS m ON m.store_id = t.store_id AND m.user_id = t.user_id
WHERE t.store_id = ?1 AND t.token_hash = ?2 AND t.revoked_at IS NULL

-- In a store other than the token's own, by its name or, without a name, its number.

-- name: find_caller_in_store
SELECT t.user_id, t.label, t.expires_at, coalesce(r.store_id, 0), m.role, t.scopes, coalesce(r.revision, 0)
FROM tokens AS t
LEFT JOIN revisions AS r ON r.store_id = coalesce(?4, (SELECT store_id FROM stores WHERE name = ?3))
    AND (t.all_stores OR r.store_id = t.store_id)
LEFT JOIN members AS m ON m.store_id = r.store_id AND m.user_id = t.user_id
WHERE t.store_id = ?1 AND t.token_hash = ?2 AND t.revoked_at IS NULL

-- SQLite makes the JSON: twice as fast as objects made from rows, and without Python's lock. One
-- statement per page: two would need a transaction to see the same revision.

-- name: read_page
SELECT r.revision, r.plants, page.count, page.plants, last_id,
    count = ?3 AND EXISTS (SELECT 1 FROM plants WHERE store_id = ?1 AND id > last_id)
FROM (
    SELECT max(id) AS last_id, count(*) AS count, CAST(group_concat(plant) AS BLOB) AS plants
    FROM (
        SELECT id, CASE WHEN ?4
            THEN iif(tag IS NULL, json_object('id', id, 'name', name), json_object('id', id, 'name', name, 'tag', tag))
            ELSE iif(tag IS NULL, json_object('name', name), json_object('name', name, 'tag', tag))
        END AS plant
        FROM plants WHERE store_id = ?1 AND id >= ?2 ORDER BY id LIMIT ?3
    )
) AS page LEFT JOIN revisions AS r ON r.store_id = ?1

-- The tags are a JSON array. For each, at most a page of plants is read. Without a hint, SQLite
-- scans all plants of the store for those of a rare tag.

-- name: read_page_of_tags
SELECT r.revision,
    CASE WHEN ?6 THEN (
        SELECT count(*) FROM json_each(?5) AS t CROSS JOIN plants INDEXED BY plants_by_tag ON store_id = ?1 AND tag = t.value
    ) END,
    page.count, page.plants, last_id,
    count = ?3 AND EXISTS (
        SELECT 1 FROM json_each(?5) AS t CROSS JOIN plants AS p INDEXED BY plants_by_tag
            ON p.store_id = ?1 AND p.id > last_id AND p.tag = t.value)
FROM (
    SELECT max(id) AS last_id, count(*) AS count, CAST(group_concat(plant) AS BLOB) AS plants
    FROM (
        SELECT p.id,
            iif(?4, json_object('id', p.id, 'name', name, 'tag', tag), json_object('name', name, 'tag', tag)) AS plant
        FROM json_each(?5) AS t CROSS JOIN plants AS p INDEXED BY plants_by_tag
            ON p.store_id = ?1 AND p.tag = t.value AND p.id >= ?2 AND p.id <= coalesce((
                SELECT id FROM plants INDEXED BY plants_by_tag
                WHERE store_id = ?1 AND id >= ?2 AND tag = t.value ORDER BY id LIMIT 1 OFFSET ?3), 9223372036854775807)
        ORDER BY p.id LIMIT ?3
    )
) AS page LEFT JOIN revisions AS r ON r.store_id = ?1

-- name: find_last_of_limit_and_tags
SELECT p.id FROM json_each(?4) AS t CROSS JOIN plants AS p INDEXED BY plants_by_tag
    ON p.store_id = ?1 AND p.tag = t.value AND p.id >= ?2 AND p.id <= coalesce((
        SELECT id FROM plants INDEXED BY plants_by_tag
        WHERE store_id = ?1 AND id >= ?2 AND tag = t.value ORDER BY id LIMIT 1 OFFSET ?3 + 1), 9223372036854775807)
ORDER BY p.id LIMIT 2 OFFSET ?3


-- Serving: writes, all in the transaction of their batch --------------------------------------

-- The role of the token's user in the store of the write; no row if the token is not valid.

-- name: find_role_of_token
SELECT m.role FROM tokens AS t LEFT JOIN members AS m ON m.store_id = ?3 AND m.user_id = t.user_id
WHERE t.store_id = ?1 AND t.token_hash = ?2 AND t.revoked_at IS NULL
    AND (t.expires_at IS NULL OR t.expires_at > ?4) AND (t.all_stores OR t.store_id = ?3)

-- name: insert_plant
INSERT INTO plants (store_id, id, name, tag) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING

-- name: find_time
SELECT CAST(unixepoch('subsec') * 1000 AS integer)

-- name: update_plant
UPDATE plants SET name = ?3, tag = ?4 WHERE store_id = ?1 AND id = ?2

-- name: set_counts
UPDATE revisions SET revision = ?2, plants = ?3 WHERE store_id = ?1

-- name: find_key
SELECT fingerprint, outcome FROM idempotency_keys WHERE store_id = ?1 AND user_id = ?2 AND key = ?3

-- Last uses of tokens, in one statement. It also writes unchanged times: its commit invalidates
-- cached callers, so that the next use of their tokens is recorded.

-- name: record_token_uses
UPDATE tokens AS t SET last_used_at = o.at
FROM (SELECT value ->> 0 AS store_id, unhex(value ->> 1) AS token_hash, value ->> 2 AS at FROM json_each(?1)) AS o
WHERE t.store_id = o.store_id AND t.token_hash = o.token_hash
    AND (t.last_used_at IS NULL OR t.last_used_at <= o.at)


-- Administration -------------------------------------------------------------------------------

-- The plants whose ids are in a JSON array.

-- name: find_plants_among
SELECT id, name, tag FROM plants WHERE store_id = ?1 AND id IN (SELECT value FROM json_each(?2))
