-- The holder of the lock delivers. Its transaction does nothing else, so it blocks nobody.

-- name: begin_lease
BEGIN

-- name: hold_lease
SELECT pg_try_advisory_xact_lock(7091938230913), set_config('idle_in_transaction_session_timeout', '0', true)
