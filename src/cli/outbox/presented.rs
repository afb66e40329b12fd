//! An item whole, as the person sees it before they decide. Everything that leaves is read from the frozen bytes and from
//! the envelope, which is what a yes is to; what other columns say about it is not believed.

use crate::audit::CallLog;
use unicode_width::UnicodeWidthChar;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, size};
use crate::cli::local_time::local_time;
use crate::model::{Address, DateHints, DraftHash, ItemHash, ParsedMessage};
use crate::outbox::OutboxError;
use crate::parse;
use crate::query::{Acquaintance, Archive, iso_date};
use crate::store::{Item, Reader};
use crate::text_safety::{many_lines, one_line};

/// An item that is shown.
pub(super) struct Presented {
    /// What is shown, line by line.
    pub(super) lines: Vec<String>,
    /// What a yes to it is a yes to.
    pub(super) hash: ItemHash,
}

/// How many strangers are named.
const STRANGERS: usize = 5;
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
        let message = parse::message(&bytes, &DateHints::default());
        let parts = BothParts::of(&bytes, &message);
        let page = Page { item, message, parts, archive, context };
        Ok(Self { lines: page.lines(&hash)?, hash })
    }
}

/// A message that is sent as text and as HTML: what either says.
struct BothParts {
    text: String,
    html: String,
}

impl BothParts {
    /// Reads both from the bytes, as drafts are frozen: the alternatives are the message, or its first part.
    fn of(bytes: &[u8], message: &ParsedMessage) -> Option<Self> {
        let [text, html] = if message.attachments.is_empty() { ["1", "2"] } else { ["1.1", "1.2"] };
        let read = |part| Some(String::from_utf8_lossy(&parse::part_bytes(bytes, part)?).into_owned());
        let (text, html) = (read(text)?, read(html)?);
        let html = match parse::visible_text::from_html(&html) {
            Some(visible) => format!("{}\n{}", visible.text, visible.doubtful),
            None => html,
        };
        Some(Self { text, html })
    }

    /// Both, or one of them when they say the same.
    fn lines(&self) -> Vec<String> {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let shown = |text: &str| quoted(&many_lines(text.trim_end()));
        if words(&self.text) == words(&self.html) {
            return vec![shown(&self.text), String::new(), field("HTML", "the same is sent as HTML too")];
        }
        vec![
            field("Text", "seen where HTML is not shown"),
            shown(&self.text),
            String::new(),
            field("HTML", "differs from the text, and is what most people see"),
            shown(&self.html),
        ]
    }
}

/// Columns of a text beside its margin; with it they fit an ordinary terminal.
const QUOTED_COLUMNS: usize = 72;

/// A text with a margin before each of its lines, so that none of them can pass for one of ours. Long lines are cut, so
/// that the terminal begins none without the margin.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8 + 8);
    for line in text.split('\n') {
        let mut used = 0;
        out.push_str("  | ");
        for c in line.chars() {
            let columns = c.width().unwrap_or_default();
            if used + columns > QUOTED_COLUMNS {
                out.push_str("\n  | ");
                used = 0;
            }
            used += columns;
            out.push(c);
        }
        out.push('\n');
    }
    out.pop();
    out
}

struct Page<'a> {
    item: &'a Item,
    message: ParsedMessage,
    parts: Option<BothParts>,
    archive: &'a mut Archive,
    context: &'a Context,
}

