-- A store's row has how many plants it holds and may hold (NULL: any number), and the revision up
-- to which its events are trimmed. An event has the id of its token; '' where none was recorded.

ALTER TABLE stores ADD COLUMN plants INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stores ADD COLUMN max_plants INTEGER;
ALTER TABLE stores ADD COLUMN trimmed INTEGER NOT NULL DEFAULT 0;

UPDATE stores SET plants = (SELECT count(*) FROM plants AS p WHERE p.store_id = stores.store_id);

CREATE TABLE new_events (
    store_id    INTEGER NOT NULL,
    revision    INTEGER NOT NULL,
    kind        TEXT    NOT NULL CHECK (kind IN ('plant.created', 'plant.updated', 'plant.deleted')),
    plant_id    INTEGER NOT NULL,
    name        TEXT    NOT NULL,
    tag         TEXT,
    at          INTEGER NOT NULL,
    user_id     INTEGER NOT NULL,
    token_label TEXT    NOT NULL,
    token_id    TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (store_id, revision)
) STRICT, WITHOUT ROWID;

INSERT INTO new_events (store_id, revision, kind, plant_id, name, tag, at, user_id, token_label)
SELECT store_id, revision, kind, plant_id, name, tag, at, user_id, token_label FROM events;

DROP TABLE events;

ALTER TABLE new_events RENAME TO events;
