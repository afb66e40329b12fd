//! PDF. Its reader may loop or take all memory, so this belongs in a process with limits. Before the text is taken out, the
//! pages are painted in thought (`canvas`), and words that nobody can see are taken off them.

mod annotations;
mod canvas;
mod font;
mod heap;
mod icc;
mod ink;
mod line;
mod matrix;
mod meaning;
mod page;
mod state;
mod truetype;
mod usual_letters;

use std::collections::BTreeMap;

use pdf_extract::content::{Content, Operation};
use pdf_extract::{
    ConvertToFmt, Document, Object, ObjectId, OutputError, PlainTextOutput, Stream, output_doc,
};

use crate::parse::visible_text::Verdict;

use super::DocumentError;
use super::text::Text;
use canvas::Canvas;

impl<'a> ConvertToFmt for &'a mut Text {
    type Writer = &'a mut Text;

    fn convert(self) -> Self::Writer {
        self
    }
}

/// Adds the text of all pages that can be seen, until the limit stops the reader.
pub(super) fn read(bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    let mut document = Document::load_mem(bytes).map_err(|error| DocumentError::Pdf(error.to_string()))?;
    if document.is_encrypted() {
        // Many files are locked against changes only and open without a password.
        document.decrypt("").map_err(|error| DocumentError::Pdf(error.to_string()))?;
    }
    take_off_unseen(&mut document, out);
    match output_doc(&document, &mut PlainTextOutput::new(&mut *out)) {
        Ok(()) => Ok(()),
        Err(OutputError::FormatError(_)) if out.is_full() => Ok(()),
        Err(error) => Err(DocumentError::Pdf(error.to_string())),
    }
}

/// Operations that show text, by where they stand: a page or a form, and the number of the operation in it.
pub(super) type Shows = BTreeMap<(ObjectId, usize), (Verdict, usize)>;

/// Paints every page and takes off the words that are not seen, or may not be.
fn take_off_unseen(document: &mut Document, out: &mut Text) {
    let pages: Vec<ObjectId> = document.page_iter().collect();
    let mut shows = Shows::new();
    let mut left = (canvas::MOST_OPERATIONS, canvas::Fonts::new());
    for page in &pages {
        let mut canvas = Canvas::new(document, *page, left);
        canvas.paint_page();
        left = (canvas.budget, std::mem::take(&mut canvas.fonts));
        merge(&mut shows, canvas.finished());
    }
    let mut places: BTreeMap<ObjectId, Vec<usize>> = BTreeMap::new();
    for ((place, number), (verdict, count)) in &shows {
        if *verdict != Verdict::Shown {
            out.leave_out(*count, *verdict);
            places.entry(*place).or_default().push(*number);
        }
    }
    for (place, unseen) in places {
        rewrite(document, place, &unseen, pages.contains(&place));
    }
}

/// A form may be painted several times; it is seen where it is seen each time.
fn merge(all: &mut Shows, more: Shows) {
    for (place, (verdict, count)) in more {
        let known = all.entry(place).or_insert((verdict, count));
        if verdict != Verdict::Shown {
            known.0 = verdict;
        }
    }
}

/// Writes a page or a form anew without some of its operations.
fn rewrite(document: &mut Document, place: ObjectId, unseen: &[usize], is_page: bool) {
    let Some(mut operations) = operations(document, place, is_page) else { return };
    for number in unseen {
        operations[*number] = Operation::new("n", Vec::new());
    }
    let bytes = Content { operations }.encode().unwrap_or_default();
    if is_page {
        let stream = document.add_object(Stream::new(pdf_extract::Dictionary::new(), bytes));
        if let Ok(page) = document.get_dictionary_mut(place) {
            page.set("Contents", Object::Reference(stream));
        }
    } else if let Ok(stream) = document.get_object_mut(place).and_then(Object::as_stream_mut) {
        stream.set_plain_content(bytes);
    }
}

/// What a page or a form paints.
fn operations(document: &Document, place: ObjectId, is_page: bool) -> Option<Vec<Operation>> {
    let bytes = match is_page {
        true => document.get_page_content(place).ok()?,
        false => plain(document.get_object(place).ok()?.as_stream().ok()?),
    };
    Some(Content::decode(&bytes).ok()?.operations)
}

fn plain(stream: &Stream) -> Vec<u8> {
    match stream.filters() {
        Ok(_) => stream.decompressed_content().unwrap_or_else(|_| stream.content.clone()),
        Err(_) => stream.content.clone(),
    }
}
