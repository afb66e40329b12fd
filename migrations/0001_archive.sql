-- The archive: accounts and their mailboxes, messages stored once, where they are placed, and what is
-- derived from them. Times are seconds since 1970, UTC. Public names are the views in 0002_views.sql;
-- everything here may change with the next schema version.

-- Who this store is: an index that follows another one is not ours.
CREATE TABLE identity (
    id TEXT NOT NULL                            -- random, made anew when a backup is restored
);

CREATE TABLE accounts (
    id           INTEGER PRIMARY KEY,
    address      TEXT NOT NULL UNIQUE COLLATE NOCASE,
    kind         TEXT NOT NULL,                 -- 'local': files only, no server
    added_epoch  INTEGER NOT NULL,
    synced_epoch INTEGER                        -- when mail last came in
);

CREATE TABLE mailboxes (
    id          INTEGER PRIMARY KEY,
    account     INTEGER NOT NULL REFERENCES accounts (id),
    name        TEXT NOT NULL,
    role        TEXT,                           -- inbox, sent, drafts, trash, spam, archive
    uidvalidity INTEGER NOT NULL,
    next_uid    INTEGER NOT NULL,
    UNIQUE (account, name)
);

-- A sender as written, once. Statistics count senders by number, never by text.
CREATE TABLE senders (
    id      INTEGER PRIMARY KEY,
    display TEXT NOT NULL UNIQUE,               -- Ada Berg <ada@example.org>
    name    TEXT NOT NULL,
    address TEXT NOT NULL,
    domain  TEXT NOT NULL
);
CREATE INDEX senders_by_domain ON senders (domain);

CREATE TABLE messages (
    id              INTEGER PRIMARY KEY,
    hash            BLOB NOT NULL UNIQUE,       -- SHA-256 of the raw bytes
    message_id      TEXT,                       -- without angle brackets
    thread          INTEGER NOT NULL,
    epoch           INTEGER NOT NULL,
    date_source     INTEGER NOT NULL,           -- 0 Date field, 1 Received, 2 mbox line, 3 file time, 4 unknown
    year            INTEGER NOT NULL,
    month           INTEGER NOT NULL,           -- 1 to 12
    weekday         INTEGER NOT NULL,           -- 0 Sunday to 6 Saturday
    hour            INTEGER NOT NULL,
    sender          INTEGER NOT NULL REFERENCES senders (id),
    subject         TEXT NOT NULL,
    size            INTEGER NOT NULL,           -- raw bytes
    header_size     INTEGER NOT NULL,           -- raw bytes up to and with the blank line
    has_attachments INTEGER NOT NULL,
    withheld        INTEGER NOT NULL,           -- 1: the shield keeps it from tools
    list_id         TEXT,
    x_gm_msgid      INTEGER,
    x_gm_thrid      INTEGER
);
CREATE INDEX messages_by_message_id ON messages (message_id);
CREATE INDEX messages_by_epoch ON messages (epoch);
CREATE INDEX messages_by_thread ON messages (thread, epoch);
CREATE INDEX messages_by_sender ON messages (sender, epoch);
CREATE INDEX messages_by_size ON messages (size);
CREATE INDEX messages_by_gmail_id ON messages (x_gm_msgid) WHERE x_gm_msgid IS NOT NULL;
CREATE INDEX messages_by_gmail_thread ON messages (x_gm_thrid) WHERE x_gm_thrid IS NOT NULL;

-- One zstd frame a message: the envelope as JSON, the visible text, the raw bytes, in this order. The first
-- two nearly repeat what the raw bytes say, so that they cost little, and they can be read without the rest.
CREATE TABLE contents (
    message         INTEGER PRIMARY KEY REFERENCES messages (id),
    dictionary      INTEGER NOT NULL REFERENCES dictionaries (id),
    envelope_length INTEGER NOT NULL,
    text_length     INTEGER NOT NULL,
    frame           BLOB NOT NULL
);

CREATE TABLE dictionaries (
    id    INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
);

