//! The drafts that were written here. They are no messages: only searches that ask for drafts find them, and
//! `folder: drafts` means these together with the messages in mailboxes for drafts.

use std::collections::HashSet;

use serde::Serialize;

use crate::model::{AccountKey, Address, Draft, DraftAttachment, DraftId};
use crate::query::search::{Page, iso_date};
use crate::query::{Archive, QueryError};

/// A page of drafts.
#[derive(Debug, Clone, Serialize)]
pub struct DraftList {
    /// How many there are.
    pub total: u64,
    /// The page that was asked for, newest first.
    pub items: Vec<DraftItem>,
}

/// A draft at its newest revision, as answers print it.
#[derive(Debug, Clone, Serialize)]
pub struct DraftItem {
    /// Its id; edits keep it.
    pub id: String,
    /// Address of the account it will leave from.
    pub account: String,
    /// Who it is from.
    pub from: String,
    /// How far it is on its way out.
    pub state: &'static str,
    /// Counts from 1; every edit adds one.
    pub revision: i64,
    /// When it was first written, in UTC.
    pub created: String,
    /// When this revision was written, in UTC.
    pub updated: String,
    /// To.
    pub to: Vec<String>,
    /// Cc.
    pub cc: Vec<String>,
    /// Bcc.
    pub bcc: Vec<String>,
    /// Subject.
    pub subject: String,
    /// Text as it was given, or as it was made of the HTML.
    pub body: String,
    /// The HTML beside it, made safe.
    pub html: Option<String>,
    /// How many things were taken out of the HTML to make it safe.
    pub html_removed: u32,
    /// What is attached.
    pub attachments: Vec<DraftAttachment>,
    /// Its Message-ID without angle brackets.
    pub message_id: String,
    /// Short id of the message it replies to.
    pub reply_to: Option<String>,
    /// The thread it replies in, as `thread:` takes it.
    pub thread: Option<String>,
    /// Stands for everything that would leave.
    pub sha256: String,
    /// How its copy on the server fares: `on_server`, `waiting`, or what is wrong; nothing where there is no server.
    pub server: Option<String>,
    /// What is wrong with the copy on the server, for a person.
    pub problem: Option<String>,
    /// When the server will have it, as far as the caller knows more than that the next sync takes it there.
    #[serde(skip)]
    pub arrives: Option<String>,
}

impl Archive {
    /// Drafts, newest first; `account` restricts them to one account.
    pub fn drafts(&mut self, account: Option<&str>, page: Page) -> Result<DraftList, QueryError> {
        self.look_again()?;
        let account = account
            .filter(|_| !self.reader.is_stand_in())
            .map(|address| self.account(address))
            .transpose()?;
        let drafts = self.reader.drafts(account, page.limit, page.offset)?;
        let items = drafts.into_iter().map(|draft| self.draft_item(draft)).collect::<Result<_, _>>()?;
        Ok(DraftList { total: self.reader.count_drafts(account)?, items })
    }

    /// One draft; `None` when there is no such draft.
    pub fn draft(&mut self, id: &str) -> Result<Option<DraftItem>, QueryError> {
        self.look_again()?;
        let Some(id) = DraftId::parse(id.trim()) else { return Ok(None) };
        self.reader.draft(id)?.map(|draft| self.draft_item(draft)).transpose()
    }

    /// The short ids of messages that are copies on the server of drafts that were written here.
    pub fn copies_of_drafts(&self, account: AccountKey) -> Result<HashSet<String>, QueryError> {
        let copies = self.reader.draft_copies(account)?;
        Ok(copies.into_iter().map(|id| id.to_string()).collect())
    }

    fn draft_item(&self, draft: Draft) -> Result<DraftItem, QueryError> {
        let copy = self.reader.copy_state(draft.key)?;
        let (server, problem) = copy.map_or((None, None), |copy| (Some(copy.state), copy.problem));
        Ok(DraftItem { server, problem, ..DraftItem::of(draft) })
    }
}

impl DraftItem {
    /// Where the draft really is, for a sentence that begins with it.
    #[must_use]
    pub fn whereabouts(&self) -> String {
        match (self.server.as_deref(), &self.problem) {
            (None, _) => "in mailkeep".to_owned(),
            (Some("on_server"), _) => {
                format!("in mailkeep and in the Drafts of {} on the server", self.account)
            }
            (Some(_), Some(problem)) => format!("in mailkeep; as for the server: {problem}"),
            (Some(_), None) => {
                let when = self.arrives.as_deref().unwrap_or("with the next sync");
                format!("in mailkeep; it reaches the Drafts of {} on the server {when}", self.account)
            }
        }
    }

    fn of(draft: Draft) -> Self {
        let shown = |list: &[Address]| list.iter().map(Address::to_string).collect();
        Self {
            id: draft.id.to_string(),
            account: draft.account,
            from: draft.from.to_string(),
            state: draft.state.name(),
            revision: draft.revision,
            created: iso_date(draft.created),
            updated: iso_date(draft.updated),
            to: shown(&draft.recipients.to),
            cc: shown(&draft.recipients.cc),
            bcc: shown(&draft.recipients.bcc),
            subject: draft.subject,
            body: draft.body,
            html: draft.html,
            html_removed: draft.html_removed,
            attachments: draft.attachments,
            message_id: draft.message_id,
            reply_to: draft.answers.map(|answered| answered.message.to_string()),
            thread: draft.answers.map(|answered| format!("t{}", answered.thread.0)),
            sha256: draft.hash.0.to_hex(),
            server: None,
            problem: None,
            arrives: None,
        }
    }
}
