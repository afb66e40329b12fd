-- Messages a day by arrival; the hours stand in `arrival_counts`.
CREATE TABLE arrival_days (
    mailbox  INTEGER NOT NULL,
    day      INTEGER NOT NULL,                  -- days since 1970
    withheld INTEGER NOT NULL,
    count    INTEGER NOT NULL,
    PRIMARY KEY (mailbox, day, withheld)
) WITHOUT ROWID;
INSERT INTO arrival_days
SELECT mailbox, hour / 24 - (hour % 24 < 0), withheld, sum(count) FROM arrival_counts GROUP BY 1, 2, 3;

-- Messages a sender and day of arrival, so that nobody's frequency is counted from the messages themselves.
CREATE TABLE sender_days (
    mailbox  INTEGER NOT NULL,
    sender   INTEGER NOT NULL,
    withheld INTEGER NOT NULL,
    day      INTEGER NOT NULL,                  -- days since 1970, by INTERNALDATE
    count    INTEGER NOT NULL,
    PRIMARY KEY (mailbox, sender, withheld, day)
) WITHOUT ROWID;
INSERT INTO sender_days
SELECT p.mailbox, m.sender, m.withheld, p.internal_epoch / 86400 - (p.internal_epoch % 86400 < 0), count(*)
FROM placements p JOIN messages m ON m.id = p.message GROUP BY 1, 2, 3, 4;

-- The most that a sender wrote in a day: whoever looks for the busiest need not look at the days of the others.
ALTER TABLE sender_counts ADD COLUMN peak INTEGER NOT NULL DEFAULT 0;
UPDATE sender_counts SET peak = coalesce((
    SELECT max(d.count) FROM sender_days d
    WHERE d.mailbox = sender_counts.mailbox AND d.sender = sender_counts.sender AND d.withheld = sender_counts.withheld), 0);

-- Arrivals are gathered and written with the other counts, once a transaction.
DROP TRIGGER arrival_placed;
DROP TRIGGER arrival_removed;
DROP TRIGGER arrival_moved;
DROP TRIGGER arrival_judged;
