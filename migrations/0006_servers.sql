-- Accounts on servers: where they are reached, and how far each mailbox has been brought in.

ALTER TABLE accounts ADD COLUMN user TEXT;              -- name to sign in with; null: files only
ALTER TABLE accounts ADD COLUMN sign_in TEXT;           -- password, google, microsoft
ALTER TABLE accounts ADD COLUMN problem TEXT;           -- why the last sync failed; null when it went well
ALTER TABLE accounts ADD COLUMN problem_code TEXT;
ALTER TABLE accounts ADD COLUMN problem_hint TEXT;

CREATE TABLE servers (
    account  INTEGER NOT NULL REFERENCES accounts (id),
    protocol TEXT NOT NULL,                     -- imap, smtp
    host     TEXT NOT NULL,
    port     INTEGER NOT NULL,
    tls      TEXT NOT NULL,                     -- implicit, starttls, none
    PRIMARY KEY (account, protocol)
) WITHOUT ROWID;

-- For a mailbox on a server, `uidvalidity` and `next_uid` are the server's. The uid of a placement says where it
-- is: 1 to 2^32 - 1 on the server; negative: from a file, the server does not have it; above: on the server under
-- an earlier UIDVALIDITY, and waiting to be found again.
ALTER TABLE mailboxes ADD COLUMN remote TEXT;           -- its name as the server writes it; null: not on a server
ALTER TABLE mailboxes ADD COLUMN filled INTEGER NOT NULL DEFAULT 0; -- 1: all up to next_uid and modseq is here
ALTER TABLE mailboxes ADD COLUMN modseq INTEGER;        -- the server's HIGHESTMODSEQ; null: it has none

-- Messages of a server that could not be brought in.
CREATE TABLE unfetched (
    mailbox INTEGER NOT NULL REFERENCES mailboxes (id),
    uid     INTEGER NOT NULL,
    problem TEXT NOT NULL,
    retry   INTEGER NOT NULL,                   -- 1: try again with the next sync
    PRIMARY KEY (mailbox, uid)
) WITHOUT ROWID;
