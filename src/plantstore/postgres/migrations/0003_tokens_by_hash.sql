-- compatible-since: 1
-- Who revokes a token by its id, which is how its hash begins, does not name its store.
-- The build lets everybody read tokens, which is all that serving does with them.

CREATE INDEX tokens_by_hash ON tokens (token_hash);
