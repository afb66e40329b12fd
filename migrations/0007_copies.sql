-- Copies on servers of what was written here: drafts in the mailbox for drafts, what was sent in the one for sent mail.

CREATE TABLE copies (
    id               INTEGER PRIMARY KEY,       -- the order in which they were asked for
    account          INTEGER NOT NULL REFERENCES accounts (id),
    role             TEXT NOT NULL CHECK (role IN ('drafts', 'sent')),
    draft            INTEGER REFERENCES drafts (id) ON DELETE SET NULL, -- null: deleted here, so the copy must go
    message_id       TEXT NOT NULL,             -- without angle brackets
    wanted           INTEGER,                   -- sent: the revision that was sent; drafts: always the newest one
    revision         INTEGER,                   -- the revision that is there; null: none
    attempt          INTEGER,                   -- the revision that was being put there; null: none was begun
    mailbox          INTEGER REFERENCES mailboxes (id) ON DELETE SET NULL,
    uidvalidity      INTEGER,
    uid              INTEGER,                   -- only good together with mailbox and uidvalidity
    name             TEXT,                      -- what an API calls it, where it has no uid
    stale_uid        INTEGER,                   -- the copy of the revision before, which must go
    problem          TEXT,                      -- why it is not there
    problem_code     TEXT,
    problem_revision INTEGER,                   -- the newest revision when that was noticed
    UNIQUE (role, message_id)
);
CREATE INDEX copies_by_account ON copies (account);
CREATE INDEX copies_by_draft ON copies (draft);
CREATE INDEX copies_by_mailbox ON copies (mailbox);
