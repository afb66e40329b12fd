//! What a file is by its content, in words, and whether its name says so too.

use crate::drafts::listing::{self, Listing, Room};

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileKind {
    /// What a person calls it.
    pub(super) words: &'static str,
    /// Endings of names that say the same.
    endings: &'static [&'static str],
}

const fn kind(words: &'static str, endings: &'static [&'static str]) -> FileKind {
    FileKind { words, endings }
}

const EMPTY: FileKind = kind("empty", &[]);
const UNKNOWN: FileKind = kind("unknown data", &[]);
const TEXT: FileKind = kind(
    "text",
    &[
        "txt", "csv", "tsv", "md", "log", "json", "xml", "yaml", "yml", "toml", "tex", "patch", "diff",
        "asc", "sql",
    ],
);
const HTML: FileKind = kind("HTML page", &["html", "htm", "xhtml"]);
const SVG: FileKind = kind("SVG drawing", &["svg"]);
const XML: FileKind = kind("XML", &["xml", "gpx", "kml", "xsd"]);
const CALENDAR: FileKind = kind("calendar entry", &["ics", "ical"]);
const CONTACT: FileKind = kind("contact", &["vcf", "vcard"]);
const MESSAGE: FileKind = kind("message", &["eml"]);
const WORD: FileKind = kind("Word document", &["docx", "dotx"]);
const EXCEL: FileKind = kind("Excel workbook", &["xlsx", "xltx"]);
const POWERPOINT: FileKind = kind("PowerPoint presentation", &["pptx", "ppsx", "potx"]);
const OPEN_DOCUMENT: FileKind = kind("OpenDocument file", &["odt", "ods", "odp", "odg", "ott", "ots"]);
const EPUB: FileKind = kind("EPUB book", &["epub"]);
const ZIP: FileKind = kind("zip archive", &["zip"]);
const TAR: FileKind = kind("tar archive", &["tar"]);
const HEIC: FileKind = kind("HEIC picture", &["heic", "heif"]);
const MP4: FileKind = kind("MP4 film", &["mp4", "m4v", "m4a", "mov", "3gp"]);
const WAV: FileKind = kind("WAV sound", &["wav"]);
const WEBP: FileKind = kind("WebP picture", &["webp"]);

/// Kinds that their first bytes tell.
const BY_BEGINNING: [(&[u8], FileKind); 15] = [
    (b"%PDF", kind("PDF", &["pdf", "ai"])),
    (b"\x89PNG\r\n\x1a\n", kind("PNG picture", &["png", "apng"])),
    (b"\xff\xd8\xff", kind("JPEG picture", &["jpg", "jpeg", "jpe", "jfif"])),
    (b"GIF8", kind("GIF picture", &["gif"])),
    (b"II*\0", kind("TIFF picture", &["tif", "tiff", "dng"])),
    (b"MM\0*", kind("TIFF picture", &["tif", "tiff", "dng"])),
    (b"BM", kind("BMP picture", &["bmp"])),
    (b"\x1f\x8b", kind("gzip archive", &["gz", "tgz"])),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        kind("Office document of the old form", &["doc", "xls", "ppt", "msg", "dot"]),
    ),
    (b"{\\rtf", kind("RTF document", &["rtf", "doc"])),
    (b"ID3", kind("MP3 sound", &["mp3"])),
    (b"\xff\xfb", kind("MP3 sound", &["mp3"])),
    (b"OggS", kind("Ogg sound", &["ogg", "oga", "opus", "ogv"])),
    (b"fLaC", kind("FLAC sound", &["flac"])),
    (b"-----BEGIN PGP", kind("PGP text", &["asc", "pgp", "gpg"])),
];

/// All kinds whose endings say something.
const OTHERS: [FileKind; 18] = [
    TEXT,
    HTML,
    SVG,
    XML,
    CALENDAR,
    CONTACT,
    MESSAGE,
    WORD,
    EXCEL,
    POWERPOINT,
    OPEN_DOCUMENT,
    EPUB,
    ZIP,
    TAR,
    HEIC,
    MP4,
    WAV,
    WEBP,
];

impl FileKind {
    /// Looks at the bytes; a message is one by its part, because it has no bytes of its own.
    pub(super) fn of(content_type: &str, bytes: &[u8]) -> Self {
        if content_type == "message/rfc822" {
            return MESSAGE;
        }
        let begins = BY_BEGINNING.iter().find(|(beginning, _)| bytes.starts_with(beginning));
        match begins {
            _ if bytes.is_empty() => EMPTY,
            Some((beginning, kind)) if beginning.len() > 2 || !is_text(bytes) => *kind,
            _ if bytes.starts_with(b"PK") => packed(bytes),
            _ if bytes.get(257..262) == Some(b"ustar") => TAR,
            _ => by_frame(bytes).unwrap_or_else(|| if is_text(bytes) { of_text(bytes) } else { UNKNOWN }),
        }
    }

