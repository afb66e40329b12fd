//! Messages that we put on the server: appended, found again by their Message-ID, removed one at a time.

use crate::model::UidSet;
use crate::source::SourceError;
use crate::source::imap::ImapSource;
use crate::source::imap::mailboxes::quoted;
use crate::wire::WireError;
use crate::wire::imap::Response;

/// As many messages are looked at in a search for one.
const MOST_FOUND: usize = 1000;

/// What a mailbox for a use is called where there is none, and the attribute that says so (RFC 6154).
const USES: [(&str, &str, &str); 2] = [("drafts", "Drafts", "\\Drafts"), ("sent", "Sent", "\\Sent")];

impl ImapSource {
    /// Adds a message to a mailbox; gives UIDVALIDITY and uid where the server tells them (RFC 4315).
    pub fn append(
        &mut self,
        wire_name: &str,
        flags: &str,
        bytes: &[u8],
    ) -> Result<Option<(u32, u32)>, SourceError> {
        let code = self.client.run_with(&format!("APPEND {} ({flags})", quoted(wire_name)), bytes)?;
        if code.name != "APPENDUID" {
            return Ok(None);
        }
        let mut numbers = code.argument.split(' ').map(str::parse);
        Ok(match (numbers.next(), numbers.next()) {
            (Some(Ok(uidvalidity)), Some(Ok(uid))) => Some((uidvalidity, uid)),
            _ => None,
        })
    }

    /// The uids of messages in the selected mailbox with this Message-ID, ascending.
    pub fn with_message_id(&mut self, message_id: &str) -> Result<Vec<u32>, SourceError> {
        self.search(&format!("HEADER Message-ID {}", quoted(&format!("<{message_id}>"))))
    }

    /// The uids of messages in the selected mailbox that had this Message-ID before a provider gave them another.
    pub fn renamed_from(&mut self, message_id: &str) -> Result<Vec<u32>, SourceError> {
        let id = quoted(&format!("<{message_id}>"));
        self.search(&format!(
            "OR HEADER X-Microsoft-Original-Message-ID {id} HEADER X-Google-Original-Message-ID {id}"
        ))
    }

    /// Lets the server tell of what has been added to the selected mailbox.
    pub fn refresh(&mut self) -> Result<(), SourceError> {
        self.client.run("NOOP", |_| {})?;
        Ok(())
    }

    fn search(&mut self, what: &str) -> Result<Vec<u32>, SourceError> {
        let mut found = UidSet::default();
        self.client.run(&format!("UID SEARCH {what}"), |response| {
            if let Response::Search(uids) = response {
                found.extend(uids);
            }
        })?;
        // No mailbox has more copies of one of our messages.
        Ok(found.iter().take(MOST_FOUND).collect())
    }

    /// The bytes of a message in the selected mailbox; `None` when it is not there.
    pub fn bytes_of(&mut self, uid: u32) -> Result<Option<Vec<u8>>, SourceError> {
        let mut bytes = None;
        self.client.run(&format!("UID FETCH {uid} (UID BODY.PEEK[])"), |response| match response {
            Response::Fetch(fetched) if fetched.uid == Some(uid) => bytes = fetched.body.or(bytes.take()),
            _ => {}
        })?;
        Ok(bytes)
    }

    /// Removes one message of the selected mailbox, and no other. Gmail would only take its label away, so there it
    /// goes to the trash.
    pub fn remove(&mut self, uid: u32, trash: Option<&str>) -> Result<(), SourceError> {
        if let Some(trash) = trash.filter(|_| self.capabilities.gmail && self.client.can("MOVE")) {
            self.client.run(&format!("UID MOVE {uid} {}", quoted(trash)), |_| {})?;
            return Ok(());
        }
        self.client.run(&format!("UID STORE {uid} +FLAGS.SILENT (\\Deleted)"), |_| {})?;
        if self.client.can("UIDPLUS") {
            self.client.run(&format!("UID EXPUNGE {uid}"), |_| {})?;
        } else if self.search("DELETED")? == [uid] {
            // Without UIDPLUS all that is marked goes at once: what the owner has marked must not go by our hand.
            self.client.run("EXPUNGE", |_| {})?;
        }
        Ok(())
    }

    /// A message was taken and cannot be found.
    #[must_use]
    pub fn lost_append(&self, wire_name: &str) -> SourceError {
        self.protocol_error(format!("it took a message for `{wire_name}` and does not have it"))
    }

    /// Makes a mailbox for a use (`drafts`, `sent`); says whether the server let us.
    pub fn make_mailbox(&mut self, role: &str) -> Result<bool, SourceError> {
        let Some((_, name, attribute)) = USES.iter().find(|(known, ..)| *known == role) else {
            return Ok(false);
        };
        let with_use = match self.client.can("CREATE-SPECIAL-USE") {
            true => format!(" (USE ({attribute}))"),
            false => String::new(),
        };
        // Some servers keep everything of a user below the inbox.
        for name in [(*name).to_owned(), format!("INBOX.{name}"), format!("INBOX/{name}")] {
            match self.client.run(&format!("CREATE {}{with_use}", quoted(&name)), |_| {}) {
                Ok(_) => {
                    // Other programs may show only what is subscribed to; a refusal takes nothing from us.
                    let _ = self.client.run(&format!("SUBSCRIBE {}", quoted(&name)), |_| {});
                    return Ok(true);
                }
                Err(WireError::Refused { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }
}
