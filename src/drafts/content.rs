//! Everything that a revision is made of, checked, and how it becomes bytes and a hash.

use crate::drafts::attachment::{self, Attached, Files, LARGEST_MESSAGE, MESSAGE};
use crate::drafts::forward::Passed;
use crate::drafts::mime::{self, Letter};
use crate::drafts::reply::Parent;
use crate::drafts::sender::Sender;
use crate::drafts::{DraftChange, DraftError, NewDraft, html, recipient, subject};
use crate::model::{
    Address, Attachment, DateHints, Draft, DraftAttachment, DraftHash, FitMessage, Recipients,
};
use crate::parse;
use crate::store::Revision;
use crate::text_safety::{is_invisible, one_line};

const LONGEST_SUBJECT: usize = 1000;
const LONGEST_BODY: usize = 10 << 20;

/// What a revision is made of.
pub(super) struct Content {
    pub(super) account: String,
    pub(super) from: Address,
    pub(super) message_id: String,
    pub(super) epoch: i64,
    pub(super) recipients: Recipients,
    pub(super) reply_to: Option<Address>,
    pub(super) subject: String,
    pub(super) body: Body,
    pub(super) attachments: Vec<Attached>,
    pub(super) in_reply_to: Vec<String>,
    pub(super) references: Vec<String>,
}

/// Text, and HTML beside it.
#[derive(Default)]
pub(super) struct Body {
    text: String,
    html: Option<String>,
    removed: u32,
}

impl Body {
    /// What was given; a text that was left out is made of the HTML.
    pub(super) fn given(text: &str, html: Option<&str>) -> Result<Self, DraftError> {
        let text = checked_body(text)?;
        let Some(html) = html.filter(|html| !html.trim().is_empty()) else {
            return Ok(Self { text, ..Self::default() });
        };
        let safe = html::made_safe(html)?;
        let text = if text.trim().is_empty() { safe.text } else { text };
        Ok(Self { text, html: Some(safe.html), removed: safe.removed })
    }

    /// What was given, with the message that is passed on below it.
    pub(super) fn of(new: &NewDraft, passed: Option<&Passed>) -> Result<Self, DraftError> {
        let Some(passed) = passed else { return Self::given(&new.body, new.html.as_deref()) };
        let html = new.html.as_deref().filter(|html| !html.trim().is_empty());
        let own = Self::given(&new.body, html)?;
        let below = own.html.as_deref().map(|html| passed.below_html(html));
        let body = Self::given(&passed.below(&own.text), below.as_deref())?;
        Ok(Self { removed: own.removed, ..body })
    }

    /// That of a draft after a change: new words never leave together with old ones. HTML that stays is made safe again.
    fn changed(draft: &Draft, change: &DraftChange) -> Result<Self, DraftError> {
        match (&change.body, &change.html) {
            (None, None) => {
                let kept = Self::given(&draft.body, draft.html.as_deref())?;
                Ok(Self { removed: draft.html_removed.saturating_add(kept.removed), ..kept })
            }
            (None, Some(html)) if html.trim().is_empty() => Self::given(&draft.body, None),
            (text, html) => Self::given(text.as_deref().unwrap_or_default(), html.as_deref()),
        }
    }
}

/// A draft that is changed, and what its change may use.
pub(super) struct Before<'a> {
    pub(super) draft: &'a Draft,
    /// The bytes of its newest revision.
    pub(super) raw: &'a [u8],
    pub(super) sender: &'a Sender,
    pub(super) files: &'a Files<'a>,
}

/// The bytes that would leave, and what is known about them.
pub(super) struct Frozen {
    pub(super) raw: Vec<u8>,
    pub(super) hash: DraftHash,
    attachments: Vec<DraftAttachment>,
}

impl Content {
    /// The content of a draft after a change; its place in the conversation is read from its own bytes.
    pub(super) fn changed(before: &Before<'_>, change: &DraftChange, epoch: i64) -> Result<Self, DraftError> {
        let Before { draft, raw, sender, files } = *before;
        let parsed = parse::message(raw, &DateHints::default());
        let reply_to = match &change.reply_to_address {
            Some(given) => reply_to(Some(given))?,
            None => parsed.reply_to.into_iter().next(),
        };
        Ok(Self {
            account: draft.account.clone(),
            from: match &change.from {
                Some(from) => sender.asked_for(from)?,
                None => sender.still_allows(&draft.from)?,
            },
            message_id: draft.message_id.clone(),
            epoch,
            recipients: changed_recipients(draft, change)?,
            reply_to,
            subject: change.subject.as_deref().map_or_else(|| Ok(draft.subject.clone()), checked_subject)?,
            body: Body::changed(draft, change)?,
            attachments: match &change.attachments {
                Some(wanted) => files.take(wanted)?,
                None => attachment::of_draft(draft, raw),
            },
            in_reply_to: parsed.in_reply_to,
            references: parsed.references,
        })
    }

