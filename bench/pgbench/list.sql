-- All that a list needs.
SELECT user_id, scopes FROM tokens WHERE store_id = 1 AND token_hash = '\x00';
SELECT name, tag FROM plants WHERE store_id = 1 AND id >= 0 ORDER BY id LIMIT 100;
