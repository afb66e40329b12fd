-- The public names: what `mailkeep sql` and the SQL tools may read, and nothing else. Withheld mail is not in them.
-- Functions that start with `mail_` are mailkeep's own (src/store/functions.rs).

-- One row for each message in each mailbox.
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
    s.address                                                  AS from_email,
    s.display                                                  AS "from",
    s.domain                                                   AS from_domain,
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

-- One row for each thread.
CREATE VIEW threads AS
SELECT
    thread                                                AS thread_id,
    count(*)                                              AS message_count,
    strftime('%Y-%m-%dT%H:%M:%SZ', min(epoch), 'unixepoch') AS first_date,
    strftime('%Y-%m-%dT%H:%M:%SZ', max(epoch), 'unixepoch') AS last_date,
    sum(size)                                             AS size_bytes
FROM messages
WHERE withheld = 0
GROUP BY thread;

-- One row for each attachment of each message.
CREATE VIEW attachments AS
SELECT
    mail_short_id(m.hash) AS message,
    m.message_id          AS message_id,
    t.part                AS part,
    t.name                AS name,
    t.content_type        AS content_type,
    t.size                AS size_bytes,
    lower(hex(t.hash))    AS sha256,
    t.counts              AS is_attachment
FROM parts t
JOIN messages m ON m.id = t.message
WHERE m.withheld = 0;

-- One row for each label of each account, with how many messages carry it.
CREATE VIEW labels AS
SELECT
    a.address AS address,
    l.name    AS label,
    (SELECT count(*) FROM placement_labels pl JOIN placements p ON p.id = pl.placement
      JOIN messages m ON m.id = p.message WHERE pl.label = l.id AND m.withheld = 0) AS count
FROM label_names l
JOIN accounts a ON a.id = l.account;

-- Messages per day and mailbox.
CREATE VIEW daily_counts AS
SELECT
    a.address                                     AS address,
    b.name                                        AS mailbox,
    date(d.day * 86400, 'unixepoch')              AS day,
    d.count                                       AS count
FROM day_counts d
JOIN mailboxes b ON b.id = d.mailbox
JOIN accounts a ON a.id = b.account
WHERE d.withheld = 0;
