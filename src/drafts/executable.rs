//! Refuses programs, disk images, shortcuts and documents with macros: by their name, by the type they are given, by their
//! bytes, and by what is in an archive or a message. One that cannot be looked into is refused too, because it may hold
//! anything.

mod names;
mod signs;

use crate::drafts::DraftError;
use crate::drafts::attachment::{Attached, MESSAGE};
use crate::drafts::listing::{self, Entry, Listing, Room};
use crate::parse;
use crate::text_safety::one_line;

/// Media types of programs.
const TYPES: [&str; 27] = [
    "application/bat",
    "application/cmd",
    "application/com",
    "application/dos-exe",
    "application/exe",
    "application/hta",
    "application/java-archive",
    "application/javascript",
    "application/msdos-windows",
    "application/vnd.android.package-archive",
    "application/vnd.microsoft.portable-executable",
    "application/x-bat",
    "application/x-csh",
    "application/x-dosexec",
    "application/x-elf",
    "application/x-exe",
    "application/x-executable",
    "application/x-mach-binary",
    "application/x-ms-shortcut",
    "application/x-msdos-program",
    "application/x-msdownload",
    "application/x-msi",
    "application/x-sh",
    "application/x-sharedlib",
    "application/x-shellscript",
    "text/javascript",
    "text/x-shellscript",
];

/// How deep archives may stand in each other.
const DEEPEST: usize = 3;

/// Refuses a file that is a program, or holds one.
pub(super) fn refuse(file: &Attached) -> Result<(), DraftError> {
    let refused = |why: String| DraftError::Executable { name: one_line(&file.name), why };
    if TYPES.contains(&file.content_type.as_str()) {
        return Err(refused(format!("`{}` is the type of a program", file.content_type)));
    }
    let mut search = Search::default();
    let why = search.found(&file.name, &file.bytes, 0).or_else(|| {
        let is_message = file.content_type == MESSAGE && !is_message(&file.name);
        is_message.then(|| search.in_message(&file.bytes, 0)).flatten()
    });
    why.map_or(Ok(()), |why| Err(refused(why)))
}

/// A look into one file and all that is in it.
#[derive(Default)]
struct Search {
    /// How much may still be unpacked.
    room: Room,
}

impl Search {
    /// Why a file is not taken.
    fn found(&mut self, name: &str, bytes: &[u8], depth: usize) -> Option<String> {
        let by_itself = names::refused(name).or_else(|| signs::refused(name, bytes));
        by_itself.or_else(|| self.inside(name, bytes, depth))
    }

    fn inside(&mut self, name: &str, bytes: &[u8], depth: usize) -> Option<String> {
        let shown = one_line(name);
        if is_message(name) {
            return self.in_message(bytes, depth);
        }
        match listing::of(name, bytes, &mut self.room) {
            Listing::None => None,
            Listing::Closed(why) => Some(format!("mailkeep cannot look into `{shown}`: {why}")),
            Listing::Entries(_) if depth > DEEPEST => {
                Some(format!("mailkeep cannot look into `{shown}`: it stands too deep in other archives"))
            }
            Listing::Entries(entries) => {
                let why = macros(&entries).map(|why| format!("`{shown}`: {why}"));
                why.or_else(|| entries.iter().find_map(|entry| self.of_entry(&shown, entry, depth)))
            }
        }
    }

    fn of_entry(&mut self, archive: &str, entry: &Entry, depth: usize) -> Option<String> {
        let why = match entry.is_whole {
            true => self.found(&entry.name, &entry.bytes, depth + 1),
            false => names::refused(&entry.name).or_else(|| signs::refused(&entry.name, &entry.bytes)),
        };
        why.map(|why| format!("in `{archive}`: {why}"))
    }

    fn in_message(&mut self, raw: &[u8], depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return Some("mailkeep cannot look into a message that stands so deep in archives".to_owned());
        }
        files_of_message(raw).into_iter().find_map(|(name, bytes)| self.found(&name, &bytes, depth + 1))
    }
}

/// Why an Office document is not taken.
fn macros(entries: &[Entry]) -> Option<&'static str> {
    const OF_MACROS: [&str; 4] = ["vbaproject.bin", "vbadata.xml", "xl/macrosheets/", "basic/script-l"];
    let lower = |entry: &Entry| entry.name.replace('\\', "/").to_lowercase();
    let is_office = entries
        .iter()
        .any(|entry| ["[content_types].xml", "meta-inf/manifest.xml"].contains(&lower(entry).as_str()));
    let names_some = |entry: &Entry| is_office && OF_MACROS.iter().any(|part| lower(entry).contains(part));
    entries.iter().find_map(|entry| match names_some(entry) {
        true => Some("it is a document with macros"),
        false => signs::in_content_types(&entry.name, &entry.bytes),
    })
}

fn is_message(name: &str) -> bool {
    listing::ending(name).is_some_and(|ending| ["eml", "mht", "mhtml", "nws"].contains(&ending.as_str()))
}

/// The files of a message, each with its name.
fn files_of_message(raw: &[u8]) -> Vec<(String, Vec<u8>)> {
    let parsed = parse::message(raw, &crate::model::DateHints::default());
    let file = |part: &crate::model::Attachment| {
        let name = part.name.clone().unwrap_or_default();
        (name, parse::part_bytes(raw, &part.part).unwrap_or_default())
    };
    parsed.attachments.iter().map(file).collect()
}

#[cfg(test)]
mod tests;
