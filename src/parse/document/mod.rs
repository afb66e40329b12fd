//! Text of attached files, as a person sees it. Owns the formats; starts no process and reads no file. Hidden text is left
//! out and counted by the reason for it, and so is text that something acts on that may hide it (`sight`).
//! Every text is cut off at [`MAX_TEXT`]. What could be read before a defect counts; only a document that
//! gave nothing is an error.

mod archive;
mod calendar;
mod charset;
mod docx;
mod docx_anchor;
mod docx_fields;
mod docx_headers;
mod docx_known;
mod docx_room;
mod docx_shape;
mod docx_styles;
mod docx_survey;
mod kind;
mod open_document;
mod open_document_styles;
mod open_document_survey;
mod open_document_values;
mod package;
mod page;
mod pdf;
mod pptx;
mod pptx_shapes;
mod rtf;
mod rtf_group;
mod rtf_words;
mod sight;
mod spreadsheet;
mod text;
mod xlsx;
mod xlsx_drawings;
mod xlsx_formulas;
mod xlsx_styles;
mod xml;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use kind::{DocumentKind, kind};
pub use text::MAX_TEXT;

use crate::model::{Findings, Flag, Reason};
use crate::parse::visible_text;
use text::Text;

/// What a person sees of a document, and what was left out of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The text.
    pub text: String,
    /// What is not in it, and why.
    pub findings: Findings,
}

/// What may hide text of a document, by the names under which it is counted.
const DOUBTS: [&str; 40] = [
    "alignment",
    "alternatives",
    "background",
    "bound data",
    "clipping",
    "collapsed",
    "color",
    "conditions",
    "drawings",
    "effects",
    "far away",
    "fields",
    "font-size",
    "fonts",
    "indent",
    "layers",
    "line-height",
    "not understood",
    "old format",
    "overflow",
    "page",
    "position",
    "ranges",
    "shapes",
    "sheets",
    "size",
    "something over it",
    "spacing of letters",
    "stroke",
    "styles",
    "tables",
    "too complex",
    "transform",
    "width of letters",
    "mask",
    "filter",
    "opacity",
    "rules that may act",
    "charset",
    "formulas",
];

impl Seen {
    /// What was left out in one line, for another process, which reads it with [`Seen::told`].
    #[must_use]
    pub fn left_out(&self) -> String {
        let hidden =
            self.findings.dropped.iter().map(|(reason, count)| format!("-{}={count}\t", reason.name()));
        let doubtful = self.findings.doubtful.iter().map(|(reason, count)| format!("?{reason}={count}\t"));
        hidden.chain(doubtful).collect()
    }

    /// What another process read: the line about what was left out, and the text.
    #[must_use]
    pub fn told(left_out: &str, text: &str) -> Self {
        let mut findings = visible_text::from_plain(text).findings;
        for entry in left_out.split('\t') {
            let Some((name, count)) = entry.rsplit_once('=') else { continue };
            let count = count.parse().unwrap_or(1);
            if let Some(reason) = name.strip_prefix('-').and_then(Reason::from_name) {
                findings.flag(Flag::HiddenText);
                findings.drop_characters(reason, count);
            } else if let Some(name) = name.strip_prefix('?') {
                let known = DOUBTS.iter().find(|known| **known == name);
                findings.flag(Flag::DoubtfulText);
                findings.doubt_characters(known.copied().unwrap_or("style"), count);
            }
        }
        Self { text: text.to_owned(), findings }
    }
}

/// Why a document gave no text.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The archive around the document is damaged or encrypted.
    #[error("cannot open the document's archive")]
    Archive(#[from] zip::result::ZipError),
    /// A part of the archive does not unpack.
    #[error("cannot unpack the document")]
    Unpack(#[from] std::io::Error),
    /// The parts of the document are larger than anything a person would send.
    #[error("the document unpacks to more than {} MB", archive::MAX_UNPACKED >> 20)]
    TooLarge,
    /// The archive is cut into too many parts.
    #[error("the document has {0} parts, more than {max}", max = archive::MAX_PARTS)]
    TooManyParts(usize),
    /// The spreadsheet is damaged or encrypted.
    #[error("cannot read the spreadsheet")]
    Spreadsheet(#[from] calamine::Error),
    /// The PDF is damaged or encrypted.
    #[error("cannot read the PDF: {0}")]
    Pdf(String),
    /// The reader of this format gave up in a way it should not.
    #[error("the reader of this format failed on the document")]
    Crashed,
}

/// What can be read of a document. Kinds that say [`DocumentKind::needs_child`] may run long and take memory up to
/// the limits of the process, so they are read in a child that has some.
pub fn read(kind: DocumentKind, bytes: &[u8]) -> Result<Seen, DocumentError> {
    let mut out = Text::default();
    // The readers of PDF and spreadsheets panic on some damaged files.
    let outcome = catch_unwind(AssertUnwindSafe(|| extract(kind, bytes, &mut out)))
        .unwrap_or(Err(DocumentError::Crashed));
    let (text, mut findings) = out.into_parts();
    let plain = visible_text::from_plain(text.trim_start_matches(['\r', '\n']));
    findings.join(plain.findings);
    match outcome {
        Err(error) if plain.text.is_empty() && findings == Findings::default() => Err(error),
        _ => Ok(Seen { text: plain.text, findings }),
    }
}

fn extract(kind: DocumentKind, bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    match kind {
        DocumentKind::Plain => out.push(&charset::decode(bytes)),
        DocumentKind::Html => page::read(bytes, out),
        DocumentKind::Xml => page::read_xml(bytes, out),
        DocumentKind::Calendar => calendar::read(&charset::decode(bytes), out),
        DocumentKind::Rtf => rtf::read(bytes, out),
        DocumentKind::Pdf => pdf::read(bytes, out)?,
        DocumentKind::Docx => docx::read(bytes, out)?,
        DocumentKind::Pptx => pptx::read(bytes, out)?,
        DocumentKind::OpenDocument => open_document::read(bytes, out)?,
        DocumentKind::Spreadsheet => spreadsheet::read(bytes, out)?,
    }
    Ok(())
}

#[cfg(test)]
mod docx_tests;
#[cfg(test)]
mod hidden_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod office_tests;
#[cfg(test)]
mod pdf_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod unproven_tests;
