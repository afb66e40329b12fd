//! What the tools give back, field by field: the output schema that clients are shown and the page that people read come
//! from these lists.

use serde_json::{Map, Value, json};

/// A field of an object.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) about: &'static str,
    /// Whether it may be left out.
    optional: bool,
}

/// What a field holds.
pub(super) enum Kind {
    Integer,
    Number,
    Text,
    Flag,
    MaybeInteger,
    MaybeText,
    Integers,
    Texts,
    Object(&'static [Field]),
    Rows(&'static [Field]),
    /// Objects whose fields depend on what was asked.
    AnyRows,
}

impl Kind {
    /// As people write it.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Text => "string",
            Self::Flag => "boolean",
            Self::MaybeInteger => "integer or null",
            Self::MaybeText => "string or null",
            Self::Integers => "array of integers",
            Self::Texts => "array of strings",
            Self::Object(_) => "object",
            Self::Rows(_) | Self::AnyRows => "array of objects",
        }
    }

    fn schema(&self) -> Value {
        match self {
            Self::Integer => json!({ "type": "integer" }),
            Self::Number => json!({ "type": "number" }),
            Self::Text => json!({ "type": "string" }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::MaybeInteger => json!({ "type": ["integer", "null"] }),
            Self::MaybeText => json!({ "type": ["string", "null"] }),
            Self::Integers => json!({ "type": "array", "items": { "type": "integer" } }),
            Self::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Self::Object(fields) => object(fields.iter()),
            Self::Rows(fields) => json!({ "type": "array", "items": object(fields.iter()) }),
            Self::AnyRows => json!({ "type": "array", "items": { "type": "object" } }),
        }
    }
}

impl Field {
    const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, about, optional: false }
    }

    const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    pub(super) const fn is_optional(&self) -> bool {
        self.optional
    }
}

/// What a tool gives back.
pub(super) struct Shape {
    /// Whether it is a list of objects.
    pub(super) is_list: bool,
    /// The fields of an object, in their order.
    pub(super) parts: &'static [&'static [Field]],
}

impl Shape {
    pub(super) const fn list(parts: &'static [&'static [Field]]) -> Self {
        Self { is_list: true, parts }
    }

    pub(super) const fn object(parts: &'static [&'static [Field]]) -> Self {
        Self { is_list: false, parts }
    }

    /// The JSON Schema of the structured result, where a list stands under `items`.
    pub(super) fn schema(&self) -> Value {
        let object = object(self.parts.iter().copied().flatten());
        if !self.is_list {
            return object;
        }
        let items = json!({ "type": "array", "items": object });
        json!({ "type": "object", "properties": { "items": items }, "required": ["items"] })
    }
}

