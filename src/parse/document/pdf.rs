//! PDF. Its reader may loop or take all memory, so this belongs in a process with limits.

use pdf_extract::{ConvertToFmt, Document, OutputError, PlainTextOutput, output_doc};

use super::DocumentError;
use super::text::Text;

impl<'a> ConvertToFmt for &'a mut Text {
    type Writer = &'a mut Text;

    fn convert(self) -> Self::Writer {
        self
    }
}

/// Adds the text of all pages, until the limit stops the reader.
pub(super) fn read(bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    let mut document = Document::load_mem(bytes).map_err(|error| DocumentError::Pdf(error.to_string()))?;
    if document.is_encrypted() {
        // Many files are locked against changes only and open without a password.
        document.decrypt("").map_err(|error| DocumentError::Pdf(error.to_string()))?;
    }
    match output_doc(&document, &mut PlainTextOutput::new(&mut *out)) {
        Ok(()) => Ok(()),
        Err(OutputError::FormatError(_)) if out.is_full() => Ok(()),
        Err(error) => Err(DocumentError::Pdf(error.to_string())),
    }
}
