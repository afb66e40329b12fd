-- Other channels than mail. Each lane is carried by a process of its own, which takes turns with nobody else's.
CREATE TABLE turns (
    lane  TEXT PRIMARY KEY,                     -- mail (with unsubscribe), whatsapp, linkedin
    fence INTEGER NOT NULL DEFAULT 0            -- grows with each worker that takes over
) WITHOUT ROWID;
INSERT INTO turns (lane, fence) SELECT 'mail', fence FROM outbox;
INSERT INTO turns (lane) VALUES ('whatsapp'), ('linkedin');
ALTER TABLE outbox DROP COLUMN fence;
-- `accounts.kind` may be 'whatsapp' or 'linkedin': somebody to send as, and no mailbox.
