-- compatible-since: 1
-- A store's valid tokens are counted when another is created, however many have ended.
CREATE INDEX valid_tokens ON tokens (store_id, coalesce(expires_at, 9223372036854775807))
    WHERE revoked_at IS NULL AND NOT all_stores;
