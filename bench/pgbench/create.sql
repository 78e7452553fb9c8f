-- The bare statement of a create.
\set id random(-4000000000000000, -1)
INSERT INTO plants (store_id, id, name, tag) VALUES (1, :id, 'Monstera deliciosa', 'tropical')
ON CONFLICT DO NOTHING;
