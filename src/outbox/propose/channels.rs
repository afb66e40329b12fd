//! Asks the owner about what is no mail of theirs: a message on WhatsApp, a post on LinkedIn, a request to leave a list. It is
//! written down and proposed in one step; nobody finds it half done.

use crate::drafts::Drafts;
use crate::model::{Channel, MessageKey};
use crate::outbox::channels::linkedin::Visibility;
use crate::outbox::channels::{Composed, linkedin, unsubscribe, whatsapp};
use crate::outbox::propose::{OutboxError, Proposals, Proposed, Putting, Request, same};
use crate::parse;
use crate::parse::authentication::MailServer;

/// So much of a message is read for how its list can be left.
const HEADER: usize = 1 << 20;

/// Which way of leaving a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WayOut {
    /// The one request, or else the mail.
    Any,
    /// The mail that the list asks for.
    Mail,
}

impl Proposals {
    /// Asks to send a text to a number on WhatsApp.
    pub fn propose_whatsapp(&self, to: &str, text: &str, request: &Request) -> Result<Proposed, OutboxError> {
        let access = self.routes.whatsapp.as_ref().ok_or_else(|| self.no_access("whatsapp"))?;
        self.file(&whatsapp::compose(access, to, text)?, request)
    }

    /// Asks to post a text on LinkedIn.
    pub fn propose_post(
        &self,
        text: &str,
        visibility: Visibility,
        request: &Request,
    ) -> Result<Proposed, OutboxError> {
        let access = self.routes.linkedin.as_ref().ok_or_else(|| self.no_access("linkedin"))?;
        self.file(&linkedin::compose(access, text, visibility)?, request)
    }

    /// Asks to leave the list that a message of this account came from.
    pub fn propose_unsubscribe(
        &self,
        message: MessageKey,
        account: &str,
        way: WayOut,
        request: &Request,
    ) -> Result<Proposed, OutboxError> {
        let reader = self.approvals.connections().reader()?;
        let header = reader.raw_up_to(message, HEADER)?;
        let server = MailServer::of(account, reader.mail_host(account)?.as_deref());
        drop(reader);
        let offer = parse::unsubscribe::offer(&header, &server);
        match (&offer.one_click, &offer.mail) {
            (Ok(url), _) if way == WayOut::Any => {
                self.file(&unsubscribe::one_click(account, &offer.list, url, message), request)
            }
            (_, Ok(mailto)) => self.mail_list(&unsubscribe::mail(account, mailto), request),
            (Ok(_), Err(reason)) => Err(OutboxError::NoOffer { reasons: format!("by mail: {reason}") }),
            (Err(click), Err(mail)) => {
                Err(OutboxError::NoOffer { reasons: format!("with one click: {click}; by mail: {mail}") })
            }
        }
    }

    /// Proposes the mail that a list asks for. What cannot be proposed leaves nothing behind.
    fn mail_list(&self, mail: &crate::drafts::NewDraft, request: &Request) -> Result<Proposed, OutboxError> {
        let id = Drafts::new(&self.home, self.clock.clone()).create_on(Channel::Unsubscribe, mail)?;
        let asked = self.propose(&id.to_string(), &Request { is_new: true, ..request.clone() });
        if asked.is_err() {
            self.forget(id)?;
        }
        asked
    }

    fn forget(&self, id: crate::model::DraftId) -> Result<(), OutboxError> {
        let known = self.approvals.connections().reader()?.draft_on_any_channel(id)?;
        let mut store = self.approvals.connections().writer()?;
        let tx = store.begin()?;
        if let Some((draft, _)) = known {
            tx.delete_draft(draft.key)?;
        }
        tx.commit()?;
        Ok(())
    }

    /// Writes something new down and proposes it, unless the same is under way.
    fn file(&self, composed: &Composed, request: &Request) -> Result<Proposed, OutboxError> {
        let content = composed.content();
        let id = self.approvals.connections().reader()?.fresh_draft_id()?;
        let mut store = self.approvals.connections().writer()?;
        let tx = store.begin()?;
        if let Some(item) = same(&tx, None, request, &content)? {
            return Ok(Proposed { item, is_duplicate: true });
        }
        composed.keep(&tx, id, self.clock.now().as_second())?;
        let unknown = || OutboxError::UnknownItem { id: id.to_string() };
        let (draft, channel) = tx.draft_on_any_channel(id)?.ok_or_else(unknown)?;
        self.enter(tx, &Putting { draft: &draft, channel, route: &composed.route, content, request })
    }

    fn no_access(&self, profile: &str) -> OutboxError {
        match &self.routes.missing {
            Some(missing) => OutboxError::NoAccess { problem: missing.problem.clone(), hint: missing.hint },
            None => OutboxError::NoAccess {
                problem: format!(
                    "this process serves other tools, too, and has no credentials of `{profile}`"
                ),
                hint: "run each channel as a server of its own: `mailkeep mcp --profile whatsapp`, `--profile linkedin`",
            },
        }
    }
}
