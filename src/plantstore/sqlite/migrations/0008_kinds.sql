-- compatible-since: 4
-- The same check of an event's kind in other words: for an IN of three texts SQLite builds a table of
-- them with each insert, which took a tenth of a create's time. Only the text changes, so that no
-- event is copied (https://sqlite.org/lang_altertable.html#otheralter); an open connection that has
-- read the old text checks the same.

PRAGMA writable_schema = ON;

UPDATE sqlite_schema
SET sql = replace(
    sql,
    'kind IN (''plant.created'', ''plant.updated'', ''plant.deleted'')',
    'kind = ''plant.created'' OR kind = ''plant.updated'' OR kind = ''plant.deleted'''
)
WHERE type = 'table' AND name = 'events';

PRAGMA writable_schema = RESET;
