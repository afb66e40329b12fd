//! Pages and XML that stand in files: nobody but the file itself says in which charset its letters are, and what shows it.

use std::borrow::Cow;

use super::charset;
use super::text::Text;
use super::xml;
use crate::model::{Flag, Reason};
use crate::parse::charset::read_html;
use crate::parse::visible_text::{self, Verdict};

/// Browsers look for the name of a charset in so many bytes.
const FIRST: usize = 1_024;
/// Names of XML whose elements browsers draw.
const DRAWN: [&str; 3] = ["www.w3.org/1999/xhtml", "www.w3.org/2000/svg", "www.w3.org/1998/math"];

/// Adds what can be seen of a page.
pub(super) fn read(bytes: &[u8], out: &mut Text) {
    match decoded(bytes) {
        Some(page) => show(&page, out),
        None => out.leave_out(bytes.len(), Verdict::Doubtful("charset")),
    }
}

/// Adds the text of XML: all of it where nothing says how it is shown, and as of a page where it is one.
pub(super) fn read_xml(bytes: &[u8], out: &mut Text) {
    let text = charset::decode(bytes);
    let lower = text.to_ascii_lowercase();
    let is_page = lower
        .trim_start()
        .split('<')
        .any(|part| part.starts_with("html") || part.starts_with("!doctype html"));
    match () {
        () if is_page => read(bytes, out),
        () if lower.contains("xml-stylesheet") => out.leave_out(text.len(), Verdict::Doubtful("styles")),
        () if DRAWN.iter().any(|name| lower.contains(name)) || names_by_signs(&lower) => {
            out.leave_out(text.len(), Verdict::Doubtful("drawings"));
        }
        () => xml::read(&text, out),
    }
}

/// Whether a name of elements is written with signs that stand for others.
fn names_by_signs(xml: &str) -> bool {
    let mut values = xml.split("xmlns").skip(1);
    values.any(|rest| rest.bytes().take_while(|byte| *byte != b'>').any(|byte| byte == b'&'))
}

fn show(page: &str, out: &mut Text) {
    match visible_text::from_html(page) {
        Some(visible) => {
            out.push(&visible.text);
            out.findings.join(visible.findings);
        }
        None => {
            out.findings.flag(Flag::TooComplex);
            out.findings.drop_characters(Reason::TooComplex, page.len());
        }
    }
}

/// The page as every browser reads it; none where they may differ.
fn decoded(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let named = charsets(bytes);
    let is_marked = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0xef, 0xbb, 0xbf, ..]);
    let shifts = bytes.contains(&0x1b) || bytes.windows(2).any(|pair| pair == b"~{") && !named.is_empty();
    if is_marked || bytes.is_ascii() && !shifts {
        return Some(charset::decode(bytes));
    }
    match named.as_slice() {
        _ if named.iter().all(|(_, name)| is_one_by_one(name)) && !shifts => {
            // Without a name, browsers guess.
            let is_sure = !named.is_empty() || std::str::from_utf8(bytes).is_ok() || !may_be_pairs(bytes);
            is_sure.then(|| charset::decode(bytes))
        }
        [(at, name)] if *at < FIRST => {
            let page = read_html(bytes, Some(name), Some(name));
            (page.decoded.fits && page.alike).then(|| Cow::Owned(page.decoded.text.into_owned()))
        }
        _ => None,
    }
}

/// Names of charsets, and where they stand.
fn charsets(bytes: &[u8]) -> Vec<(usize, String)> {
    let lower = bytes.to_ascii_lowercase();
    let places = memchr::memmem::find_iter(&lower, b"charset");
    let named = places.filter_map(|at| {
        let rest = String::from_utf8_lossy(lower.get(at + 7..(at + 60).min(lower.len()))?).into_owned();
        let value =
            rest.trim_start().strip_prefix('=')?.trim_start_matches([' ', '"', '\'', '\t']).to_owned();
        let end =
            value.find(|c: char| !c.is_ascii_alphanumeric() && !"-_:".contains(c)).unwrap_or(value.len());
        Some((at, value[..end].to_owned()))
    });
    named.take(20).collect()
}

/// Whether signs of markup are the same bytes in a charset, wherever they stand.
fn is_one_by_one(name: &str) -> bool {
    let families = [
        "utf-8",
        "utf8",
        "utf-16",
        "us-ascii",
        "ascii",
        "iso-8859-",
        "iso8859-",
        "latin",
        "windows-125",
        "koi8",
        "mac",
    ];
    families.iter().any(|family| name.starts_with(family))
}

/// Whether a high byte stands before a sign of markup, which it would take with it where letters are pairs of bytes.
fn may_be_pairs(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| {
        pair[0] >= 0x80 && matches!(pair[1], b'\\' | b'{' | b'}' | b'"' | b'\'' | b'<' | b'>' | b'=')
    })
}