impl Page<'_> {
    fn lines(mut self, hash: &ItemHash) -> Result<Vec<String>, Failure> {
        let mut recipients = Vec::new();
        let mut new = 0;
        let lists = self.item.draft.recipients.clone();
        for (name, list) in [("To", lists.to), ("Cc", lists.cc), ("Bcc", lists.bcc)] {
            for to in list {
                let known = self.archive.acquaintance(&to.address)?;
                new += usize::from(known.is_new());
                recipients.push(field(name, &self.recipient(&to, &known)));
            }
        }
        let effect = self.effect(recipients.len(), new);
        let mut lines = vec![effect.clone()];
        lines.push(field("From", &self.sender()));
        lines.extend(recipients.iter().cloned());
        lines.extend(self.about());
        lines.push(String::new());
        match &self.parts {
            Some(parts) => lines.extend(parts.lines()),
            None => lines.push(quoted(&many_lines(self.message.text.trim_end()))),
        }
        lines.push(String::new());
        lines.extend(self.beside());
        lines.extend(self.origin(hash));
        // Whom it goes to stands beside the question, however long the text is.
        lines.extend([String::new(), effect]);
        lines.extend(recipients);
        Ok(lines)
    }

    /// What a yes would do.
    fn effect(&self, people: usize, new: usize) -> String {
        let bold = anstyle::Style::new().bold();
        let whom = if people == 1 { "1 person".to_owned() } else { format!("{people} people") };
        let new = match new {
            0 => String::new(),
            _ if people == 1 => ", who is new".to_owned(),
            new => format!(", {new} of them new"),
        };
        let from = one_line(&self.item.draft.from.address);
        format!("{bold}{}{bold:#}  Send to {whom}{new}, from {from}", self.item.code)
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
    fn recipient(&self, to: &Address, known: &Acquaintance) -> String {
        let headed = self.message.to.iter().chain(&self.message.cc);
        let name = headed.into_iter().find(|it| it.address == to.address).map(|it| it.name.clone());
        let shown = Address::new(name.unwrap_or_default(), to.address.as_str()).shown();
        let spelt = parse::spelt_out(&to.domain()).map(|spelt| format!(" (reads `{spelt}`)"));
        format!("{shown}{}  {}", spelt.unwrap_or_default(), self.history(known))
    }

    fn history(&self, known: &Acquaintance) -> String {
        let last = known.last.as_deref().map(|last| local_time(last, &self.context.clock));
        match last {
            Some(last) if !known.is_new() => {
                format!("[{} from them, {} to them, last {last}]", known.from_them, known.to_them)
            }
            _ => "[new: no mail from or to this address]".to_owned(),
        }
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

    /// What goes along with the text.
    fn beside(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for attachment in &self.message.attachments {
            let name = attachment.name.as_deref().unwrap_or("(no name)");
            let what = format!("{name} ({}, {})", attachment.content_type, size(attachment.size));
            lines.push(field("Attached", &what));
        }
        lines
    }

    /// What assistants read in the day before this was proposed, strangers first: what they read may have asked for this.
    fn evidence(&mut self) -> Option<String> {
        const DAY_MS: i64 = 24 * 3_600 * 1_000;
        let log = CallLog::at(self.context.home.calls());
        let opened = log.evidence(self.item.proposed * 1_000 - DAY_MS).ok()?.opened;
        if opened.is_empty() {
            return None;
        }
        let strangers: Vec<_> = opened.iter().filter_map(|id| self.stranger(id)).collect();
        let named = match strangers.as_slice() {
            [] => "none from strangers".to_owned(),
            some => {
                format!("{} from strangers: {}", some.len(), some[..some.len().min(STRANGERS)].join(", "))
            }
        };
        Some(field("Read before", &format!("{}, {named}", counted(opened.len(), "message"))))
    }

    /// Who sent a message, if the owner never wrote to them.
    fn stranger(&mut self, id: &str) -> Option<String> {
        let message = self.archive.read(self.archive.resolve(id).ok()?).ok()?;
        let from = message.from.first().map(|from| Address::from_shown(from))?;
        let is_stranger = self.archive.acquaintance(&from.address).ok()?.to_them == 0;
        is_stranger.then(|| format!("`{}` ({id})", from.address))
    }

    /// Who asked, and what exactly a yes is to.
    fn origin(&mut self, hash: &ItemHash) -> Vec<String> {
        let item = self.item;
        let origin = &item.origin;
        let words = [&origin.client, &origin.profile, &origin.tool];
        let who = words.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", ");
        let who = if who.is_empty() { "you".to_owned() } else { who };
        let at = local_time(&iso_date(self.item.proposed), &self.context.clock);
        let mut lines = vec![field("Asked by", &format!("{who}, {at}"))];
        lines.extend(self.evidence());
        if let Some(reason) = &self.item.reason {
            lines.push(field("Note", reason));
        }
        lines.push(field("Leaves by", &self.item.route.to_string()));
        let hex = hash.0.to_hex();
        let text = counted(self.message.text.chars().count(), "character");
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

fn field(name: &str, value: &str) -> String {
    let bold = anstyle::Style::new().bold();
    format!("{bold}{name}:{bold:#} {}", one_line(value))
}
