-- The functions of this program: `plantstore migrate` runs this file if it has changed. A release
-- that changes it also has a new migration, if only an empty file: its number tells older programs
-- that the functions are newer, and its compatible-since whether they can call them.


-- The rules of writes, the same as in sqlite/batch.py: returns the outcome of each write of a
-- batch, in the caller's transaction, which must be READ COMMITTED. Writes are sorted by the
-- store's number, which prevents deadlocks. Without max_wait, no lock is waited for: the writes of
-- a locked store are 'locked', and any other lock ends the transaction after a moment.
--
-- Each statement is about a single row and has the store as a parameter: Citus plans such a
-- statement once. The plans are generic and never scan a table, whatever the statistics say. On
-- Citus a batch has one store, routed_to, and the server with its shard runs the whole call.

CREATE OR REPLACE FUNCTION write_batch(
    routed_to bigint, writes json, now_ms bigint, max_wait text)
RETURNS text[] LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    w record;
    -- The store of the last write, as of that write:
    store bigint;
    reached bigint; -- its revision
    held bigint; -- its plants
    max_held bigint;
    is_changed boolean := false;
    -- The token of the last write:
    token text;
    token_user bigint;
    is_for_all boolean;
    expires bigint;
    member_role text;
    refusal text;

    used_at bigint := extract(epoch FROM now()) * 1000; -- keys follow the database's clock
    earlier record; -- the earlier use of the same Idempotency-Key
    plant record;
    tag_or_any text[]; -- the plant's entity tag, as digest_of in core/model.py, and '*'
    result text;
    results text[] := '{}';
    is_atomic boolean; -- all of the batch or nothing; in the first write
    is_locked boolean := false; -- by another transaction, which is not waited for
