-- name: read_size
SELECT pg_database_size(current_database()), 'PostgreSQL ' || current_setting('server_version')
