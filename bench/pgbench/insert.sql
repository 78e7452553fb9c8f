-- The bare statement of a create.
\set id random(-4000000000000000, -1)
INSERT INTO plants VALUES (1, :id, 'Monstera deliciosa', 'tropical') ON CONFLICT DO NOTHING;
