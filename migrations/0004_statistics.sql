-- What statistics and filters need so that they never look at every message. All of it is kept in the transaction that
-- stores a message, and `verify` can make it again.

-- Messages with the same subject are found by a short number: the first 63 bits of SHA-256 of the subject.
ALTER TABLE messages ADD COLUMN subject_hash INTEGER NOT NULL DEFAULT 0;
UPDATE messages SET subject_hash = mail_hash(subject);
CREATE INDEX messages_by_subject ON messages (subject_hash);

-- The few that lists look for.
CREATE INDEX messages_with_attachments ON messages (epoch) WHERE has_attachments = 1;
CREATE INDEX messages_undated ON messages (epoch) WHERE date_source <> 0;
CREATE INDEX messages_withheld ON messages (subject_hash) WHERE withheld = 1;

-- Messages an hour, for the week as a heat map in any time zone.
CREATE TABLE hour_counts (
    mailbox  INTEGER NOT NULL,
    hour     INTEGER NOT NULL,                  -- hours since 1970
    withheld INTEGER NOT NULL,
    count    INTEGER NOT NULL,
    PRIMARY KEY (mailbox, hour, withheld)
) WITHOUT ROWID;
INSERT INTO hour_counts
SELECT p.mailbox, p.epoch / 3600 - (p.epoch % 3600 < 0), m.withheld, count(*)
FROM placements p JOIN messages m ON m.id = p.message GROUP BY 1, 2, 3;

-- Subjects and Message-IDs that more than one placement has, withheld ones included.
CREATE TABLE repeated_subjects (
    subject_hash INTEGER PRIMARY KEY,
    count        INTEGER NOT NULL
);
CREATE INDEX repeated_subjects_by_count ON repeated_subjects (count);
CREATE TABLE repeated_ids (
    message_id TEXT PRIMARY KEY,
    count      INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX repeated_ids_by_count ON repeated_ids (count);
INSERT INTO repeated_subjects
SELECT m.subject_hash, count(*) FROM messages m JOIN placements p ON p.message = m.id
WHERE m.subject <> '' GROUP BY 1 HAVING count(*) > 1;
INSERT INTO repeated_ids
SELECT m.message_id, count(*) FROM messages m JOIN placements p ON p.message = m.id
WHERE m.message_id IS NOT NULL GROUP BY 1 HAVING count(*) > 1;

-- Answers: messages that follow one by somebody else in their thread, and how long that took. Withheld messages take no
-- part.
CREATE TABLE responses (
    message INTEGER PRIMARY KEY REFERENCES messages (id),
    seconds INTEGER NOT NULL,
    own     INTEGER NOT NULL                    -- 1: written by the owner of an account
);
CREATE INDEX responses_by_time ON responses (own, seconds);
INSERT INTO responses
SELECT id, seconds, own FROM (
    SELECT m.id AS id, m.epoch - lag(m.epoch) OVER thread AS seconds, s.address AS address,
           lag(s.address) OVER thread AS before, s.address IN (SELECT lower(address) FROM accounts) AS own
    FROM messages m JOIN senders s ON s.id = m.sender WHERE m.withheld = 0
    WINDOW thread AS (PARTITION BY m.thread ORDER BY m.epoch, m.id)
) WHERE before <> address;

-- All subjects in small letters, packed by 1,024 message rows, so that looking through a million takes a few dozen
-- milliseconds. Each entry: two bytes for the row within the block, four for the length, both low byte first, the text.
CREATE TABLE subject_blocks (
    block    INTEGER PRIMARY KEY,               -- message row / 1024
    subjects BLOB NOT NULL
);
INSERT INTO subject_blocks
SELECT id / 1024, mail_pack_subjects(id % 1024, subject) FROM messages GROUP BY id / 1024;