    /// Whether a name ends as files of another kind do.
    pub(super) fn is_disguised_as(self, name: &str) -> bool {
        let Some(ending) = name.rsplit_once('.').map(|(_, ending)| ending.trim().to_lowercase()) else {
            return false;
        };
        let says = |kind: &Self| kind.endings.contains(&ending.as_str());
        let is_known = OTHERS.iter().chain(BY_BEGINNING.iter().map(|(_, kind)| kind)).any(says);
        is_known && !says(&self) && self != EMPTY
    }
}

/// Media in frames that name their kind behind the beginning.
fn by_frame(bytes: &[u8]) -> Option<FileKind> {
    match (bytes.get(..4)?, bytes.get(4..8)?, bytes.get(8..12)?) {
        (b"RIFF", _, b"WAVE") => Some(WAV),
        (b"RIFF", _, b"WEBP") => Some(WEBP),
        (_, b"ftyp", b"heic" | b"heix" | b"mif1" | b"heim") => Some(HEIC),
        (_, b"ftyp", _) => Some(MP4),
        _ => None,
    }
}

/// Office documents are zip archives too.
fn packed(bytes: &[u8]) -> FileKind {
    let declared = bytes.get(30..).filter(|rest| rest.starts_with(b"mimetypeapplication/"));
    match declared {
        Some(rest) if rest[8..].starts_with(b"application/epub") => return EPUB,
        Some(rest) if rest[8..].starts_with(b"application/vnd.oasis") => return OPEN_DOCUMENT,
        _ => {}
    }
    let Listing::Entries(entries) = listing::of("", bytes, &mut Room::default()) else { return ZIP };
    let holds = |start: &str| entries.iter().any(|entry| entry.name.starts_with(start));
    match holds("[Content_Types].xml") {
        true if holds("word/") => WORD,
        true if holds("xl/") => EXCEL,
        true if holds("ppt/") => POWERPOINT,
        _ => ZIP,
    }
}

fn of_text(bytes: &[u8]) -> FileKind {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4_096)]).to_lowercase();
    let start = start.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let begins = |words: &[&str]| words.iter().any(|word| start.starts_with(word));
    match start {
        _ if begins(&["<!doctype html", "<html", "<head", "<body", "<script"]) => HTML,
        _ if begins(&["<svg"]) || (begins(&["<?xml", "<!doctype svg"]) && start.contains("<svg")) => SVG,
        _ if begins(&["<?xml"]) && start.contains("<html") => HTML,
        _ if begins(&["<?xml"]) => XML,
        _ if begins(&["begin:vcalendar"]) => CALENDAR,
        _ if begins(&["begin:vcard"]) => CONTACT,
        _ => TEXT,
    }
}

/// Whether people can read it, in UTF-8 or UTF-16.
fn is_text(bytes: &[u8]) -> bool {
    let is_control = |c: char| c.is_control() && !"\r\n\t\u{c}".contains(c);
    let is_wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    is_wide
        || match std::str::from_utf8(bytes) {
            Ok(text) => !text.contains(is_control),
            // Texts of old programs have a byte for each letter.
            Err(_) => !bytes.iter().any(|byte| *byte < 0x20 && !b"\r\n\t\x0c".contains(byte)),
        }
}

#[cfg(test)]
mod tests {
    use super::FileKind;

    fn told(name: &str, bytes: &[u8]) -> (&'static str, bool) {
        let kind = FileKind::of("application/octet-stream", bytes);
        (kind.words, kind.is_disguised_as(name))
    }

    #[test]
    fn a_file_is_what_its_bytes_are() {
        for (name, bytes, words) in [
            ("a.pdf", &b"%PDF-1.7"[..], "PDF"),
            ("a.PNG", b"\x89PNG\r\n\x1a\n\0", "PNG picture"),
            ("a.csv", b"a;b\n", "text"),
            ("a.txt", "grüße".as_bytes(), "text"),
            ("a.txt", b"gr\xfc\xdfe", "text"),
            ("notes", b"BM is two letters", "text"),
            ("a.html", b"\n<!DOCTYPE html><p>", "HTML page"),
            ("a.svg", b"<?xml version='1.0'?><svg onload='x()'>", "SVG drawing"),
            ("a.ics", b"BEGIN:VCALENDAR\r\n", "calendar entry"),
            ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Office document of the old form"),
            ("a.mp4", b"\0\0\0\x18ftypisom", "MP4 film"),
            ("a.xyz", b"\0\x01\x02", "unknown data"),
            ("a.txt", b"", "empty"),
        ] {
            assert_eq!(told(name, bytes), (words, false), "{name}");
        }
    }

    #[test]
    fn a_name_that_says_otherwise_is_noticed() {
        for (name, bytes) in [
            ("invoice.pdf", &b"<html><script>x()</script>"[..]),
            ("invoice.pdf", b"plain words"),
            ("photo.jpg", b"\0\x01\x02\x03"),
            ("notes.txt", b"<!doctype html><form>"),
            ("notes.txt", b"%PDF-1.7"),
            ("table.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        ] {
            assert!(told(name, bytes).1, "{name}");
        }
    }
}
