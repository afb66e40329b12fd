//! The table of operators: the one list that the parser, help texts and the manual are made from.

use super::tree::Scope;

/// One `name:` of the search language.
#[derive(Debug, Clone, Copy)]
pub struct Operator {
    /// The name before the colon, in lower case.
    pub name: &'static str,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// A search that uses it.
    pub example: &'static str,
    pub(super) field: Field,
}

/// What an operator asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Text(Scope),
    DeliveredTo,
    Label,
    Category,
    In,
    Is,
    Has,
    Type,
    Before,
    After,
    On,
    OlderThan,
    NewerThan,
    /// A date or an age, as Gmail's `older:` and `newer:` are used.
    Older,
    Newer,
    Larger,
    Smaller,
    MessageId,
    Thread,
    List,
    Account,
}

const fn operator(
    name: &'static str,
    field: Field,
    summary: &'static str,
    example: &'static str,
) -> Operator {
    Operator { name, summary, example, field }
}

/// Every operator, in the order a manual would teach them.
pub const OPERATORS: &[Operator] = &[
    operator(
        "from",
        Field::Text(Scope::From),
        "name or address of the sender; `from:me` is any of your own",
        "from:ada",
    ),
    operator(
        "to",
        Field::Text(Scope::To),
        "name or address of any recipient: To, Cc or Bcc; `to:me` is any of your own",
        "to:bob@example.org",
    ),
    operator("cc", Field::Text(Scope::Cc), "name or address in Cc", "cc:\"Ada Lovelace\""),
    operator("bcc", Field::Text(Scope::Bcc), "name or address in Bcc", "bcc:archive"),
    operator(
        "deliveredto",
        Field::DeliveredTo,
        "any recipient, or the account that got it",
        "deliveredto:ada@example.org",
    ),
    operator("subject", Field::Text(Scope::Subject), "words of the subject", "subject:(quarterly report)"),
    operator("body", Field::Text(Scope::Body), "words of the visible body", "body:\"best regards\""),
    operator(
        "label",
        Field::Label,
        "messages with this label; also inbox, sent, drafts, trash, spam, unread, starred, important",
        "label:travel",
    ),
    operator(
        "category",
        Field::Category,
        "what Gmail sorted as primary, social, promotions, updates, forums, reservations or purchases",
        "category:promotions",
    ),
    operator("in", Field::In, "messages in this mailbox; `in:anywhere` is all of them", "in:inbox"),
    operator(
        "is",
        Field::Is,
        "a state: unread, read, starred, important, replied, draft or gone",
        "is:unread",
    ),
    operator(
        "has",
        Field::Has,
        "an attachment, pdf, image, audio, video, document, spreadsheet, presentation, userlabels, nouserlabels",
        "has:attachment",
    ),
    operator("filename", Field::Text(Scope::FileName), "words of an attachment's name", "filename:invoice"),
    operator("type", Field::Type, "attachments of this type", "type:pdf"),
    operator(
        "attachment",
        Field::Text(Scope::AttachmentText),
        "words of the text inside attachments",
        "attachment:warranty",
    ),
    operator(
        "before",
        Field::Before,
        "dated before this day, week, month or year begins; also `older:`",
        "before:2024-03-01",
    ),
    operator(
        "after",
        Field::After,
        "dated in this day, week, month or year, or later; also `newer:`",
        "after:monday",
    ),
    operator(
        "on",
        Field::On,
        "dated in this day, week, month or year, or in a range of them",
        "on:2023-01..2023-06 OR on:\"last week\"",
    ),
    operator(
        "older_than",
        Field::OlderThan,
        "older than this many h, d, w, m (months) or y",
        "older_than:7d",
    ),
    operator(
        "newer_than",
        Field::NewerThan,
        "no older than this many h, d, w, m (months) or y",
        "newer_than:2w",
    ),
    operator(
        "larger",
        Field::Larger,
        "of more bytes than this; k, M and G count in steps of 1024; also `size:`",
        "larger:2M",
    ),
    operator("smaller", Field::Smaller, "of fewer bytes than this", "smaller:500k"),
    operator(
        "rfc822msgid",
        Field::MessageId,
        "the message with this Message-ID",
        "rfc822msgid:a1@example.org",
    ),
    operator("thread", Field::Thread, "the messages of one conversation", "thread:42"),
    operator(
        "list",
        Field::List,
        "messages of this mailing list, by its List-Id",
        "list:announce.example.org",
    ),
    operator("account", Field::Account, "messages of this account", "account:ada@example.org"),
];

