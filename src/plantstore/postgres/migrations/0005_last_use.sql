-- compatible-since: 4
-- When a token was used last; null where that is not known.

ALTER TABLE tokens ADD COLUMN last_used_at bigint;
