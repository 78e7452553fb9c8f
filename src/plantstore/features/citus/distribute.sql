-- Distributes the tables over the workers: all rows of a store are on one worker; small tables that
-- rarely change are on each. Tables that are already distributed stay where they are. A migration
-- that adds a table also changes this file, so that `plantstore migrate` runs it again and
-- distributes the table.

SET LOCAL client_min_messages = warning;

DO $$
DECLARE
    given name;
    done name[];
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        RAISE 'it has no Citus: CREATE EXTENSION citus on all of its servers, and add the workers with citus_add_node (see docs/citus.md)';
    END IF;
    done := ARRAY(SELECT c.relname FROM pg_dist_partition AS p JOIN pg_class AS c ON c.oid = p.logicalrelid
        WHERE p.partmethod = 'h' OR p.repmodel = 't');
    FOREACH given IN ARRAY '{schema_migrations, stores, deleted_stores, users, audit}'::name[] LOOP
        IF given <> ALL (done) THEN
            PERFORM create_reference_table(given::text);
        END IF;
    END LOOP;
    IF 'revisions' <> ALL (done) THEN
        PERFORM create_distributed_table('revisions', 'store_id', colocate_with => 'none');
    END IF;
    -- Citus accepts a foreign key between distributed tables only once both are distributed.
    IF 'deliveries' <> ALL (done) THEN
        ALTER TABLE deliveries DROP CONSTRAINT IF EXISTS deliveries_store_id_webhook_id_fkey;
    END IF;
    FOREACH given IN ARRAY '{members, tokens, plants, events, idempotency_keys, links, webhooks, deliveries}'::name[] LOOP
        IF given <> ALL (done) THEN
            PERFORM create_distributed_table(given::text, 'store_id', colocate_with => 'revisions');
        END IF;
    END LOOP;
    IF 'deliveries' <> ALL (done) THEN
        ALTER TABLE deliveries ADD CONSTRAINT deliveries_store_id_webhook_id_fkey
            FOREIGN KEY (store_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE;
    END IF;
END $$;

SELECT create_distributed_function(
    'write_batch(bigint,json,bigint,text)', 'routed_to', colocate_with => 'revisions');


-- Functions that any server runs, and that ask the servers of the stores: each statement concerns a
-- single row, and is planned once. A token for all stores may open a store whose rows are on
-- another server: the token, and its user's role there, take two lookups.

CREATE OR REPLACE FUNCTION find_callers_of(
    token_stores bigint[], token_hashes bytea[], names text[], stores bigint[],
    OUT n bigint, OUT user_id bigint, OUT label text, OUT expires_at bigint, OUT store_id bigint, OUT role text,
    OUT scopes text, OUT revision bigint)
RETURNS SETOF record LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    o record;
    is_for_all boolean;
BEGIN
    FOR o IN
        SELECT * FROM unnest(token_stores, token_hashes, names, stores)
            WITH ORDINALITY AS o (token_store_id, token_hash, name, store_id, n)
    LOOP
        SELECT t.user_id, t.label, t.expires_at, t.scopes, t.all_stores
        INTO user_id, label, expires_at, scopes, is_for_all FROM tokens AS t
        WHERE t.store_id = o.token_store_id AND t.token_hash = o.token_hash AND t.revoked_at IS NULL;
        CONTINUE WHEN NOT FOUND;
        IF o.name IS NOT NULL THEN
            SELECT s.store_id INTO o.store_id FROM stores AS s WHERE s.name = o.name;
        ELSE
            o.store_id := coalesce(o.store_id, o.token_store_id);
        END IF;
        IF o.store_id <> o.token_store_id AND NOT is_for_all THEN
            o.store_id := NULL;
        END IF;
        SELECT r.revision INTO revision FROM revisions AS r WHERE r.store_id = o.store_id;
        SELECT m.role INTO role FROM members AS m WHERE m.store_id = o.store_id AND m.user_id = find_callers_of.user_id;
        n := o.n;
        store_id := coalesce(o.store_id, 0);
        revision := coalesce(revision, 0);
        RETURN NEXT;
    END LOOP;
END $$;

-- Each use is committed separately: a silent server delays no other server.

CREATE OR REPLACE PROCEDURE record_token_uses(stores bigint[], token_hashes bytea[], times bigint[])
LANGUAGE plpgsql AS $$
DECLARE
    o record;
BEGIN
    FOR o IN SELECT * FROM unnest(stores, token_hashes, times) AS o (store_id, token_hash, at) LOOP
        UPDATE tokens AS t SET last_used_at = o.at
        WHERE t.store_id = o.store_id AND t.token_hash = o.token_hash
            AND (t.last_used_at IS NULL OR t.last_used_at <= o.at);
        COMMIT;
    END LOOP;
END $$;
