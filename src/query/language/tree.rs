//! What a search means, once its spelling is forgotten.
//! Owns the normal form: nothing nested without need, no double negation, no term that filters nothing.

/// A search as a tree. Trees made by [`and`](Self::and), [`or`](Self::or) and [`negated`](Self::negated)
/// are in normal form, and so is everything the parser returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Every message.
    All,
    /// Messages that satisfy each part; two parts or more.
    And(Vec<Self>),
    /// Messages that satisfy at least one branch; two branches or more.
    Or(Vec<Self>),
    /// Messages that do not satisfy the inner query.
    Not(Box<Self>),
    /// One condition.
    Leaf(Leaf),
}

/// One condition on a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leaf {
    /// A word, matched by its stem, or a quoted phrase, matched exactly.
    Text {
        /// Where to look.
        scope: Scope,
        /// What to look for, as typed: at least one word that the index can have. Without quotes, a star right
        /// behind the last word leaves its end open.
        text: String,
        /// Whether it stood in quotes.
        exact: bool,
    },
    /// Two words that stand close to each other.
    Near(Nearness),
    /// An address of the owner's own stands here: From, To, Cc or Bcc.
    Me(Scope),
    /// The message is in this state.
    Is(State),
    /// The message is in this mailbox.
    In(String),
    /// The message carries this label.
    Label(String),
    /// Gmail sorted the message under this heading, in lower case: `promotions`.
    Category(String),
    /// The message carries a label that its owner made.
    HasUserLabels,
    /// The message belongs to this account.
    Account(String),
    /// The message belongs to this thread.
    Thread(String),
    /// The `Message-ID` header, without its angle brackets.
    MessageId(String),
    /// The `List-Id` header, without its angle brackets.
    List(String),
    /// The message has an attachment.
    HasAttachment,
    /// An attachment is of this type, in lower case: `pdf`, `image/png`.
    Type(String),
    /// The message is dated in this span of epoch seconds; at least one side is given.
    Dated {
        /// The first second that counts.
        from: Option<i64>,
        /// The first second that no longer counts.
        until: Option<i64>,
    },
    /// The message has more bytes than this.
    Larger(u64),
    /// The message has fewer bytes than this.
    Smaller(u64),
}

/// Two words that stand at most so many words apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearness {
    /// Where to look.
    pub scope: Scope,
    /// One word, matched by its stem.
    pub first: String,
    /// The other.
    pub second: String,
    /// How many words apart they may be; neighbours are one apart.
    pub within: u32,
    /// Whether the first must come first.
    pub ordered: bool,
}

/// Where a text is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Subject, people, visible body and attachment names.
    Anywhere,
    /// The sender.
    From,
    /// Any recipient: To, Cc and Bcc.
    To,
    /// The Cc header.
    Cc,
    /// The Bcc header.
    Bcc,
    /// The subject.
    Subject,
    /// The visible body.
    Body,
    /// The names of attachments.
    FileName,
    /// The text inside attachments.
    AttachmentText,
}

/// A state `is:` can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Not seen yet.
    Unread,
    /// Seen.
    Read,
    /// Starred, which IMAP calls flagged.
    Starred,
    /// Replied to, which IMAP calls answered.
    Replied,
    /// A draft.
    Draft,
    /// Marked as important, which Gmail does.
    Important,
    /// No server shows it any more.
    Gone,
}

