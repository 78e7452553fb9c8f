"""PostgreSQL: a real server, and what only this adapter has to get right."""
