-- When mail came in. What the analytics ask by date goes by INTERNALDATE, which is a fact of a placement; the Date field is
-- what a sender claims.
CREATE INDEX placements_by_arrival ON placements (mailbox, internal_epoch, message);

-- Messages an hour by arrival. Kept by the triggers below, so that whoever places, moves or removes a message keeps it.
CREATE TABLE arrival_counts (
    mailbox  INTEGER NOT NULL,
    hour     INTEGER NOT NULL,                  -- hours since 1970
    withheld INTEGER NOT NULL,
    count    INTEGER NOT NULL,
    PRIMARY KEY (mailbox, hour, withheld)
) WITHOUT ROWID;
INSERT INTO arrival_counts
SELECT p.mailbox, p.internal_epoch / 3600 - (p.internal_epoch % 3600 < 0), m.withheld, count(*)
FROM placements p JOIN messages m ON m.id = p.message GROUP BY 1, 2, 3;

CREATE TRIGGER arrival_placed AFTER INSERT ON placements BEGIN
    INSERT INTO arrival_counts
    SELECT new.mailbox, new.internal_epoch / 3600 - (new.internal_epoch % 3600 < 0), withheld, 1
    FROM messages WHERE id = new.message
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER arrival_removed AFTER DELETE ON placements BEGIN
    UPDATE arrival_counts SET count = count - 1
    WHERE mailbox = old.mailbox AND hour = old.internal_epoch / 3600 - (old.internal_epoch % 3600 < 0)
      AND withheld = (SELECT withheld FROM messages WHERE id = old.message);
    DELETE FROM arrival_counts
    WHERE mailbox = old.mailbox AND hour = old.internal_epoch / 3600 - (old.internal_epoch % 3600 < 0) AND count = 0;
END;
CREATE TRIGGER arrival_moved AFTER UPDATE OF mailbox, internal_epoch ON placements
WHEN old.mailbox <> new.mailbox OR old.internal_epoch <> new.internal_epoch BEGIN
    INSERT INTO arrival_counts
    SELECT new.mailbox, new.internal_epoch / 3600 - (new.internal_epoch % 3600 < 0), withheld, 1
    FROM messages WHERE id = new.message
    ON CONFLICT DO UPDATE SET count = count + 1;
    UPDATE arrival_counts SET count = count - 1
    WHERE mailbox = old.mailbox AND hour = old.internal_epoch / 3600 - (old.internal_epoch % 3600 < 0)
      AND withheld = (SELECT withheld FROM messages WHERE id = old.message);
    DELETE FROM arrival_counts
    WHERE mailbox = old.mailbox AND hour = old.internal_epoch / 3600 - (old.internal_epoch % 3600 < 0) AND count = 0;
END;
CREATE TRIGGER arrival_judged AFTER UPDATE OF withheld ON messages WHEN old.withheld <> new.withheld BEGIN
    INSERT INTO arrival_counts
    SELECT mailbox, internal_epoch / 3600 - (internal_epoch % 3600 < 0), new.withheld, 1
    FROM placements WHERE message = new.id
    ON CONFLICT DO UPDATE SET count = count + 1;
    INSERT INTO arrival_counts
    SELECT mailbox, internal_epoch / 3600 - (internal_epoch % 3600 < 0), old.withheld, -1
    FROM placements WHERE message = new.id
    ON CONFLICT DO UPDATE SET count = count - 1;
    DELETE FROM arrival_counts
    WHERE count = 0 AND (mailbox, hour, withheld) IN (
        SELECT mailbox, internal_epoch / 3600 - (internal_epoch % 3600 < 0), old.withheld
        FROM placements WHERE message = new.id);
END;

-- A message without a sender has none: null, not a text without letters.
DROP VIEW emails;
CREATE VIEW emails AS
SELECT
    p.id                                                       AS id,
    mail_short_id(m.hash)                                      AS message,
    a.address                                                  AS address,
    b.name                                                     AS mailbox,
    p.uid                                                      AS uid,
    b.uidvalidity                                              AS uidvalidity,
    m.message_id                                               AS message_id,
    m.thread                                                   AS thread_id,
    m.x_gm_thrid                                               AS x_gm_thrid,
    m.x_gm_msgid                                               AS x_gm_msgid,
    CASE m.date_source WHEN 0 THEN strftime('%Y-%m-%dT%H:%M:%SZ', m.epoch, 'unixepoch') END AS date,
    strftime('%Y-%m-%dT%H:%M:%SZ', p.internal_epoch, 'unixepoch') AS internaldate,
    p.internal_epoch                                           AS internaldate_epoch,
    m.year                                                     AS year,
    m.month                                                    AS month,
    m.weekday                                                  AS weekday,
    m.hour                                                     AS hour,
    m.size                                                     AS rfc822_size,
    m.size                                                     AS size_bytes,
    (SELECT mail_raw(c.dictionary, c.envelope_length, c.text_length, c.frame)
       FROM contents c WHERE c.message = m.id)                 AS raw,
    (SELECT mail_raw(c.dictionary, c.envelope_length, c.text_length, c.frame)
       FROM contents c WHERE c.message = m.id)                 AS encoded,
    (SELECT mail_text(c.dictionary, c.envelope_length, c.text_length, c.frame)
       FROM contents c WHERE c.message = m.id)                 AS plain_text,
    m.subject                                                  AS subject,
    nullif(s.address, '')                                      AS from_email,
    nullif(s.display, '')                                      AS "from",
    nullif(s.domain, '')                                       AS from_domain,
    (SELECT json_group_array(l.name) FROM placement_labels pl JOIN label_names l ON l.id = pl.label
      WHERE pl.placement = p.id)                               AS labels_json,
    m.has_attachments                                          AS has_attachments,
    p.flags & 1                                                AS is_read,
    (p.flags & 4) / 4                                          AS is_starred,
    (p.flags & 2) / 2                                          AS is_replied,
    (p.flags & 16) / 16                                        AS is_draft,
    m.list_id                                                  AS list_id,
    (SELECT mail_envelope(c.dictionary, c.envelope_length, c.text_length, c.frame, 'to')
       FROM contents c WHERE c.message = m.id)                 AS envelope_to,
    (SELECT mail_envelope(c.dictionary, c.envelope_length, c.text_length, c.frame, 'cc')
       FROM contents c WHERE c.message = m.id)                 AS envelope_cc,
    (SELECT mail_envelope(c.dictionary, c.envelope_length, c.text_length, c.frame, 'bcc')
       FROM contents c WHERE c.message = m.id)                 AS envelope_bcc,
    (SELECT mail_envelope(c.dictionary, c.envelope_length, c.text_length, c.frame, 'reply_to')
       FROM contents c WHERE c.message = m.id)                 AS envelope_reply_to,
    (SELECT mail_envelope(c.dictionary, c.envelope_length, c.text_length, c.frame, 'in_reply_to')
       FROM contents c WHERE c.message = m.id)                 AS envelope_in_reply_to,
    (SELECT mail_envelope(c.dictionary, c.envelope_length, c.text_length, c.frame, 'references')
       FROM contents c WHERE c.message = m.id)                 AS envelope_references
FROM placements p
JOIN messages m ON m.id = p.message
JOIN senders s ON s.id = m.sender
JOIN mailboxes b ON b.id = p.mailbox
JOIN accounts a ON a.id = b.account
WHERE m.withheld = 0;