impl Query {
    /// Messages that satisfy each of the parts; without parts, all.
    #[must_use]
    pub fn and(parts: Vec<Self>) -> Self {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::All => {}
                Self::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 | 1 => flat.pop().unwrap_or(Self::All),
            _ => Self::And(flat),
        }
    }

    /// Messages that satisfy at least one of the branches; without branches, none.
    #[must_use]
    pub fn or(branches: Vec<Self>) -> Self {
        if branches.contains(&Self::All) {
            return Self::All;
        }
        let mut flat = Vec::with_capacity(branches.len());
        for branch in branches {
            match branch {
                Self::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 | 1 => flat.pop().unwrap_or_else(|| Self::All.negated()),
            _ => Self::Or(flat),
        }
    }

    /// Messages that do not satisfy this query.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// All conditions, in the order they were written.
    #[must_use]
    pub fn leaves(&self) -> Vec<&Leaf> {
        let mut found = Vec::new();
        self.visit(true, &mut |leaf, _| found.push(leaf));
        found
    }

    /// The conditions a match is asked to satisfy, without those it is asked not to:
    /// what to rank by and what to highlight.
    #[must_use]
    pub fn positive_leaves(&self) -> Vec<&Leaf> {
        let mut found = Vec::new();
        self.visit(true, &mut |leaf, wanted| found.extend(wanted.then_some(leaf)));
        found
    }

    /// Whether matches differ in how well they match, so that the best should come first.
    /// Pure filters, people and file names among them, are listed newest first.
    #[must_use]
    pub fn is_ranked(&self) -> bool {
        self.positive_leaves().into_iter().any(Leaf::is_ranked)
    }

    fn visit<'a>(&'a self, wanted: bool, see: &mut impl FnMut(&'a Leaf, bool)) {
        match self {
            Self::All => {}
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.visit(wanted, see)),
            Self::Not(inner) => inner.visit(!wanted, see),
            Self::Leaf(leaf) => see(leaf, wanted),
        }
    }
}

impl Leaf {
    fn is_ranked(&self) -> bool {
        let (Self::Text { scope, .. } | Self::Near(Nearness { scope, .. })) = self else {
            return false;
        };
        matches!(scope, Scope::Anywhere | Scope::Subject | Scope::Body | Scope::AttachmentText)
    }

    /// Whether words are looked for.
    pub(in crate::query) fn is_text(&self) -> bool {
        matches!(self, Self::Text { .. } | Self::Near(_))
    }
}

#[cfg(test)]
mod tests {
    use super::{Leaf, Query, Scope};

    fn text(scope: Scope, text: &str) -> Query {
        Query::Leaf(Leaf::Text { scope, text: text.to_owned(), exact: false })
    }

    fn word(letter: &str) -> Query {
        text(Scope::Anywhere, letter)
    }

    #[test]
    fn nothing_is_nested_without_need() {
        let inner = Query::and(vec![word("a"), Query::All, word("b")]);

        assert_eq!(
            Query::and(vec![inner.clone(), word("c")]),
            Query::And(vec![word("a"), word("b"), word("c")])
        );
        assert_eq!(Query::or(vec![Query::or(vec![word("a"), word("b")]), word("c")]).leaves().len(), 3);
        assert_eq!(Query::and(vec![inner.clone()]), inner);
        assert_eq!(Query::or(vec![word("a")]), word("a"));
        assert_eq!(word("a").negated().negated(), word("a"));
    }

    #[test]
    fn terms_that_filter_nothing_disappear() {
        assert_eq!(Query::and(vec![]), Query::All);
        assert_eq!(Query::and(vec![Query::All, word("a")]), word("a"));
        assert_eq!(Query::or(vec![word("a"), Query::All]), Query::All);
        assert_eq!(Query::or(vec![]), Query::All.negated());
    }

    #[test]
    fn wanted_words_rank_and_filters_do_not() {
        let ranked = [Scope::Anywhere, Scope::Subject, Scope::Body, Scope::AttachmentText];
        let filters = [Scope::From, Scope::To, Scope::Cc, Scope::Bcc, Scope::FileName];

        assert!(ranked.iter().all(|scope| text(*scope, "a").is_ranked()));
        assert!(!filters.iter().any(|scope| text(*scope, "a").is_ranked()));
        assert!(!word("a").negated().is_ranked());
        assert!(Query::or(vec![word("a").negated(), word("b")]).negated().is_ranked());
    }

    #[test]
    fn leaves_come_in_the_order_they_were_written() {
        let query = Query::and(vec![word("a"), word("b").negated(), Query::or(vec![word("c"), word("d")])]);
        let letters =
            |leaves: Vec<&Leaf>| leaves.into_iter().map(|leaf| format!("{leaf}")).collect::<String>();

        assert_eq!(letters(query.leaves()), "abcd");
        assert_eq!(letters(query.positive_leaves()), "acd");
    }
}
