-- name: read_size
SELECT (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size()), 'SQLite ' || sqlite_version()
