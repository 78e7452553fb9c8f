-- oldest: 1
-- Whose token opens all of a user's stores asks for the user's memberships.

CREATE INDEX members_by_user ON members (user_id);
