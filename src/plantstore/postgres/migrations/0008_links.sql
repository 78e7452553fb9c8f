-- compatible-since: 4
-- Links to sign in with: of each its code's hash, which is deleted when it is used, the token that it
-- gives, and when the code expires.

CREATE TABLE links (
    store_id         bigint NOT NULL REFERENCES stores ON DELETE CASCADE,
    code_hash        bytea  NOT NULL,
    user_id          bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    scopes           text   NOT NULL,
    label            text   NOT NULL,
    token_expires_at bigint,
    expires_at       bigint NOT NULL,
    PRIMARY KEY (store_id, code_hash)
);

CREATE INDEX links_by_user ON links (user_id);
