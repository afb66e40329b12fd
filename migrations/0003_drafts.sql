-- What the owner writes, and what is to be told to the servers. Times are seconds since 1970, UTC.

CREATE TABLE drafts (
    id            INTEGER PRIMARY KEY,
    short_id      TEXT NOT NULL UNIQUE,         -- d and twelve characters
    account       INTEGER NOT NULL REFERENCES accounts (id),
    state         TEXT NOT NULL CHECK (state IN ('draft', 'pending_approval', 'approved', 'sending', 'sent', 'failed',
                                                 'unknown', 'rejected', 'cancelled', 'expired')),
    revision      INTEGER NOT NULL,             -- the newest one
    message_id    TEXT NOT NULL UNIQUE,         -- without angle brackets; the same in all revisions
    answers       INTEGER REFERENCES messages (id) ON DELETE SET NULL,
    created_epoch INTEGER NOT NULL,
    updated_epoch INTEGER NOT NULL
);
CREATE INDEX drafts_by_account ON drafts (account, updated_epoch, id);
CREATE INDEX drafts_by_update ON drafts (updated_epoch, id);
CREATE INDEX drafts_by_answered ON drafts (answers) WHERE answers IS NOT NULL;

-- A revision is never changed. Recipients are JSON arrays of addresses as shown to a person; Bcc stands only here.
CREATE TABLE draft_revisions (
    draft         INTEGER NOT NULL REFERENCES drafts (id) ON DELETE CASCADE,
    revision      INTEGER NOT NULL,
    epoch         INTEGER NOT NULL,
    to_json       TEXT NOT NULL,
    cc_json       TEXT NOT NULL,
    bcc_json      TEXT NOT NULL,
    subject       TEXT NOT NULL,
    body          TEXT NOT NULL,                -- as it was given
    hash          BLOB NOT NULL,                -- SHA-256 over account, envelope and raw bytes
    raw           BLOB NOT NULL,                -- the frozen message: header, body, attachments
    PRIMARY KEY (draft, revision)
);

-- Changes of flags, labels and mailboxes that were made here, in order, for the next sync to make on the server.
-- The uid is only good together with its uidvalidity.
CREATE TABLE pending_changes (
    id          INTEGER PRIMARY KEY,
    account     INTEGER NOT NULL REFERENCES accounts (id),
    message     INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    mailbox     INTEGER NOT NULL REFERENCES mailboxes (id) ON DELETE CASCADE,
    uidvalidity INTEGER NOT NULL,
    uid         INTEGER NOT NULL,
    action      TEXT NOT NULL CHECK (action IN ('add_label', 'remove_label', 'set_flag', 'clear_flag', 'move')),
    value       TEXT NOT NULL,                  -- label, flag (seen, flagged), or what the target mailbox is for
    epoch       INTEGER NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('pending', 'pushed', 'failed')),
    reason      TEXT                            -- why it failed
);
CREATE INDEX pending_changes_waiting ON pending_changes (account, id) WHERE state = 'pending';
CREATE INDEX pending_changes_by_message ON pending_changes (message);
CREATE INDEX pending_changes_by_mailbox ON pending_changes (mailbox);
