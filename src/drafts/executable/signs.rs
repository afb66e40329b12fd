//! Signs in the bytes of a file that it is a program, an image of a disk, a shortcut, or a document with macros, whatever its
//! name is.

use memchr::memmem;

use crate::text_safety::one_line;

/// First bytes of what is not taken.
const BEGINNINGS: [(&[u8], &str); 31] = [
    (b"MZ", "a program"),
    (b"\x7fELF", "a program"),
    (b"\xfe\xed\xfa\xce", "a program"),
    (b"\xfe\xed\xfa\xcf", "a program"),
    (b"\xce\xfa\xed\xfe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xca\xfe\xba\xbf", "a program"),
    (b"#!", "a program"),
    (b"dex\n", "a program"),
    (b"\0asm", "a program"),
    (b"ITSF", "a program"),
    (b"\xed\xab\xee\xdb", "a program"),
    (b"!<arch>", "a program"),
    (b"xar!", "a program"),
    (b"REGEDIT4", "a program"),
    (b"Windows Registry Editor", "a program"),
    (b"L\0\0\0\x01\x14\x02\0", "a shortcut"),
    (b"[InternetShortcut]", "a shortcut"),
    (b"[Desktop Entry]", "a shortcut"),
    (b"[Shell]", "a shortcut"),
    (b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "a OneNote section"),
    (b"\xa1\x2f\xff\x43\xd9\xef\x76\x4c", "a OneNote section"),
    (b"conectix", "a disk image"),
    (b"vhdxfile", "a disk image"),
    (b"KDMV", "a disk image"),
    (b"# Disk DescriptorFile", "a disk image"),
    (b"QFI\xfb", "a disk image"),
    (b"MSWIM\0", "a disk image"),
    (b"<<< Oracle VM", "a disk image"),
    (b"hsqs", "a disk image"),
];

/// Why a file with these bytes is not taken.
pub(super) fn refused(name: &str, bytes: &[u8]) -> Option<String> {
    let shown = one_line(name);
    let begins = beginning(name, bytes).map(|what| format!("`{shown}` begins as {what} does"));
    begins.or_else(|| Some(format!("`{shown}` is {}", disk(bytes).or_else(|| macros(name, bytes))?)))
}

fn beginning(name: &str, bytes: &[u8]) -> Option<&'static str> {
    let plain = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let plain = if is_text(plain) { plain.trim_ascii_start() } else { plain };
    let (sign, what) = BEGINNINGS.iter().find(|(sign, _)| starts_any_case(plain, sign))?;
    // Two letters begin honest texts too.
    let is_words = *sign == b"MZ" && name.to_lowercase().ends_with(".txt") && is_text(bytes);
    (!is_words).then_some(*what)
}

/// Words are the same in any case; other signs are exact.
fn starts_any_case(bytes: &[u8], sign: &[u8]) -> bool {
    let is_words = sign.starts_with(b"[") || sign.starts_with(b"Windows");
    bytes.starts_with(sign)
        || (is_words && bytes.get(..sign.len()).is_some_and(|start| start.eq_ignore_ascii_case(sign)))
}

fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_ok_and(|text| !text.contains(|c: char| c.is_control() && !"\r\n\t".contains(c)))
}

/// Images tell what they are further behind, or at their end.
fn disk(bytes: &[u8]) -> Option<&'static str> {
    const VOLUME: usize = 0x8001;
    const TRAILER: usize = 512;
    let volume = bytes.get(VOLUME..VOLUME + 5);
    let trailer = bytes.len().checked_sub(TRAILER).map(|at| &bytes[at..]);
    let is_volume = volume.is_some_and(|sign| [&b"CD001"[..], b"BEA01", b"NSR02", b"NSR03"].contains(&sign));
    let is_trailed = trailer.is_some_and(|end| end.starts_with(b"koly") || end.starts_with(b"conectix"));
    (is_volume || is_trailed).then_some("a disk image")
}

/// The beginning of a compound file, in which Office kept documents before 2007 and keeps encrypted ones now.
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

fn macros(name: &str, bytes: &[u8]) -> Option<&'static str> {
    if !bytes.starts_with(COMPOUND) {
        return None;
    }
    let holds = |stream: &str| memmem::find(bytes, &wide(stream)).is_some();
    if ["_VBA_PROJECT", "Macros\0", "VBA\0"].into_iter().any(holds) || has_macro_sheet(bytes) {
        return Some("a document with macros");
    }
    let is_new =
        ["docx", "xlsx", "pptx"].iter().any(|ending| name.to_lowercase().ends_with(&format!(".{ending}")));
    (holds("EncryptedPackage") && !is_new).then_some("an encrypted document that may run macros")
}

/// A name as a compound file's directory has it.
fn wide(name: &str) -> Vec<u8> {
    name.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A sheet of macros as Excel had them before Visual Basic: BoundSheet8 with the type 1 ([MS-XLS], 2.4.28).
fn has_macro_sheet(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"\x85\0").any(|at| {
        let Some(record) = bytes.get(at..at + 12) else { return false };
        let length = u16::from_le_bytes([record[2], record[3]]);
        let (visibility, kind, letters, is_wide) = (record[8], record[9], u16::from(record[10]), record[11]);
        visibility <= 2
            && kind == 1
            && letters > 0
            && is_wide <= 1
            && length == 8 + letters * (u16::from(is_wide) + 1)
    })
}

/// Why the list of an Office document's parts tells of macros. It names them also where they are called otherwise.
pub(super) fn in_content_types(name: &str, bytes: &[u8]) -> Option<&'static str> {
    if !name.eq_ignore_ascii_case("[Content_Types].xml") {
        return None;
    }
    // In any encoding of its letters.
    let plain: Vec<u8> = bytes.iter().filter(|byte| **byte != 0).map(u8::to_ascii_lowercase).collect();
    let holds = |word: &[u8]| memmem::find(&plain, word).is_some();
    let is_one = holds(b"vbaproject") || holds(b"macroenabled") || holds(b"macrosheet");
    is_one.then_some("it is a document with macros")
}
