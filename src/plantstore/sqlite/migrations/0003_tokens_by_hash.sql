-- compatible-since: 1
-- Who revokes a token by its id, which is how its hash begins, does not name its store.

CREATE INDEX tokens_by_hash ON tokens (token_hash);
