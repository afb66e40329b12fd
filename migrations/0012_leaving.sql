-- What leaves: who it is from, in which form, with which files.

ALTER TABLE accounts ADD COLUMN display_name TEXT;     -- the name before the account's address in From

-- Addresses beside the account's own that mail may be from.
CREATE TABLE aliases (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    address TEXT NOT NULL COLLATE NOCASE,
    name    TEXT,                                       -- NULL: the account's
    PRIMARY KEY (account, address)
);

-- The frozen message has no Date any more: it is put in when it leaves. The hash stands for channel, account, sender,
-- envelope and bytes.
ALTER TABLE draft_revisions ADD COLUMN sender TEXT;     -- From, as shown to a person; NULL: the account's address
ALTER TABLE draft_revisions ADD COLUMN html TEXT;       -- made safe; NULL: text only
ALTER TABLE draft_revisions ADD COLUMN html_removed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE draft_revisions ADD COLUMN attachments TEXT; -- JSON: name, content_type, size, sha256, part
