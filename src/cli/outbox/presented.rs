//! An item whole, as the person sees it before they decide. Everything that leaves is read from the frozen bytes and from
//! the envelope, which is what a yes is to; what other columns say about it is not believed.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::local_time::local_time;
use crate::cli::outbox::{evidence, field, letter};
use crate::drafts::Contents;
use crate::model::{Address, DraftHash, ItemHash, ParsedMessage};
use crate::outbox::OutboxError;
use crate::outbox::channels::{self, Reading};
use crate::outbox::evidence::{ReadBefore, Recipient};
use crate::query::{Archive, iso_date};
use crate::store::{Item, Reader};
use crate::text_safety::plain_line;

/// An item that is shown.
pub(super) struct Presented {
    /// What is shown, line by line.
    pub(super) lines: Vec<String>,
    /// What a yes to it is a yes to.
    pub(super) hash: ItemHash,
}

/// How many digits of the hash are shown.
const HASH_DIGITS: usize = 12;

impl Presented {
    /// Reads an item from the store and puts it into words.
    pub(super) fn of(item: &Item, archive: &mut Archive, context: &Context) -> Result<Self, Failure> {
        let draft = &item.draft;
        let reader = Reader::open(&context.home.store())?;
        let bytes = reader.draft_bytes(draft.key, draft.revision)?.unwrap_or_default();
        let content = DraftHash::of(&draft.account, &draft.from.address, &draft.recipients, &bytes);
        let hash = ItemHash::of(item.channel, &content, &item.route, item.may_be_partial);
        if hash != item.hash() {
            return Err(OutboxError::Changed { id: draft.id.to_string() }.into());
        }
        let Reading { message, contents } = Reading::of(&item.route, &bytes);
        let page = Page { item, message, contents, archive, context };
        Ok(Self { lines: page.lines(&hash)?, hash })
    }
}

struct Page<'a> {
    item: &'a Item,
    message: ParsedMessage,
    contents: Contents,
    archive: &'a mut Archive,
    context: &'a Context,
}

impl Page<'_> {
    fn lines(self, hash: &ItemHash) -> Result<Vec<String>, Failure> {
        let evidence = evidence::of(self.item, self.archive, self.context)?;
        let mut recipients = Vec::new();
        let lists = &evidence.recipients;
        for (name, list) in [("To", &lists.to), ("Cc", &lists.cc), ("Bcc", &lists.bcc)] {
            recipients.extend(list.iter().map(|it| field(name, &self.recipient(it))));
        }
        let effect = self.effect(&evidence.effect);
        let mut lines = vec![effect.clone()];
        lines.push(field("From", &self.sender()));
        lines.extend(recipients.iter().cloned());
        lines.extend(self.about());
        lines.push(String::new());
        lines.extend(letter::words(&self.contents));
        lines.push(String::new());
        lines.extend(letter::files(&self.contents));
        lines.extend(self.origin(hash, &evidence.read_before));
        lines.extend(evidence::changes(self.item, self.context)?);
        // Whom it goes to stands beside the question, however long the text is.
        lines.extend([String::new(), effect]);
        lines.extend(recipients);
        let careful = evidence::warnings(&evidence, &self.context.clock);
        lines.extend(careful.iter().map(|warning| field("Careful", warning)));
        Ok(lines)
    }

    /// What a yes would do.
    fn effect(&self, effect: &str) -> String {
        let bold = anstyle::Style::new().bold();
        format!("{bold}{}{bold:#}  {}", self.item.code, plain_line(effect))
    }

    fn sender(&self) -> String {
        let shown: Vec<_> = self.message.from.iter().map(Address::shown).collect();
        let account = &self.item.draft.account;
        let other = if *account == self.item.draft.from.address {
            String::new()
        } else {
            format!(" (account {account})")
        };
        let reply_to: Vec<_> = self.message.reply_to.iter().map(Address::shown).collect();
        let answers = if reply_to.is_empty() {
            String::new()
        } else {
            format!("; answers go to {}", reply_to.join(", "))
        };
        format!("{}{other}{answers}", shown.join(", "))
    }

    /// An address in full, with the letters that its ASCII form stands for, and whether the owner knows it.
    fn recipient(&self, to: &Recipient) -> String {
        if !channels::is_mail(&self.item.route) {
            return to.address.clone();
        }
        let shown = Address::new(to.name.as_str(), to.address.as_str()).shown();
        let spelt = to.spelt.as_ref().map(|spelt| format!(" (reads `{spelt}`)"));
        format!("{shown}{}  {}", spelt.unwrap_or_default(), evidence::history(to, &self.context.clock))
    }

    /// The subject, and what it answers.
    fn about(&self) -> Vec<String> {
        let mut lines = vec![field("Subject", &self.message.subject)];
        if let Some(id) = self.message.in_reply_to.first() {
            lines.push(field("Answers", &self.answered(id)));
        }
        lines
    }

    fn answered(&self, message_id: &str) -> String {
        let found = self.archive.resolve(message_id).and_then(|key| self.archive.read(key));
        match found {
            Ok(message) => {
                let date = local_time(&message.date, &self.context.clock);
                format!("`{}` from {}, {date}", message.subject, message.from.join(", "))
            }
            Err(_) => format!("a message that is not here (<{message_id}>)"),
        }
    }

    /// Who asked, and what exactly a yes is to.
    fn origin(&self, hash: &ItemHash, read: &ReadBefore) -> Vec<String> {
        let item = self.item;
        let origin = &item.origin;
        let words = [&origin.client, &origin.profile, &origin.tool];
        let who = words.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", ");
        let who = if who.is_empty() { "you".to_owned() } else { who };
        let at = local_time(&iso_date(self.item.proposed), &self.context.clock);
        let mut lines = vec![field("Asked by", &format!("{who}, {at}"))];
        lines.extend(evidence::read_before(read).map(|read| field("Read before", &read)));
        if let Some(reason) = &self.item.reason {
            lines.push(field("Note", reason));
        }
        lines.push(field("Leaves by", &self.item.route.to_string()));
        let hex = hash.0.to_hex();
        let text = counted(self.contents.text.chars().count(), "character");
        let exactly = format!(
            "{}, revision {}, {text}, SHA-256 {}",
            self.item.draft.id,
            self.item.draft.revision,
            &hex[..HASH_DIGITS]
        );
        lines.push(field("Exactly", &exactly));
        lines
    }
}
