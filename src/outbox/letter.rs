//! An item whole, as it would leave. Everything is read from the frozen bytes and the envelope, which is what a yes is to;
//! what other columns say about it is not believed.

use crate::drafts::{Contents, FileContents, HtmlContents};
use crate::model::{Address, Channel, DraftHash, ItemHash, Recipients};
use crate::outbox::OutboxError;
use crate::outbox::channels::Reading;
use crate::outbox::overview::Line;
use crate::parse;
use crate::store::{Item, Reader};

/// A letter that waits, or has left.
#[derive(Debug, Clone)]
pub struct Letter {
    /// As a list shows it.
    pub line: Line,
    /// What a yes is a yes to.
    pub hash: ItemHash,
    /// What kind of message it is.
    pub channel: Channel,
    /// The account it leaves from.
    pub account: String,
    /// From, as it stands in the letter.
    pub from: Vec<String>,
    /// Where answers go, if not there.
    pub reply_to: Vec<String>,
    /// Who gets it, by the envelope.
    pub recipients: Recipients,
    /// Its subject.
    pub subject: String,
    /// Its text as a person reads it.
    pub text: String,
    /// Its HTML, if it has any.
    pub html: Option<Html>,
    /// What is attached.
    pub files: Vec<FileContents>,
    /// The Message-ID it answers.
    pub answers: Option<String>,
    /// What it leaves by.
    pub route: String,
    /// Who asked and with what; empty: the person.
    pub asked_by: String,
    /// Whether it may go to some recipients when others are refused.
    pub may_be_partial: bool,
    /// The bytes that leave, all but the date.
    pub bytes: Vec<u8>,
}

/// A letter's HTML.
#[derive(Debug, Clone)]
pub struct Html {
    /// As it is sent.
    pub source: String,
    /// What a person reads there, if that is not what the text says.
    pub other_text: Option<String>,
}

impl Letter {
    /// Reads an item. One that is not what its hash says is nothing to say yes to.
    pub(super) fn of(reader: &Reader, item: &Item) -> Result<Self, OutboxError> {
        let draft = &item.draft;
        let bytes = reader.draft_bytes(draft.key, draft.revision)?.unwrap_or_default();
        let content = DraftHash::of(&draft.account, &draft.from.address, &draft.recipients, &bytes);
        let hash = ItemHash::of(item.channel, &content, &item.route, item.may_be_partial);
        if hash != item.hash() {
            return Err(OutboxError::Changed { id: draft.id.to_string() });
        }
        Ok(Self::read(item, hash, bytes))
    }

    fn read(item: &Item, hash: ItemHash, bytes: Vec<u8>) -> Self {
        let Reading { message, contents } = Reading::of(&item.route, &bytes);
        let Contents { text, html, files } = contents;
        let shown = |list: &[Address]| list.iter().map(Address::shown).collect();
        let origin = [&item.origin.client, &item.origin.profile, &item.origin.tool];
        Self {
            line: Line::of(item),
            hash,
            channel: item.channel,
            account: item.draft.account.clone(),
            from: shown(&message.from),
            reply_to: shown(&message.reply_to),
            recipients: item.draft.recipients.clone(),
            subject: message.subject.clone(),
            text,
            html: html.map(Html::of),
            files,
            answers: message.in_reply_to.first().cloned(),
            route: item.route.to_string(),
            asked_by: origin.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", "),
            may_be_partial: item.may_be_partial,
            bytes,
        }
    }

    /// The bytes of an attached file, by its part.
    #[must_use]
    pub fn file(&self, part: &str) -> Option<Vec<u8>> {
        self.files
            .iter()
            .find(|file| file.part == part)
            .and_then(|file| parse::part_bytes(&self.bytes, &file.part))
    }
}

impl Html {
    /// It says something else also where it strikes a word through or raises a digit.
    fn of(html: HtmlContents) -> Self {
        let other_text = (!html.is_same_as_text).then(|| html.as_text());
        Self { source: html.source, other_text }
    }
}
