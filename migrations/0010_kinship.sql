-- What makes two copies one message, and two messages one thread, where neither bytes nor references say so.

-- A message is known by the SHA-256 of its bytes with every CRLF as a line feed, so that the server's copy is the one from
-- a file. Messages up to this row are known by their bytes as they were received.
CREATE TABLE received_identities (
    up_to INTEGER NOT NULL
);
INSERT INTO received_identities SELECT coalesce(max(id), 0) FROM messages;

-- Answers that name no message, by their subject without `Re:` and the like: what they may answer can come later.
CREATE TABLE unreferenced_answers (
    subject_hash   INTEGER NOT NULL,            -- first 63 bits of SHA-256
    epoch          INTEGER NOT NULL,            -- the message's own date
    message        INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    answered_epoch INTEGER,                     -- the date of the message whose thread it joined; null: none
    PRIMARY KEY (subject_hash, epoch, message)
) WITHOUT ROWID;
CREATE INDEX unreferenced_answers_by_message ON unreferenced_answers (message);

-- They look for messages of one subject in a span of time.
DROP INDEX messages_by_subject;
CREATE INDEX messages_by_subject ON messages (subject_hash, epoch);
