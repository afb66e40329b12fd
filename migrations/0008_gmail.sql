-- Accounts over Gmail's API: how far their history was read, and what Gmail has of messages and labels.

ALTER TABLE accounts ADD COLUMN history_id INTEGER;     -- all that happened up to here is here; null: not filled yet

CREATE TABLE gmail_labels (
    account INTEGER NOT NULL REFERENCES accounts (id),
    id      TEXT NOT NULL,                      -- as Gmail names it: INBOX, Label_12
    name    TEXT NOT NULL,                      -- as a person does
    PRIMARY KEY (account, id)
) WITHOUT ROWID;

-- A message that Gmail has. Its number is the uid of all its placements, and never given twice.
CREATE TABLE gmail_messages (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    account  INTEGER NOT NULL REFERENCES accounts (id),
    gmail_id INTEGER NOT NULL,
    message  INTEGER REFERENCES messages (id) ON DELETE CASCADE, -- null: it is not here yet
    labels   TEXT NOT NULL DEFAULT '',          -- ids of its labels on the server, with a blank before and after each
    problem  TEXT,                              -- why it could not be brought in
    retry    INTEGER NOT NULL DEFAULT 1,        -- 1: try again with the next sync
    UNIQUE (account, gmail_id)
);
CREATE INDEX gmail_messages_by_message ON gmail_messages (message) WHERE message IS NOT NULL;
CREATE INDEX gmail_messages_missing ON gmail_messages (account, number) WHERE message IS NULL;
