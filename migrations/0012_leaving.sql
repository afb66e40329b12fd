-- What leaves. A draft is an item of the outbox from its first revision on: one state, one place where it stands.
-- Epochs are seconds since 1970, UTC; `_ms` are milliseconds.

ALTER TABLE drafts ADD COLUMN moved TEXT NOT NULL DEFAULT 'draft'
    CHECK (moved IN ('draft', 'pending_approval', 'approved', 'sending', 'sent', 'failed', 'unknown', 'rejected',
                     'withdrawn', 'cancelled', 'expired'));
UPDATE drafts SET moved = state;
ALTER TABLE drafts DROP COLUMN state;
ALTER TABLE drafts RENAME COLUMN moved TO state;    -- written by one function alone
ALTER TABLE drafts ADD COLUMN channel TEXT NOT NULL DEFAULT 'mail'
    CHECK (channel IN ('mail', 'whatsapp', 'linkedin', 'unsubscribe'));
CREATE INDEX drafts_leaving ON drafts (state, updated_epoch) WHERE state <> 'draft';

-- Who writes, and what it is written in.
ALTER TABLE accounts ADD COLUMN display_name TEXT;  -- stands before the address in From
ALTER TABLE accounts ADD COLUMN send_folder TEXT;   -- what is sent becomes files here, and goes to no server
CREATE TABLE aliases (                              -- other addresses that the owner writes from
    account INTEGER NOT NULL REFERENCES accounts (id),
    address TEXT NOT NULL COLLATE NOCASE,
    name    TEXT,
    PRIMARY KEY (account, address)
) WITHOUT ROWID;
-- The frozen message has no Date any more: it is put in when it leaves. The hash stands for channel, account, sender,
-- envelope and bytes.
ALTER TABLE draft_revisions ADD COLUMN sender TEXT;         -- From as shown to a person; null: the account's address
ALTER TABLE draft_revisions ADD COLUMN html TEXT;           -- as it was given, made safe
ALTER TABLE draft_revisions ADD COLUMN html_removed INTEGER NOT NULL DEFAULT 0;  -- how much was taken out for that
ALTER TABLE draft_revisions ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]';  -- [{name, content_type, size, sha256, part}]

