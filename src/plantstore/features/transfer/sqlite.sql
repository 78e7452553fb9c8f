-- The queries of copies for SQLite only.

-- PostgreSQL needs these after rows were copied. SQLite does not: AUTOINCREMENT knows the highest
-- number, and plans need no statistics.

-- name: advance_sequences
SELECT 1

-- name: analyze
SELECT 1
