-- compatible-since: 1
-- All writes of a batch, by store, each store's in their order, in the caller's transaction, which
-- must be READ COMMITTED; the outcome of each. What the batch needs is read by whole keys, with plans
-- that are the same whatever the statistics say.

CREATE FUNCTION write_batch(writes json, now_ms bigint, keys_since bigint, max_wait text)
RETURNS text[] LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    w record;
    store bigint; -- of the last write
    reached bigint; -- the store's revision
    held bigint; -- its plants
    earlier record; -- use of the same Idempotency-Key
    plant record;
    tag_or_any text[]; -- the plant's entity tag, as model.py has it, and what stands for any
    result text;
    -- After each write:
    results text[] := '{}';
    revisions_reached bigint[] := '{}';
    plants_held bigint[] := '{}';
    names text[] := '{}';
    tags text[] := '{}';
BEGIN
    -- For this transaction only. An acknowledged write is on disk, whatever the database's default.
    PERFORM set_config('lock_timeout', max_wait, true);
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;

    -- In the order of the keys, to prevent deadlocks; what follows sees what others have committed.
    PERFORM FROM (SELECT DISTINCT o.store_id FROM json_to_recordset(writes) AS o (store_id bigint) ORDER BY 1) AS o,
        LATERAL (SELECT FROM revisions AS r WHERE r.store_id = o.store_id FOR NO KEY UPDATE) AS locked;

    FOR w IN
        SELECT o.*, r.revision, r.plants, r.max_plants, CASE
            WHEN t.user_id IS NULL OR t.expires_at <= now_ms THEN 'token_invalid'
            WHEN m.role IS NULL THEN 'no_such_store'
            WHEN m.role = 'reader' THEN 'forbidden' END AS refusal
        FROM json_to_recordset(writes) AS o (
            store_id bigint, kind text, id bigint, name text, tag text, user_id bigint, token_label text,
            token_store_id bigint, token_hash text, key text, fingerprint text,
            if_match text[], if_none_match text[])
        LEFT JOIN LATERAL (
            SELECT revision, plants, max_plants FROM revisions WHERE store_id = o.store_id LIMIT 1) AS r ON true
        LEFT JOIN LATERAL (
            SELECT user_id, expires_at FROM tokens
            WHERE store_id = o.token_store_id AND token_hash = decode(o.token_hash, 'hex')
                AND revoked_at IS NULL AND (all_stores OR store_id = o.store_id) LIMIT 1) AS t ON true
        LEFT JOIN LATERAL (
            SELECT role FROM members WHERE store_id = o.store_id AND user_id = t.user_id LIMIT 1) AS m ON true
    LOOP
        IF store IS DISTINCT FROM w.store_id THEN
            store := w.store_id;
            reached := w.revision;
            held := w.plants;
        END IF;

        result := w.refusal;
        IF result IS NULL AND w.key IS NOT NULL THEN
            SELECT k.fingerprint, k.outcome INTO earlier FROM idempotency_keys AS k
            WHERE k.store_id = w.store_id AND k.user_id = w.user_id AND k.key = w.key AND k.created_at > keys_since;
            IF FOUND THEN
                result := CASE
                    WHEN encode(earlier.fingerprint, 'hex') <> w.fingerprint THEN 'key_reused'
                    WHEN earlier.outcome = 'created' THEN 'replayed'
                    ELSE earlier.outcome END;
            END IF;
        END IF;

        IF result IS NOT NULL THEN
            w.key := NULL; -- it is kept already, or shall not be

        ELSIF w.kind = 'create' THEN
            result := 'store_full';
            IF w.max_plants IS NULL OR held < w.max_plants THEN
                INSERT INTO plants (store_id, id, name, tag) VALUES (w.store_id, w.id, w.name, w.tag)
                ON CONFLICT DO NOTHING;
                IF FOUND THEN
                    result := 'created';
                    held := held + 1;
                    reached := reached + 1;
                END IF;
            END IF;
            IF result = 'store_full' THEN -- unless the plant is there
                SELECT p.name, p.tag INTO plant FROM plants AS p WHERE p.store_id = w.store_id AND p.id = w.id;
                IF FOUND AND plant.name = w.name AND plant.tag IS NOT DISTINCT FROM w.tag THEN
                    result := 'already_stored';
                ELSIF FOUND THEN
                    result := 'id_taken';
                END IF;
            END IF;

        ELSE
            SELECT p.name, p.tag INTO plant FROM plants AS p WHERE p.store_id = w.store_id AND p.id = w.id;
            IF FOUND AND (w.if_match IS NOT NULL OR w.if_none_match IS NOT NULL) THEN
                tag_or_any := ARRAY[left(encode(sha256(convert_to(
                    concat_ws(E'\n', w.id, plant.name, plant.tag), 'UTF8')), 'hex'), 16), '*'];
            END IF;
            IF plant IS NULL THEN
                result := 'no_such_plant';
            ELSIF NOT w.if_match && tag_or_any OR w.if_none_match && tag_or_any THEN
                result := 'precondition_failed';
            ELSIF w.kind = 'delete' THEN
                DELETE FROM plants AS p WHERE p.store_id = w.store_id AND p.id = w.id;
                w.name := plant.name;
                w.tag := plant.tag;
                result := 'deleted';
                held := held - 1;
                reached := reached + 1;
            ELSIF plant.name = w.name AND plant.tag IS NOT DISTINCT FROM w.tag THEN
                result := 'unchanged';
            ELSE
                UPDATE plants AS p SET name = w.name, tag = w.tag WHERE p.store_id = w.store_id AND p.id = w.id;
                result := 'updated';
                reached := reached + 1;
            END IF;
        END IF;

        IF w.key IS NOT NULL AND result <> 'store_full' THEN -- which it may not be for the next try
            INSERT INTO idempotency_keys AS k (store_id, user_id, key, fingerprint, outcome, created_at)
            VALUES (w.store_id, w.user_id, w.key, decode(w.fingerprint, 'hex'), result, now_ms)
            ON CONFLICT (store_id, user_id, key) DO UPDATE
            SET fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at;
        END IF;
        results := results || result;
        revisions_reached := revisions_reached || reached;
        plants_held := plants_held || held;
        names := names || w.name;
        tags := tags || w.tag;
    END LOOP;

    INSERT INTO events (store_id, revision, kind, plant_id, name, tag, at, user_id, token_label, token_id)
    SELECT o.store_id, o.revision, 'plant.' || o.result, o.id, o.name, o.tag, now_ms, o.user_id, o.token_label,
        left(o.token_hash, 16)
    FROM ROWS FROM (
        json_to_recordset(writes) AS (store_id bigint, id bigint, user_id bigint, token_label text, token_hash text),
        unnest(results, revisions_reached, names, tags)
    ) AS o (store_id, id, user_id, token_label, token_hash, result, revision, name, tag)
    WHERE o.result IN ('created', 'updated', 'deleted');

    UPDATE revisions AS r SET revision = o.revision, plants = o.plants
    FROM (
        SELECT DISTINCT ON (o.store_id) o.* FROM ROWS FROM (
            json_to_recordset(writes) AS (store_id bigint), unnest(results, revisions_reached, plants_held)
        ) AS o (store_id, result, revision, plants)
        WHERE o.result IN ('created', 'updated', 'deleted') ORDER BY o.store_id, o.revision DESC
    ) AS o
    WHERE r.store_id = o.store_id;
    RETURN results;
END $$;
