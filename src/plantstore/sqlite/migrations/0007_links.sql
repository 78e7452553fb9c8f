-- compatible-since: 4
-- Links to sign in with: of each its code's hash, which is deleted when it is used, the token that it
-- gives, and when the code expires.

CREATE TABLE links (
    store_id         INTEGER NOT NULL REFERENCES stores ON DELETE CASCADE,
    code_hash        BLOB    NOT NULL,
    user_id          INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    scopes           TEXT    NOT NULL,
    label            TEXT    NOT NULL,
    token_expires_at INTEGER,
    expires_at       INTEGER NOT NULL,
    PRIMARY KEY (store_id, code_hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX links_by_user ON links (user_id);
