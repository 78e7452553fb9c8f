-- compatible-since: 4
-- How far the import into a store has come that is in progress, or was interrupted: the file's
-- digest, the key of the last plant that was handled (NULL: the import is being undone), how many
-- plants it has written, and the store's revision before the first of them.

CREATE TABLE imports (
    store_id INTEGER PRIMARY KEY REFERENCES stores ON DELETE CASCADE,
    digest   TEXT    NOT NULL,
    reached  INTEGER,
    written  INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