BEGIN
    -- For this transaction only: an acknowledged write is on disk, whatever the database's default.
    PERFORM set_config('lock_timeout', coalesce(max_wait, '20ms'), true);
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;

    FOR w IN
        SELECT * FROM json_to_recordset(writes) AS o (
            kind text, store_id bigint, id bigint, name text, tag text, user_id bigint, token_label text,
            token_store_id bigint, token_hash text, key text, fingerprint text,
            if_match text[], if_none_match text[], is_atomic boolean)
    LOOP
        is_atomic := coalesce(is_atomic, w.is_atomic);
        IF store IS DISTINCT FROM w.store_id THEN
            IF is_changed THEN
                UPDATE revisions AS r SET revision = reached, plants = held WHERE r.store_id = store;
            END IF;
            store := w.store_id;
            is_changed := false;
            token := NULL;
            -- The next statements see what others have committed before.
            IF max_wait IS NULL THEN
                SELECT r.revision, r.plants, r.max_plants INTO reached, held, max_held
                FROM revisions AS r WHERE r.store_id = store FOR NO KEY UPDATE SKIP LOCKED;
                is_locked := NOT FOUND; -- or deleted
            ELSE
                SELECT r.revision, r.plants, r.max_plants INTO reached, held, max_held
                FROM revisions AS r WHERE r.store_id = store FOR NO KEY UPDATE;
            END IF;
        END IF;

        IF token IS DISTINCT FROM w.token_hash THEN
            token := w.token_hash;
            SELECT t.user_id, t.all_stores, t.expires_at INTO token_user, is_for_all, expires FROM tokens AS t
            WHERE t.store_id = w.token_store_id AND t.token_hash = decode(w.token_hash, 'hex')
                AND t.revoked_at IS NULL;
            SELECT m.role INTO member_role FROM members AS m WHERE m.store_id = store AND m.user_id = token_user;
            refusal := CASE
                WHEN token = '' THEN CASE WHEN reached IS NULL THEN 'no_such_store' END -- a command
                WHEN token_user IS NULL OR expires <= now_ms
                    OR NOT is_for_all AND w.token_store_id <> store THEN 'token_invalid'
                WHEN member_role IS NULL THEN 'no_such_store'
                WHEN member_role = 'reader' THEN 'forbidden' END;
        END IF;

        result := CASE WHEN is_locked THEN 'locked' ELSE refusal END;
        IF result IS NULL AND w.key IS NOT NULL THEN
            SELECT k.fingerprint, k.outcome INTO earlier FROM idempotency_keys AS k
            WHERE k.store_id = store AND k.user_id = w.user_id AND k.key = w.key;
            IF FOUND THEN
                result := CASE
                    WHEN encode(earlier.fingerprint, 'hex') <> w.fingerprint THEN 'key_reused'
                    WHEN earlier.outcome IN ('created', 'updated', 'unchanged', 'deleted') THEN 'replayed'
                    ELSE earlier.outcome END;
            END IF;
        END IF;

        IF result IS NOT NULL THEN
            w.key := NULL; -- already stored, or not to be stored

        ELSIF w.kind <> 'Create' THEN
            SELECT p.name, p.tag INTO plant FROM plants AS p WHERE p.store_id = store AND p.id = w.id;
            IF FOUND AND (w.if_match IS NOT NULL OR w.if_none_match IS NOT NULL) THEN
                tag_or_any := ARRAY[left(encode(sha256(convert_to(
                    concat_ws(E'\x1f', 'id=' || w.id, 'name=' || plant.name, 'tag=' || plant.tag),
                    'UTF8')), 'hex'), 16), '*'];
            END IF;
            IF plant IS NULL THEN
                result := 'no_such_plant';
            ELSIF NOT w.if_match && tag_or_any OR w.if_none_match && tag_or_any THEN
                result := 'precondition_failed';
            ELSIF w.kind = 'Delete' THEN
                DELETE FROM plants AS p WHERE p.store_id = store AND p.id = w.id;
                w.name := plant.name;
                w.tag := plant.tag;
                result := 'deleted';
                held := held - 1;
            ELSIF (plant.name, plant.tag) IS NOT DISTINCT FROM (w.name, w.tag) THEN
                result := 'unchanged';
            ELSE
                UPDATE plants AS p SET name = w.name, tag = w.tag WHERE p.store_id = store AND p.id = w.id;
                result := 'updated';
            END IF;
        END IF;

        IF result IS NULL OR w.kind = 'Upsert' AND result = 'no_such_plant' THEN -- a create
            result := 'store_full';
            IF max_held IS NULL OR held < max_held THEN
                INSERT INTO plants (store_id, id, name, tag) VALUES (store, w.id, w.name, w.tag)
                ON CONFLICT DO NOTHING;
                IF FOUND THEN
                    result := 'created';
                    held := held + 1;
                END IF;
            END IF;
            IF result = 'store_full' THEN -- unless the plant exists
                SELECT p.name, p.tag INTO plant FROM plants AS p WHERE p.store_id = store AND p.id = w.id;
                IF FOUND AND (plant.name, plant.tag) IS NOT DISTINCT FROM (w.name, w.tag) THEN
                    result := 'already_stored';
                ELSIF FOUND THEN
                    result := 'id_taken';
                END IF;
            END IF;
        END IF;

        IF result IN ('created', 'updated', 'deleted') THEN
            reached := reached + 1;
            is_changed := true;
            INSERT INTO events (store_id, revision, kind, plant_id, name, tag, at, user_id, token_label, token_id)
            VALUES (store, reached, 'plant.' || result, w.id, w.name, w.tag, now_ms, w.user_id, w.token_label,
                left(w.token_hash, 16));
        END IF;
        IF w.key IS NOT NULL AND result <> 'store_full' THEN -- there may be room on a retry
            INSERT INTO idempotency_keys (store_id, user_id, key, fingerprint, outcome, created_at)
            VALUES (store, w.user_id, w.key, decode(w.fingerprint, 'hex'), result, used_at);
        END IF;
        results := results || concat_ws(' ', result, coalesce(reached, 0));
        IF is_atomic AND result NOT IN ('created', 'updated', 'unchanged', 'deleted', 'locked') THEN
            RAISE EXCEPTION USING ERRCODE = 'PS001', MESSAGE = array_to_string(results, ',');
        END IF;
    END LOOP;

    IF is_changed THEN
        UPDATE revisions AS r SET revision = reached, plants = held WHERE r.store_id = store;
    END IF;
    RETURN results;
END $$;
