-- All that a create has to do, by a program that sends one statement after another.
\set id random(-4000000000000000, -1)
SELECT user_id, scopes FROM tokens WHERE store_id = 1 AND token_hash = '\x00';
BEGIN;
UPDATE revisions SET revision = revision + 1 WHERE store_id = 1 RETURNING revision \gset
INSERT INTO plants VALUES (1, :id, 'Monstera deliciosa', 'tropical') ON CONFLICT DO NOTHING;
INSERT INTO events
VALUES (1, :revision, 'plant.created', :id, 'Monstera deliciosa', 'tropical', 0, 1, '');
COMMIT;
