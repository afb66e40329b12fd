-- The person's pages: who is signed in, and the keys that sign a yes.

-- Browsers that were let in. The secret of each stands nowhere; this is its hash.
CREATE TABLE page_sessions (
    hash          BLOB PRIMARY KEY,             -- SHA-256 of the cookie
    path          TEXT NOT NULL UNIQUE,         -- the part of the address that no other server learns
    since_epoch   INTEGER NOT NULL,
    until_epoch   INTEGER NOT NULL
) WITHOUT ROWID;

-- Links that let one browser in, once.
CREATE TABLE page_links (
    hash          BLOB PRIMARY KEY,             -- SHA-256 of what stands in the link
    until_epoch   INTEGER NOT NULL
) WITHOUT ROWID;

-- The public halves of keys that sign a yes. The audit chain holds each enrolment; a row that it does not know counts
-- for nothing.
CREATE TABLE passkeys (
    credential    BLOB PRIMARY KEY,             -- the authenticator's id of the key
    name          TEXT NOT NULL,                -- as the person called it
    algorithm     INTEGER NOT NULL,             -- COSE: -7 ES256, -257 RS256, -8 Ed25519
    public_key    BLOB NOT NULL,
    counter       INTEGER NOT NULL DEFAULT 0,
    since_epoch   INTEGER NOT NULL
) WITHOUT ROWID;

-- What a client waits with for the answer to one call. Nobody can guess a handle; who knows one may ask and take back.
CREATE TABLE tasks (
    id            INTEGER PRIMARY KEY,
    handle        TEXT NOT NULL UNIQUE,
    draft         INTEGER NOT NULL REFERENCES drafts (id) ON DELETE CASCADE,
    profile       TEXT NOT NULL,                -- of the tool that was called
    tool          TEXT NOT NULL,
    arguments     BLOB NOT NULL,                -- SHA-256 of what it was called with
    created_ms    INTEGER NOT NULL,
    until_epoch   INTEGER NOT NULL,             -- kept until then
    state         TEXT,                         -- how it ended, for ever; null: it has not
    revision      INTEGER,
    reason        TEXT,
    error_code    TEXT,
    ended_epoch   INTEGER
);
CREATE INDEX tasks_by_draft ON tasks (draft, state);

-- What providers made of what was sent: a row for each copy among the sent mail that was held against what had left.
CREATE TABLE sent_copies (
    draft         INTEGER NOT NULL REFERENCES drafts (id) ON DELETE CASCADE,
    message       INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    epoch         INTEGER NOT NULL,
    changes       TEXT NOT NULL,                -- JSON: [{what, detail}]; [] where it is what had left
    PRIMARY KEY (draft, message)
) WITHOUT ROWID;
CREATE INDEX sent_copies_by_message ON sent_copies (message);
-- Changes up to this number were looked at for such copies.
ALTER TABLE outbox ADD COLUMN copies_seen INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN passkeys TEXT;    -- JSON: fingerprints of the keys that count; under the seal

-- A number that a key has signed is used once: for one item, or for the one thing it was made for. Who changed an entry by
-- hand may have left no JSON.
CREATE UNIQUE INDEX audit_nonces ON audit (
    CASE WHEN json_valid(body) THEN json_extract(body, '$.assertion.nonce') END, coalesce(item, ''));
CREATE INDEX audit_by_passkey ON audit (
    CASE WHEN json_valid(body) THEN json_extract(body, '$.assertion.credential') END, id);
CREATE INDEX audit_of_passkeys ON audit (id) WHERE kind = 'passkey';
CREATE INDEX audit_of_pins ON audit (id) WHERE kind = 'pin';
-- Whom the owner has written to, for what a person is shown beside a proposal. Only mail that lies where sent mail lies
-- counts, because what comes in can claim any sender; of files, mail from the account's own addresses that no server took in.
CREATE TABLE people (
    id            INTEGER PRIMARY KEY,
    address       TEXT NOT NULL UNIQUE,         -- lower case
    name          TEXT NOT NULL                 -- as the owner wrote it
);
CREATE TABLE written_to (
    person        INTEGER NOT NULL REFERENCES people (id),
    epoch         INTEGER NOT NULL,             -- of the message
    message       INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    PRIMARY KEY (person, epoch, message)
) WITHOUT ROWID;
CREATE INDEX written_to_by_message ON written_to (message);
-- Somebody of whom nothing is left is forgotten too.
CREATE TRIGGER person_forgotten AFTER DELETE ON written_to BEGIN
    DELETE FROM people WHERE id = old.person AND NOT EXISTS (SELECT 1 FROM written_to WHERE person = old.person);
END;
CREATE INDEX senders_by_address ON senders (address);
CREATE INDEX deliveries_by_recipient ON deliveries (recipient);
-- What was decided, newest first.
CREATE INDEX proposals_by_change ON proposals (changed_epoch, draft);