fn object<'a>(fields: impl Iterator<Item = &'a Field>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in fields {
        properties.insert(field.name.to_owned(), field.kind.schema());
        if !field.is_optional() {
            required.push(field.name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// What every list of messages has.
pub(super) const MESSAGE: &[Field] = &[
    Field::new("id", Kind::Integer, "number of the message in its mailbox; `db.get_email_full` takes it"),
    Field::new("address", Kind::Text, "address of the account"),
    Field::new("mailbox", Kind::Text, "name of the mailbox"),
    Field::new("uid", Kind::Integer, "IMAP UID in the mailbox; mail from files has numbers of its own"),
    Field::new("uidvalidity", Kind::Integer, "UIDVALIDITY of the mailbox"),
    Field::new("message_id", Kind::MaybeText, "Message-ID without angle brackets; null when there is none"),
    Field::new("x_gm_msgid", Kind::MaybeInteger, "Gmail's message id; null outside Gmail"),
    Field::new(
        "date",
        Kind::MaybeText,
        "the Date field, ISO 8601, UTC; null when there is none that can be read",
    ),
    Field::new("internaldate", Kind::Text, "when it came into the mailbox, ISO 8601, UTC"),
    Field::new("internaldate_epoch", Kind::Integer, "the same in seconds since 1970"),
    Field::new("from", Kind::MaybeText, "sender as written; null when there is none"),
    Field::new("subject", Kind::MaybeText, "subject; null when there is none, which is not an empty one"),
];
pub(super) const RFC822_SIZE: &[Field] =
    &[Field::new("rfc822_size", Kind::Integer, "bytes of the raw message")];
pub(super) const SIZE_BYTES: &[Field] =
    &[Field::new("size_bytes", Kind::Integer, "bytes of the raw message, `length(encoded)`")];
pub(super) const SCORE: &[Field] =
    &[Field::new("score", Kind::Number, "distance from the query: less is better")];
pub(super) const KEYWORDS: &[Field] = &[
    Field::new("keyword_match_count", Kind::Integer, "how many of the keywords it holds"),
    Field::new("keyword_match_score", Kind::Integer, "how often it holds them"),
];
pub(super) const CONTENT: &[Field] = &[
    Field::new("x_gm_thrid", Kind::MaybeInteger, "Gmail's thread id; null outside Gmail"),
    Field::new(
        "encoded",
        Kind::MaybeText,
        "the message as received, bytes that are not UTF-8 replaced; null under `mcp --profile db`",
    ),
    Field::new("encoded_base64", Kind::Text, "the very bytes, where `encoded` had to replace some")
        .optional(),
    Field::new(
        "encoded_truncated",
        Kind::Flag,
        "true where `encoded` ends early, because the message is longer than an answer may be (7 MiB)",
    )
    .optional(),
    Field::new("encoded_file", Kind::Text, "then a file with all of the message, kept for an hour")
        .optional(),
    Field::new("envelope_to", Kind::Texts, "To"),
    Field::new("envelope_cc", Kind::Texts, "Cc"),
    Field::new("envelope_bcc", Kind::Texts, "Bcc"),
    Field::new("envelope_reply_to", Kind::Texts, "Reply-To"),
    Field::new("envelope_in_reply_to", Kind::MaybeText, "first Message-ID of In-Reply-To"),
    Field::new("envelope_references", Kind::Texts, "Message-IDs of References, oldest first"),
];
const COUNT: Field = Field::new("count", Kind::Integer, "how many messages");
pub(super) const ONLY_COUNT: &[Field] = &[COUNT];
pub(super) const SENDERS: &[Field] =
    &[Field::new("from", Kind::MaybeText, "sender as written; null for messages that name none"), COUNT];
pub(super) const DOMAINS: &[Field] =
    &[Field::new("domain", Kind::Text, "domain of the sender's address"), COUNT];
pub(super) const MAILBOXES: &[Field] =
    &[Field::new("mailbox", Kind::Text, "name; those of several accounts are added up"), COUNT];
pub(super) const PERIODS: &[Field] =
    &[Field::new("period", Kind::Text, "`YYYY-MM-DD`, `YYYY-MM` or `YYYY`"), COUNT];
const RANGE: &[Field] = &[
    Field::new("earliest", Kind::MaybeText, "internaldate of the first message"),
    Field::new("latest", Kind::MaybeText, "internaldate of the last one"),
];
pub(super) const STATS: &[Field] = &[
    Field::new("total_emails", Kind::Integer, "how many messages"),
    Field::new(
        "date_range",
        Kind::Object(RANGE),
        "`earliest` and `latest` internaldate; null when there is no mail",
    ),
    Field::new("top_senders", Kind::Rows(SENDERS), "as `db.get_top_senders`"),
    Field::new("top_domains", Kind::Rows(DOMAINS), "as `db.get_top_domains`"),
    Field::new("mailbox_distribution", Kind::Rows(MAILBOXES), "as `db.get_mailbox_stats`"),
];
pub(super) const HEATMAP: &[Field] = &[
    Field::new("hour", Kind::Integer, "0 to 23, UTC"),
    Field::new("day_of_week", Kind::Text, "`Sun` to `Sat`"),
    Field::new("day_number", Kind::Integer, "0 for Sunday to 6 for Saturday"),
    COUNT,
];
pub(super) const RESPONSES: &[Field] = &[
    Field::new("thread_id", Kind::Integer, "number of the thread"),
    Field::new("subject", Kind::Text, "subject of the answer"),
    Field::new("from", Kind::Text, "who was answered"),
    Field::new("to", Kind::Text, "who answered"),
    Field::new("sent_at", Kind::Text, "Date of the message that was answered"),
    Field::new("replied_at", Kind::Text, "Date of the answer"),
    Field::new("response_seconds", Kind::Integer, "seconds between the two"),
];
pub(super) const FREQUENCY: &[Field] = &[
    Field::new("sender", Kind::MaybeText, "sender as written; null for messages that name none"),
    Field::new("period", Kind::Text, "`YYYY-MM-DD`, `YYYY-MM` or `YYYY`"),
    COUNT,
];
pub(super) const SEASONS: &[Field] = &[
    Field::new("year", Kind::Integer, "year"),
    Field::new("month", Kind::Integer, "1 to 12"),
    Field::new("month_name", Kind::Text, "`January` to `December`"),
    Field::new("season", Kind::Text, "`Winter` from December on, `Spring`, `Summer`, `Fall`"),
    COUNT,
];
pub(super) const DUPLICATES: &[Field] = &[
    Field::new("similarity_field", Kind::Text, "the subject or Message-ID that they share"),
    Field::new("duplicate_count", Kind::Integer, "how many there are"),
    Field::new("email_ids", Kind::Integers, "their `id`s, at most as many as a list may have"),
];
pub(super) const SQL: &[Field] = &[
    Field::new("query", Kind::Text, "the statement as given"),
    Field::new("row_count", Kind::Integer, "how many rows follow"),
    Field::new(
        "rows",
        Kind::AnyRows,
        "column name to value; a value that is no UTF-8 text has a second column `NAME_base64` beside it",
    ),
    Field::new("truncated", Kind::Flag, "true where there were more rows than a list may have").optional(),
];
