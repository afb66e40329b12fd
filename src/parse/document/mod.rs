//! Text of attached files, for search. Owns the formats; starts no process and reads no file.
//! Every text is cut off at [`MAX_TEXT`]. What could be read before a defect counts; only a document that
//! gave nothing is an error.

mod archive;
mod calendar;
mod charset;
mod kind;
mod office;
mod pdf;
mod rtf;
mod spreadsheet;
mod text;
mod xml;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use kind::{DocumentKind, kind};
pub use text::MAX_TEXT;

use crate::parse::visible_text;
use text::Text;

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

/// The text of a document. Kinds that say [`DocumentKind::needs_child`] may run long and take memory up to
/// the limits of the process, so they are read in a child that has some.
pub fn text(kind: DocumentKind, bytes: &[u8]) -> Result<String, DocumentError> {
    let mut out = Text::default();
    // The readers of PDF and spreadsheets panic on some damaged files.
    let outcome = catch_unwind(AssertUnwindSafe(|| extract(kind, bytes, &mut out)))
        .unwrap_or(Err(DocumentError::Crashed));
    let text = visible_text::from_plain(out.into_string().trim_start_matches(['\r', '\n'])).text;
    match outcome {
        Err(error) if text.is_empty() => Err(error),
        _ => Ok(text),
    }
}

fn extract(kind: DocumentKind, bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    match kind {
        DocumentKind::Plain => out.push(&charset::decode(bytes)),
        DocumentKind::Html => {
            out.push(&visible_text::from_html(&charset::decode(bytes)).unwrap_or_default().text)
        }
        DocumentKind::Xml => xml::read(&charset::decode(bytes), xml::Dialect::Generic, out),
        DocumentKind::Calendar => calendar::read(&charset::decode(bytes), out),
        DocumentKind::Rtf => rtf::read(bytes, out),
        DocumentKind::Pdf => pdf::read(bytes, out)?,
        DocumentKind::Docx => office::read_docx(bytes, out)?,
        DocumentKind::Pptx => office::read_pptx(bytes, out)?,
        DocumentKind::OpenDocument => office::read_open_document(bytes, out)?,
        DocumentKind::Spreadsheet => spreadsheet::read(bytes, out)?,
    }
    Ok(())
}

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;