    /// The bytes that would leave, without a date, and what stands for all of it.
    pub(super) fn freeze(&self) -> Result<Frozen, DraftError> {
        if self.recipients.is_empty() {
            return Err(DraftError::NoRecipient);
        }
        let raw = mime::freeze(&Letter {
            from: &self.from,
            recipients: &self.recipients,
            reply_to: self.reply_to.as_ref(),
            subject: &self.subject,
            text: &self.body.text,
            html: self.body.html.as_deref(),
            attachments: &self.attachments,
            message_id: &self.message_id,
            in_reply_to: &self.in_reply_to,
            references: &self.references,
        });
        FitMessage::new(&raw)?;
        if raw.len() > LARGEST_MESSAGE {
            return Err(DraftError::TooLarge { size: raw.len(), limit: LARGEST_MESSAGE });
        }
        let hash = DraftHash::of(&self.account, &self.from.address, &self.recipients, &raw);
        // The body is the first part.
        let numbered = |(index, file): (usize, &Attached)| file.described((index + 2).to_string());
        let attachments: Vec<_> = self.attachments.iter().enumerate().map(numbered).collect();
        refuse_unlisted(&raw, &attachments)?;
        Ok(Frozen { raw, hash, attachments })
    }

    /// What is stored of it.
    pub(super) fn revision<'a>(&'a self, frozen: &'a Frozen) -> Revision<'a> {
        Revision {
            epoch: self.epoch,
            from: &self.from,
            recipients: &self.recipients,
            subject: &self.subject,
            body: &self.body.text,
            html: self.body.html.as_deref(),
            html_removed: self.body.removed,
            attachments: &frozen.attachments,
            hash: frozen.hash,
            raw: &frozen.raw,
        }
    }
}

/// Refuses a message whose files are not all listed when its bytes are read: who decides about it would not see them.
fn refuse_unlisted(raw: &[u8], attachments: &[DraftAttachment]) -> Result<(), DraftError> {
    if attachments.is_empty() {
        return Ok(());
    }
    let listed = parse::message(raw, &DateHints::default()).attachments;
    let is_listed = |file: &&DraftAttachment| {
        let is_it = |seen: &Attachment| seen.hash.to_hex() == file.sha256 || file.content_type == MESSAGE;
        listed.iter().any(|seen| seen.part == file.part && is_it(seen))
    };
    match attachments.iter().find(|file| !is_listed(file)) {
        None => Ok(()),
        Some(file) => Err(DraftError::BadAttachment {
            name: one_line(&file.name),
            problem: "it would not be shown, because a message before it has too many parts",
        }),
    }
}

fn changed_recipients(draft: &Draft, change: &DraftChange) -> Result<Recipients, DraftError> {
    let list = |field, given: &Option<Vec<String>>, kept: &[_]| match given {
        Some(items) => recipient::read(field, items),
        None => Ok(kept.to_vec()),
    };
    recipient::each_once(Recipients {
        to: list("to", &change.to, &draft.recipients.to)?,
        cc: list("cc", &change.cc, &draft.recipients.cc)?,
        bcc: list("bcc", &change.bcc, &draft.recipients.bcc)?,
    })
}

/// Where answers are to go.
pub(super) fn reply_to(given: Option<&str>) -> Result<Option<Address>, DraftError> {
    let given = given.map(str::trim).filter(|given| !given.is_empty());
    given.map(|given| recipient::read_address("reply_to_address", given)).transpose()
}

/// The subject that was given, or that of the message which is answered or passed on.
pub(super) fn subject_of(
    new: &NewDraft,
    parent: Option<&Parent>,
    passed: Option<&Passed>,
) -> Result<String, DraftError> {
    let given = checked_subject(&new.subject)?;
    Ok(match (parent, passed) {
        (Some(parent), _) if given.is_empty() => subject::reply_to(&visible(&parent.subject)),
        (Some(parent), _) => subject::given_for_reply(&given, &visible(&parent.subject)),
        (None, Some(passed)) if given.is_empty() => subject::forwarded(&visible(&passed.subject)),
        (None, _) => given,
    })
}

/// A stranger's subject without what nobody sees, no longer than ours may be.
fn visible(subject: &str) -> String {
    let room = LONGEST_SUBJECT - "Fwd: ".len();
    one_line(subject).chars().filter(|c| !is_invisible(*c)).take(room).collect()
}

fn checked_subject(subject: &str) -> Result<String, DraftError> {
    let subject = subject.trim();
    recipient::refuse_hidden("subject", subject)?;
    let length = subject.chars().count();
    if length > LONGEST_SUBJECT {
        return Err(DraftError::TooLong { field: "subject", length, limit: LONGEST_SUBJECT });
    }
    Ok(subject.to_owned())
}

fn checked_body(body: &str) -> Result<String, DraftError> {
    if body.len() > LONGEST_BODY {
        return Err(DraftError::TooLong { field: "body", length: body.len(), limit: LONGEST_BODY });
    }
    recipient::refuse_unseen("body", body)?;
    Ok(body.to_owned())
}