CREATE TABLE parts (
    message      INTEGER NOT NULL REFERENCES messages (id),
    part         TEXT NOT NULL,                 -- IMAP part number
    name         TEXT,
    content_type TEXT NOT NULL,
    size         INTEGER NOT NULL,
    hash         BLOB NOT NULL,
    disposition  TEXT,
    counts       INTEGER NOT NULL,              -- 1: has:attachment is true because of it
    PRIMARY KEY (message, part)
) WITHOUT ROWID;

-- A message in a mailbox. `epoch` repeats the message's date, so that newest-first is one index walk.
CREATE TABLE placements (
    id             INTEGER PRIMARY KEY,
    message        INTEGER NOT NULL REFERENCES messages (id),
    mailbox        INTEGER NOT NULL REFERENCES mailboxes (id),
    uid            INTEGER NOT NULL,
    epoch          INTEGER NOT NULL,
    internal_epoch INTEGER NOT NULL,            -- INTERNALDATE; without IMAP the message's date
    flags          INTEGER NOT NULL,            -- 1 seen, 2 answered, 4 flagged, 8 deleted, 16 draft
    UNIQUE (mailbox, uid)
);
CREATE INDEX placements_by_message ON placements (message, mailbox);
CREATE INDEX placements_by_epoch ON placements (mailbox, epoch, message);
CREATE INDEX placements_unread ON placements (mailbox, epoch, message, flags) WHERE flags & 1 = 0;
CREATE INDEX placements_marked ON placements (flags, message) WHERE flags & 22 <> 0;

CREATE TABLE label_names (
    id      INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES accounts (id),
    name    TEXT NOT NULL COLLATE NOCASE,
    UNIQUE (account, name)
);

CREATE TABLE placement_labels (
    label     INTEGER NOT NULL REFERENCES label_names (id),
    placement INTEGER NOT NULL REFERENCES placements (id),
    PRIMARY KEY (label, placement)
) WITHOUT ROWID;
CREATE INDEX placement_labels_by_placement ON placement_labels (placement);

-- Threads are joined sets of Message-IDs. `thread_links` says in which set an id was first met; a set that was
-- joined to another says so in `joined`, so that joining touches the messages of the smaller one and nothing else.
CREATE TABLE thread_sets (
    id     INTEGER PRIMARY KEY,
    joined INTEGER REFERENCES thread_sets (id),
    size   INTEGER NOT NULL
);
CREATE TABLE thread_links (
    id_hash INTEGER PRIMARY KEY,                -- first 63 bits of SHA-256 of the Message-ID
    thread  INTEGER NOT NULL REFERENCES thread_sets (id)
);

-- What happened to messages, in order. Derived data (the text index, cached bitmaps) follows it.
CREATE TABLE changes (
    number  INTEGER PRIMARY KEY,
    message INTEGER NOT NULL,
    kind    INTEGER NOT NULL                    -- 1 content stored or re-read, 2 removed, 3 flags, labels or mailboxes
);

-- Counts, kept up to date in the transaction that changes what they count.
CREATE TABLE day_counts (
    mailbox  INTEGER NOT NULL,
    day      INTEGER NOT NULL,                  -- days since 1970-01-01
    withheld INTEGER NOT NULL,
    count    INTEGER NOT NULL,
    PRIMARY KEY (mailbox, day, withheld)
) WITHOUT ROWID;
CREATE TABLE sender_counts (
    mailbox  INTEGER NOT NULL,
    sender   INTEGER NOT NULL,
    withheld INTEGER NOT NULL,
    count    INTEGER NOT NULL,
    PRIMARY KEY (mailbox, sender, withheld)
) WITHOUT ROWID;
CREATE TABLE mailbox_counts (
    mailbox  INTEGER NOT NULL,
    withheld INTEGER NOT NULL,
    count    INTEGER NOT NULL,
    unread   INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    PRIMARY KEY (mailbox, withheld)
) WITHOUT ROWID;
CREATE TABLE message_counts (
    withheld         INTEGER PRIMARY KEY,
    count            INTEGER NOT NULL,
    bytes            INTEGER NOT NULL,
    with_attachments INTEGER NOT NULL
);

-- Messages that were stored although something is wrong with them.
CREATE TABLE defects (
    message INTEGER NOT NULL REFERENCES messages (id),
    defect  TEXT NOT NULL,
    PRIMARY KEY (message, defect)
) WITHOUT ROWID;
