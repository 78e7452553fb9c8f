-- compatible-since: 4
-- How far the import into a store has come that is in progress, or was interrupted: the file's
-- digest, the key of the last plant that was handled (null: the import is being undone), how many
-- plants it has written, and the store's revision before the first of them.

CREATE TABLE imports (
    store_id bigint PRIMARY KEY REFERENCES stores ON DELETE CASCADE,
    digest   text   NOT NULL,
    reached  bigint,
    written  bigint NOT NULL,
    revision bigint NOT NULL
);
