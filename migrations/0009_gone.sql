-- Mail that a server no longer shows stays. Its last placement in the account stands in a mailbox with the role 'gone',
-- which is on no server, and this says since when and where it was before.
CREATE TABLE gone (
    placement INTEGER PRIMARY KEY REFERENCES placements (id) ON DELETE CASCADE,
    epoch     INTEGER NOT NULL,                 -- when it was missed
    mailbox   TEXT NOT NULL,                    -- the name of the mailbox it was last in
    role      TEXT,                             -- what that one is for
    flags     INTEGER NOT NULL,                 -- its flags there; among the gone everything counts as read
    held      INTEGER NOT NULL DEFAULT 0        -- 1: too many went at once, so only the owner lets go of it
);
CREATE INDEX gone_by_date ON gone (epoch);

-- Messages the owner has forgotten, by their hash: a server that still has them does not bring them back.
CREATE TABLE forgotten (
    hash BLOB PRIMARY KEY
) WITHOUT ROWID;

-- What was deleted here for good, and why; never which.
CREATE TABLE removals (
    id       INTEGER PRIMARY KEY,
    epoch    INTEGER NOT NULL,
    cause    TEXT NOT NULL CHECK (cause IN ('forgotten', 'gone')), -- by the owner's word, or by the rule for what is gone
    messages INTEGER NOT NULL
);

-- Stands while something forgotten may still leave a trace in the files.
CREATE TABLE unerased (
    id INTEGER PRIMARY KEY CHECK (id = 1)
);

-- The highest rows that were ever deleted: none is given twice, so that a row somebody holds is never another message.
CREATE TABLE deleted_rows (
    messages   INTEGER NOT NULL,
    placements INTEGER NOT NULL
);
INSERT INTO deleted_rows VALUES (0, 0);

-- How many messages Gmail last said it has more than it listed. A gap that stays the same is its way of counting.
ALTER TABLE accounts ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;
