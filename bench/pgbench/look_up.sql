-- The bare look-up of a token.
SELECT user_id, scopes FROM tokens WHERE store_id = 1 AND token_hash = '\x00';