-- An item that somebody asked to send.
CREATE TABLE proposals (
    draft           INTEGER PRIMARY KEY REFERENCES drafts (id) ON DELETE CASCADE,
    code            TEXT NOT NULL,              -- four characters that every door shows
    route           TEXT NOT NULL,              -- what it leaves by, as it was proposed
    client          TEXT,                       -- who asked: the name the assistant gave; null: the person
    profile         TEXT,
    tool            TEXT,
    idempotency_key TEXT,
    content         BLOB NOT NULL,              -- SHA-256 of what was asked for, the same for the same words
    partial         INTEGER NOT NULL DEFAULT 0, -- 1: may go to some recipients when others are refused
    records         TEXT,                       -- JSON: where lines about its sending are wanted
    proposed_epoch  INTEGER NOT NULL,
    changed_epoch   INTEGER NOT NULL,           -- of the state
    reason          TEXT,                       -- why it is in this state
    error_code      TEXT,
    not_before      INTEGER NOT NULL DEFAULT 0, -- the next attempt comes no earlier
    tries           INTEGER NOT NULL DEFAULT 0, -- since the yes, of those that sent nothing
    first_try       INTEGER,                    -- when the first of them was
    sent_epoch      INTEGER                     -- what stands in its Date
);
CREATE INDEX proposals_by_key ON proposals (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX proposals_by_content ON proposals (content);
CREATE INDEX proposals_by_time ON proposals (proposed_epoch);

-- A yes to one revision. The seal is made with a key that is not in this file.
CREATE TABLE approvals (
    id         INTEGER PRIMARY KEY,
    draft      INTEGER NOT NULL REFERENCES drafts (id) ON DELETE CASCADE,
    revision   INTEGER NOT NULL,
    hash       BLOB NOT NULL,                   -- of everything that leaves, and of the way it leaves by
    door       TEXT NOT NULL,                   -- terminal, page, folder, rule
    factor     TEXT NOT NULL,                   -- click, pin, passkey; for a rule its words
    epoch      INTEGER NOT NULL,
    send_after INTEGER NOT NULL,                -- until then it can be taken back
    signature  BLOB,
    seal       BLOB NOT NULL,
    spent      INTEGER NOT NULL DEFAULT 0       -- 1: used up or taken back
);
CREATE INDEX approvals_by_draft ON approvals (draft, revision);

-- The journal: one row an attempt. No `dot`: nothing left. `dot` without an outcome: nobody knows.
CREATE TABLE attempts (
    id        INTEGER PRIMARY KEY,
    draft     INTEGER NOT NULL REFERENCES drafts (id) ON DELETE CASCADE,
    revision  INTEGER NOT NULL,
    approval  INTEGER NOT NULL,                 -- the yes that it was made under
    fence     INTEGER NOT NULL,                 -- whose turn it was
    host      TEXT NOT NULL,
    begun_ms  INTEGER NOT NULL,                 -- before the connection
    data_ms   INTEGER,                          -- the server waits for the message
    dot_ms    INTEGER,                          -- all but the final dot is out
    ended_ms  INTEGER,
    outcome   TEXT CHECK (outcome IN ('sent', 'failed', 'later', 'unknown')),
    reply     TEXT,                             -- the server's last words
    refused   TEXT NOT NULL DEFAULT '[]',       -- [{address, reply}]
    remote_id TEXT                              -- what an API calls it
);
CREATE INDEX attempts_by_draft ON attempts (draft, id);
CREATE INDEX attempts_by_dot ON attempts (dot_ms) WHERE dot_ms IS NOT NULL;
CREATE INDEX attempts_open ON attempts (id) WHERE outcome IS NULL;

-- Other ids under which providers know what we sent.
CREATE TABLE message_id_aliases (
    message_id TEXT NOT NULL,                   -- without angle brackets
    draft      INTEGER NOT NULL REFERENCES drafts (id) ON DELETE CASCADE,
    PRIMARY KEY (message_id, draft)
) WITHOUT ROWID;

-- What became of it, recipient by recipient.
CREATE TABLE deliveries (
    draft     INTEGER NOT NULL REFERENCES drafts (id) ON DELETE CASCADE,
    recipient TEXT NOT NULL COLLATE NOCASE,
    status    TEXT NOT NULL CHECK (status IN ('sent', 'refused', 'delivered', 'delayed', 'bounced')),
    epoch     INTEGER NOT NULL,
    detail    TEXT,
    message   INTEGER REFERENCES messages (id) ON DELETE SET NULL,  -- the report that says so
    probably  INTEGER NOT NULL DEFAULT 0,       -- 1: matched by recipient and time only
    PRIMARY KEY (draft, recipient)
) WITHOUT ROWID;

-- Reports that name a message which is not ours, or not yet: an alias of it may still become known.
CREATE TABLE waiting_reports (
    message_id TEXT NOT NULL,                   -- without angle brackets
    message    INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    epoch      INTEGER NOT NULL,                -- since when it waits
    PRIMARY KEY (message_id, message)
) WITHOUT ROWID;

-- What holds for all of it; one row.
CREATE TABLE outbox (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    paused_epoch   INTEGER,                     -- null: not paused
    fence          INTEGER NOT NULL DEFAULT 0,  -- grows with each worker that takes over
    reports_seen   INTEGER NOT NULL DEFAULT 0,  -- messages up to this row were looked at for reports
    policy         TEXT,                        -- JSON of the weakest policy that was confirmed; null: the usual one
    factor         TEXT NOT NULL DEFAULT 'click',   -- the weakest that was confirmed
    pin            TEXT,                        -- Argon2id
    seal           BLOB,                        -- over the three above; null: nothing was ever confirmed
    pin_failures   INTEGER NOT NULL DEFAULT 0,
    pin_locked     INTEGER                      -- until then
);
INSERT INTO outbox (id, reports_seen) SELECT 1, coalesce(max(id), 0) FROM messages;

-- What happened, each row sealed by the hash of the one before.
CREATE TABLE audit (
    id       INTEGER PRIMARY KEY,
    time_ms  INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    item     TEXT,                              -- short id
    body     TEXT NOT NULL,                     -- JSON; hashes of previews, no texts
    previous BLOB NOT NULL,
    hash     BLOB NOT NULL
);
CREATE INDEX audit_by_item ON audit (item, id);
CREATE INDEX audit_of_policy ON audit (id) WHERE kind = 'policy';
CREATE INDEX audit_of_pause ON audit (id) WHERE kind IN ('paused', 'resumed');
-- First characters of texts; they can be forgotten without breaking the chain.
CREATE TABLE audit_previews (
    hash    BLOB PRIMARY KEY,
    preview TEXT NOT NULL
) WITHOUT ROWID;
