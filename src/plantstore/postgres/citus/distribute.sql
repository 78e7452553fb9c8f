-- Distributes the tables over the workers: by store, all rows of a store on one of them; small tables
-- that hardly change are on each. What is distributed already stays where it is, so that a later
-- migration's new table joins the others.

DO $$
DECLARE
    given name;
    done name[] := ARRAY(SELECT c.relname FROM pg_dist_partition AS p JOIN pg_class AS c ON c.oid = p.logicalrelid
        WHERE p.partmethod = 'h' OR p.repmodel = 't');
BEGIN
    FOREACH given IN ARRAY '{schema_migrations, stores, users}'::name[] LOOP
        IF given <> ALL (done) THEN
            PERFORM create_reference_table(given::text);
        END IF;
    END LOOP;
    IF 'revisions' <> ALL (done) THEN
        PERFORM create_distributed_table('revisions', 'store_id', colocate_with => 'none');
    END IF;
    FOREACH given IN ARRAY '{members, tokens, plants, events, idempotency_keys, links}'::name[] LOOP
        IF given <> ALL (done) THEN
            PERFORM create_distributed_table(given::text, 'store_id', colocate_with => 'revisions');
        END IF;
    END LOOP;
END $$;

SELECT create_distributed_function(
    'write_batch(bigint,json,bigint,bigint,text)', 'routed_to', colocate_with => 'revisions');

-- By this row every server tells that the tables are distributed.

INSERT INTO schema_migrations (number, name, checksum, compatible_since, applied_at)
VALUES (-1, 'distributed', '', 0, 0) ON CONFLICT DO NOTHING;
