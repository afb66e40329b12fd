-- The shield: which secret a message carries, and the owner's rules as they were last applied.
ALTER TABLE messages ADD COLUMN secret INTEGER NOT NULL DEFAULT 0;  -- 1 one-time code, 2 reset link, 3 sign-in link

CREATE TABLE shield (
    rules      TEXT NOT NULL,                   -- JSON
    classifier INTEGER NOT NULL,                -- which one found the secrets
    applied    INTEGER NOT NULL                 -- 0: messages are still being judged by these rules
);

-- Withheld messages are few: an assistant's connection counts them and leaves them out of every search.
CREATE INDEX messages_withheld_by_date ON messages (epoch) WHERE withheld = 1;
