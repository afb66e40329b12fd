//! message/delivery-status (RFC 3464) and message/global-delivery-status (RFC 6533): blocks of fields, the first about
//! the message, one for each recipient behind it. Blank lines between them may be missing or too many.

use super::super::words;
use super::{Action, MOST, Recipient, phrases};

/// What is said to machines.
#[derive(Debug, Default)]
pub(super) struct Statuses {
    pub envelope_id: Option<String>,
    pub recipients: Vec<Recipient>,
}

/// The fields of one recipient as far as they were read.
#[derive(Debug, Default)]
struct Block {
    original: Option<String>,
    last: Option<String>,
    action: Option<Action>,
    status: Option<String>,
    diagnostic: String,
}

/// Reads the fields of all parts.
pub(super) fn read<'a>(parts: impl Iterator<Item = &'a str>) -> Statuses {
    let mut statuses = Statuses::default();
    for part in parts {
        let mut block = Block::default();
        for (name, value) in fields(part) {
            if name.is_empty() {
                block = close(block, &mut statuses);
            } else if block.has(&name) {
                block = close(block, &mut statuses);
                block.take(&name, &value, &mut statuses);
            } else {
                block.take(&name, &value, &mut statuses);
            }
        }
        close(block, &mut statuses);
    }
    statuses
}

/// Ends a recipient's fields. A block that says nothing of a fate goes on behind the blank line.
fn close(block: Block, statuses: &mut Statuses) -> Block {
    let names = block.original.is_some() || block.last.is_some();
    let Some(action) = block.action() else { return block };
    if statuses.recipients.len() < MOST && (names || block.action.is_some() || block.status.is_some()) {
        statuses.recipients.push(Recipient {
            original: block.original,
            address: block.last,
            action,
            status: block.status,
            diagnostic: block.diagnostic,
        });
    }
    Block::default()
}

impl Block {
    fn has(&self, name: &str) -> bool {
        match name {
            "final-recipient" => self.last.is_some(),
            "original-recipient" => self.original.is_some(),
            _ => false,
        }
    }

    fn take(&mut self, name: &str, value: &str, statuses: &mut Statuses) {
        match name {
            "final-recipient" => self.last = address(value),
            "original-recipient" => self.original = address(value),
            "action" => self.action = named_action(value).or(self.action),
            "status" => self.status = phrases::status_in(value).or(self.status.take()),
            "diagnostic-code" if self.diagnostic.is_empty() => {
                self.diagnostic = phrases::shown(typed(value).1)
            }
            "original-envelope-id" => statuses.envelope_id = Some(xtext(value)).filter(|id| !id.is_empty()),
            _ => {}
        }
    }

    /// What it says of the fate: the action, else the class of the status, else the code in the diagnostic.
    fn action(&self) -> Option<Action> {
        let status = self.status.clone().or_else(|| phrases::status_in(&self.diagnostic));
        let by_class = |status: &str| match status.as_bytes().first() {
            Some(b'2') => Action::Delivered,
            _ => Action::Failed,
        };
        self.action.or_else(|| status.as_deref().map(by_class))
    }
}

fn named_action(value: &str) -> Option<Action> {
    let word = value.split(|c: char| !c.is_ascii_alphabetic()).find(|word| !word.is_empty())?;
    match word.to_ascii_lowercase().as_str() {
        "failed" | "failure" | "fail" | "expired" => Some(Action::Failed),
        "delayed" | "delay" => Some(Action::Delayed),
        "delivered" | "deliverable" => Some(Action::Delivered),
        "relayed" => Some(Action::Relayed),
        "expanded" => Some(Action::Expanded),
        _ => None,
    }
}

/// The address of `rfc822; ada@example.org`; `None` for what is no address.
fn address(value: &str) -> Option<String> {
    let (kind, value) = typed(value);
    let value = value.trim();
    let value =
        value.rsplit_once('<').map_or(value, |(_, inside)| inside.split('>').next().unwrap_or_default());
    let value = if kind.eq_ignore_ascii_case("utf-8") { unitext(value) } else { value.to_owned() };
    let value = words::without_blanks(value.trim_matches(['"', '\'', '<', '>', ' ']));
    let is_address =
        value.split_once('@').is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty());
    is_address.then_some(value)
}

/// `type; value`; some systems leave the type out.
fn typed(value: &str) -> (&str, &str) {
    match value.split_once(';') {
        Some((kind, rest)) if !kind.contains([' ', '@']) || kind.trim().len() < 12 && !kind.contains('@') => {
            (kind.trim(), rest.trim())
        }
        _ => ("", value.trim()),
    }
}

/// RFC 6533, 3: `\x{4E2D}` stands for a character, in addresses that had to stay ASCII.
fn unitext(value: &str) -> String {
    let mut output = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find("\\x{") {
        output.push_str(&rest[..at]);
        let after = &rest[at + 3..];
        let escaped = after.split_once('}').and_then(|(digits, tail)| {
            let value = (digits.len() <= 6).then(|| u32::from_str_radix(digits, 16).ok())??;
            Some((char::from_u32(value)?, tail))
        });
        if let Some((letter, tail)) = escaped {
            output.push(letter);
            rest = tail;
        } else {
            output.push_str("\\x{");
            rest = after;
        }
    }
    output + rest
}

/// RFC 3461, 4: `+2B` stands for a byte.
pub(super) fn xtext(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.trim().as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let escaped = (byte == b'+').then(|| super::super::transfer::hex_pair(tail)).flatten();
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Names in lower case and values, unfolded; an empty name stands for a blank line.
fn fields(text: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in text.lines().take(100 * MOST) {
        let is_more =
            line.starts_with([' ', '\t']) && fields.last().is_some_and(|(name, _)| !name.is_empty());
        if line.trim().is_empty() {
            fields.push((String::new(), String::new()));
        } else if let (false, Some((name, value))) = (is_more, line.split_once(':')) {
            fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        } else if let Some((_, value)) = fields.last_mut() {
            value.push(' ');
            value.push_str(line.trim());
        }
    }
    fields
}