/// Names that Gmail has for what others here do, too.
const SECOND_NAMES: &[(&str, Field)] =
    &[("older", Field::Older), ("newer", Field::Newer), ("size", Field::Larger)];

/// Names that other mail programs use, and ours for the same thing.
const ELSEWHERE: &[(&str, &str)] = &[
    ("until", "before"),
    ("since", "after"),
    ("date", "on"),
    ("folder", "in"),
    ("mailbox", "in"),
    ("tag", "label"),
    ("sender", "from"),
    ("recipient", "to"),
    ("title", "subject"),
    ("text", "body"),
    ("file", "filename"),
    ("msgid", "rfc822msgid"),
    ("message-id", "rfc822msgid"),
];

impl Field {
    pub(super) fn named(name: &str) -> Option<Self> {
        let first = OPERATORS.iter().map(|operator| (operator.name, operator.field));
        let mut names = first.chain(SECOND_NAMES.iter().copied());
        names.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, field)| field)
    }

    /// Whether its value is a date, which may be several words.
    pub(super) fn is_date(self) -> bool {
        matches!(self, Self::Before | Self::After | Self::On | Self::Older | Self::Newer)
    }

    /// The name before the colon; `None` for text that is looked for anywhere, which has no operator.
    pub(super) fn name(self) -> Option<&'static str> {
        let second = || SECOND_NAMES.iter().find(|(_, field)| *field == self).map(|(name, _)| *name);
        self.operator().map(|operator| operator.name).or_else(second)
    }

    pub(super) fn operator(self) -> Option<&'static Operator> {
        OPERATORS.iter().find(|operator| operator.field == self)
    }
}

/// The operator somebody who typed this name most likely meant.
pub(super) fn nearest_operator(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let foreign = ELSEWHERE.iter().find(|(theirs, _)| *theirs == name);
    foreign.map(|(_, ours)| *ours).or_else(|| nearest(&name, OPERATORS.iter().map(|operator| operator.name)))
}

/// The candidate that is a slip of the finger away: one letter in a short name, two in a longer one.
pub(super) fn nearest(typed: &str, candidates: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    const LONGEST_WORTH_COMPARING: usize = 20;
    if typed.len() > LONGEST_WORTH_COMPARING {
        return None;
    }
    let reach = if typed.len() < 5 { 1 } else { 2 };
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(typed, candidate), candidate))
        .filter(|(distance, _)| *distance <= reach)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::{ELSEWHERE, Field, OPERATORS, nearest_operator};

    #[test]
    fn every_operator_is_found_by_its_name_in_any_case() {
        for operator in OPERATORS {
            assert_eq!(Field::named(&operator.name.to_uppercase()), Some(operator.field));
            assert_eq!(operator.field.name(), Some(operator.name));
        }
    }

    #[test]
    fn names_from_elsewhere_lead_to_operators_we_have_and_shadow_none() {
        for (theirs, ours) in ELSEWHERE {
            assert!(Field::named(theirs).is_none(), "{theirs}");
            assert!(Field::named(ours).is_some(), "{ours}");
        }
    }

    #[test]
    fn a_slip_of_the_finger_finds_the_operator_that_was_meant() {
        let slips = [
            ("form", Some("from")),
            ("Subjct", Some("subject")),
            ("lable", Some("label")),
            ("older-than", Some("older_than")),
            ("attachement", Some("attachment")),
            ("file_name", Some("filename")),
            ("rfc82msgid", Some("rfc822msgid")),
            ("folder", Some("in")),
            ("banana", None),
            ("x", None),
        ];
        for (typed, meant) in slips {
            assert_eq!(nearest_operator(typed), meant, "{typed}");
        }
    }
}
