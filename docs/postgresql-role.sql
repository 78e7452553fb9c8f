-- A role that can only do what `plantstore serve` does. Run it as the owner of the tables, after
-- `plantstore migrate`; give the role a password, or a certificate, as your server requires:
--
--     psql "$OWNERS_URL" -f docs/postgresql-role.sql
--     psql "$OWNERS_URL" -c "ALTER ROLE plantstore_service LOGIN PASSWORD '...'"
--
-- It never updates an event. It deletes events, users and tokens only to trim old ones (without the
-- grants, set events_keep to 0). It changes members and tokens only as owners ask for it over HTTP (without the
-- grants at the end, they get 503). The commands that administer need the owner's role.
-- Run it again after a migration: new tables start without grants.

DO $$ BEGIN
    CREATE ROLE plantstore_service;
EXCEPTION WHEN duplicate_object THEN
    NULL;
END $$;

-- The service sets these for its connections, which PgBouncer does not keep in transaction mode.
ALTER ROLE plantstore_service SET enable_seqscan = off;
ALTER ROLE plantstore_service SET enable_bitmapscan = off;
ALTER ROLE plantstore_service SET jit = off;
ALTER ROLE plantstore_service SET default_transaction_isolation = 'read committed';
ALTER ROLE plantstore_service SET idle_in_transaction_session_timeout = 0;
ALTER ROLE plantstore_service SET client_connection_check_interval = '1s'; -- not on Windows

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM plantstore_service;
GRANT USAGE ON SCHEMA public TO plantstore_service;
GRANT SELECT ON schema_migrations, stores, users, members TO plantstore_service;
GRANT SELECT (store_id, token_hash, user_id, all_stores, scopes, label, expires_at, revoked_at,
    last_used_at), UPDATE (last_used_at) ON tokens TO plantstore_service;
GRANT SELECT, UPDATE (revision, plants, trimmed) ON revisions TO plantstore_service;
GRANT SELECT, INSERT, UPDATE (name, tag), DELETE ON plants TO plantstore_service;
GRANT SELECT, INSERT, DELETE ON events TO plantstore_service;
GRANT SELECT, INSERT, DELETE ON idempotency_keys TO plantstore_service;
GRANT DELETE ON users, tokens TO plantstore_service;
GRANT SELECT (at, action), DELETE ON audit TO plantstore_service;

-- For owners who manage their stores over HTTP.
GRANT INSERT ON users TO plantstore_service;
GRANT INSERT, UPDATE (role), DELETE ON members TO plantstore_service;
GRANT SELECT (created_at), INSERT, UPDATE (revoked_at) ON tokens TO plantstore_service;
GRANT SELECT, INSERT, DELETE ON links TO plantstore_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks, deliveries TO plantstore_service;
GRANT INSERT ON audit TO plantstore_service;

-- For a declared token (the setting token), grant this too:
--     GRANT INSERT ON stores, revisions TO plantstore_service;
--     GRANT UPDATE (expires_at) ON tokens TO plantstore_service;
