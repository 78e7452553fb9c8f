-- A store's row in revisions has how many plants it holds and may hold (null: any number), and the
-- revision up to which its events are trimmed. An event has the id of its token; '' where none was
-- recorded.

ALTER TABLE revisions
    ADD COLUMN plants     bigint NOT NULL DEFAULT 0,
    ADD COLUMN max_plants bigint,
    ADD COLUMN trimmed    bigint NOT NULL DEFAULT 0;

UPDATE revisions AS r SET plants = c.count
FROM (SELECT store_id, count(*) AS count FROM plants GROUP BY store_id) AS c
WHERE c.store_id = r.store_id;

ALTER TABLE events
    ADD COLUMN token_id text NOT NULL DEFAULT '',
    DROP CONSTRAINT events_kind_check,
    ADD CONSTRAINT events_kind_check CHECK (kind IN ('plant.created', 'plant.updated', 'plant.deleted'));
