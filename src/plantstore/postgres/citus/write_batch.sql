-- All writes of a batch to one store, in their order; the outcome of each. Citus runs the whole call,
-- with its transaction, on the worker that has the store's shard. Each statement is of a single row,
-- and has the store once: Citus plans such a one once, and the others again at each call.

CREATE OR REPLACE FUNCTION write_batch(
    store bigint, writes json, now_ms bigint, keys_since bigint, max_wait text)
RETURNS text[] LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    w record;
    row record; -- the store's, as it is after each write
    token text; -- of the last write
    holder record; -- of that token
    holders_role text;
    refusal text;
    earlier record; -- use of the same Idempotency-Key
    plant record;
    tag_or_any text[]; -- the plant's entity tag, as model.py has it, and what stands for any
    result text;
    results text[] := '{}';
BEGIN
    -- For this transaction only. An acknowledged write is on disk, whatever the database's default.
    PERFORM set_config('lock_timeout', max_wait, true);
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;

    SELECT r.revision, r.plants, r.max_plants, false AS is_changed INTO row
    FROM revisions AS r WHERE r.store_id = store FOR NO KEY UPDATE;

    FOR w IN
        SELECT * FROM json_to_recordset(writes) AS o (
            kind text, id bigint, name text, tag text, user_id bigint, token_label text,
            token_store_id bigint, token_hash text, key text, fingerprint text,
            if_match text[], if_none_match text[])
    LOOP
        IF token IS DISTINCT FROM w.token_hash THEN
            token := w.token_hash;
            SELECT t.user_id, t.all_stores, t.expires_at INTO holder FROM tokens AS t
            WHERE t.store_id = w.token_store_id AND t.token_hash = decode(w.token_hash, 'hex')
                AND t.revoked_at IS NULL;
            SELECT m.role INTO holders_role FROM members AS m
            WHERE m.store_id = store AND m.user_id = holder.user_id;
            refusal := CASE
                WHEN holder.user_id IS NULL OR holder.expires_at <= now_ms
                    OR NOT holder.all_stores AND w.token_store_id <> store THEN 'token_invalid'
                WHEN holders_role IS NULL THEN 'no_such_store'
                WHEN holders_role = 'reader' THEN 'forbidden' END;
        END IF;

        result := refusal;
        IF result IS NULL AND w.key IS NOT NULL THEN
            SELECT k.fingerprint, k.outcome INTO earlier FROM idempotency_keys AS k
            WHERE k.store_id = store AND k.user_id = w.user_id AND k.key = w.key AND k.created_at > keys_since;
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
            IF row.max_plants IS NULL OR row.plants < row.max_plants THEN
                INSERT INTO plants (store_id, id, name, tag) VALUES (store, w.id, w.name, w.tag)
                ON CONFLICT DO NOTHING;
                IF FOUND THEN
                    result := 'created';
                    row.plants := row.plants + 1;
                END IF;
            END IF;
            IF result = 'store_full' THEN -- unless the plant is there
                SELECT p.name, p.tag INTO plant FROM plants AS p WHERE p.store_id = store AND p.id = w.id;
                IF FOUND AND plant.name = w.name AND plant.tag IS NOT DISTINCT FROM w.tag THEN
                    result := 'already_stored';
                ELSIF FOUND THEN
                    result := 'id_taken';
                END IF;
            END IF;

        ELSE
            SELECT p.name, p.tag INTO plant FROM plants AS p WHERE p.store_id = store AND p.id = w.id;
            IF FOUND AND (w.if_match IS NOT NULL OR w.if_none_match IS NOT NULL) THEN
                tag_or_any := ARRAY[left(encode(sha256(convert_to(
                    concat_ws(E'\n', w.id, plant.name, plant.tag), 'UTF8')), 'hex'), 16), '*'];
            END IF;
            IF plant IS NULL THEN
                result := 'no_such_plant';
            ELSIF NOT w.if_match && tag_or_any OR w.if_none_match && tag_or_any THEN
                result := 'precondition_failed';
            ELSIF w.kind = 'delete' THEN
                DELETE FROM plants AS p WHERE p.store_id = store AND p.id = w.id;
                w.name := plant.name;
                w.tag := plant.tag;
                result := 'deleted';
                row.plants := row.plants - 1;
            ELSIF plant.name = w.name AND plant.tag IS NOT DISTINCT FROM w.tag THEN
                result := 'unchanged';
            ELSE
                UPDATE plants AS p SET name = w.name, tag = w.tag WHERE p.store_id = store AND p.id = w.id;
                result := 'updated';
            END IF;
        END IF;

        IF result IN ('created', 'updated', 'deleted') THEN
            row.revision := row.revision + 1;
            row.is_changed := true;
            INSERT INTO events (store_id, revision, kind, plant_id, name, tag, at, user_id, token_label, token_id)
            VALUES (store, row.revision, 'plant.' || result, w.id, w.name, w.tag, now_ms, w.user_id, w.token_label,
                left(w.token_hash, 16));
        END IF;
        IF w.key IS NOT NULL AND result <> 'store_full' THEN -- which it may not be for the next try
            INSERT INTO idempotency_keys AS k (store_id, user_id, key, fingerprint, outcome, created_at)
            VALUES (store, w.user_id, w.key, decode(w.fingerprint, 'hex'), result, now_ms)
            ON CONFLICT (store_id, user_id, key) DO UPDATE
            SET fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at;
        END IF;
        results := results || result;
    END LOOP;

    IF row.is_changed THEN
        UPDATE revisions AS r SET revision = row.revision, plants = row.plants WHERE r.store_id = store;
    END IF;
    RETURN results;
END $$;
