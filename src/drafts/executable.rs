//! Refuses programs: by their name, by the type they are given, by their first bytes, and by the names of what is in an
//! archive. An archive that cannot be looked into is refused too, because it may hold anything.

use crate::drafts::DraftError;
use crate::drafts::attachment::Attached;
use crate::drafts::listing::{self, Entry, Listing};
use crate::parse;
use crate::text_safety::one_line;

/// Endings of files that a computer runs when they are opened.
const ENDINGS: [&str; 84] = [
    "ade",
    "adp",
    "apk",
    "app",
    "appimage",
    "application",
    "appx",
    "appxbundle",
    "bash",
    "bat",
    "cab",
    "chm",
    "class",
    "cmd",
    "com",
    "command",
    "cpl",
    "csh",
    "deb",
    "desktop",
    "diagcab",
    "dll",
    "dmg",
    "dylib",
    "elf",
    "ex",
    "ex_",
    "exe",
    "fish",
    "gadget",
    "hta",
    "img",
    "inf",
    "ins",
    "iso",
    "isp",
    "jar",
    "jnlp",
    "job",
    "js",
    "jse",
    "ko",
    "ksh",
    "lnk",
    "mde",
    "mjs",
    "msc",
    "msh",
    "msi",
    "msix",
    "msixbundle",
    "msp",
    "mst",
    "nsh",
    "pif",
    "pkg",
    "ps1",
    "ps1xml",
    "ps2",
    "psc1",
    "psd1",
    "psm1",
    "reg",
    "rpm",
    "run",
    "scf",
    "scr",
    "sct",
    "sh",
    "shb",
    "so",
    "sys",
    "url",
    "vb",
    "vbe",
    "vbs",
    "vhd",
    "vxd",
    "workflow",
    "ws",
    "wsc",
    "wsf",
    "wsh",
    "xll",
];

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

/// First bytes of programs: Windows, Linux, macOS in all its kinds (one of them is Java's), scripts, Android.
const BEGINNINGS: [&[u8]; 9] = [
    b"MZ",
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"#!",
    b"dex\n",
];

/// How deep archives may stand in each other.
const DEEPEST: usize = 1;

/// Refuses a file that is a program, or holds one.
pub(super) fn refuse(file: &Attached) -> Result<(), DraftError> {
    let refused = |why: String| DraftError::Executable { name: one_line(&file.name), why };
    if TYPES.contains(&file.content_type.as_str()) {
        return Err(refused(format!("`{}` is the type of a program", file.content_type)));
    }
    if let Some(why) = found(&file.name, &file.bytes, 0) {
        return Err(refused(why));
    }
    let inner =
        if file.name.to_lowercase().ends_with(".eml") { files_of_message(&file.bytes) } else { Vec::new() };
    let why = inner.into_iter().find_map(|(name, bytes)| found(&name, &bytes, 0));
    why.map_or(Ok(()), |why| Err(refused(why)))
}

/// Why a file is not taken.
fn found(name: &str, bytes: &[u8], depth: usize) -> Option<String> {
    by_name(name).or_else(|| by_beginning(name, bytes)).or_else(|| inside(name, bytes, depth))
}

fn by_name(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    // Windows leaves dots and blanks at the end of a name away.
    let lower = last.trim_end_matches(['.', ' ']).to_lowercase();
    let (before, ending) = lower.rsplit_once('.')?;
    if !ENDINGS.contains(&ending.trim()) {
        return None;
    }
    let shown = one_line(last);
    Some(match before.rsplit_once('.') {
        Some((_, disguise)) if (2..=5).contains(&disguise.len()) => {
            format!("`{shown}` is a program behind the ending `.{disguise}`")
        }
        _ => format!("`{shown}` has the ending of a program"),
    })
}

fn by_beginning(name: &str, bytes: &[u8]) -> Option<String> {
    let is_program = BEGINNINGS.iter().any(|beginning| bytes.starts_with(beginning));
    let is_words = bytes.starts_with(b"MZ") && name.to_lowercase().ends_with(".txt") && is_text(bytes);
    (is_program && !is_words).then(|| format!("`{}` begins as a program does", one_line(name)))
}

fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_ok_and(|text| !text.contains(|c: char| c.is_control() && !"\r\n\t".contains(c)))
}

/// What an archive holds by the names in it.
fn inside(name: &str, bytes: &[u8], depth: usize) -> Option<String> {
    let shown = one_line(name);
    match listing::of(name, bytes) {
        Listing::None => None,
        Listing::Closed(why) => Some(format!("mailkeep cannot look into `{shown}`: {why}")),
        Listing::Entries(_) if depth > DEEPEST => {
            Some(format!("mailkeep cannot look into `{shown}`: it stands too deep in other archives"))
        }
        Listing::Entries(entries) => entries.iter().find_map(|entry| of_entry(&shown, entry, depth)),
    }
}

fn of_entry(archive: &str, entry: &Entry, depth: usize) -> Option<String> {
    let why = match &entry.bytes {
        Some(bytes) => found(&entry.name, bytes, depth + 1),
        None => by_name(&entry.name),
    };
    why.map(|why| format!("in `{archive}`: {why}"))
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
