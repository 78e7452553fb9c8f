-- The bare statement of a cached list: the lookup of its token.
SELECT user_id, scopes FROM tokens WHERE store_id = 1 AND token_hash = '\x00';
