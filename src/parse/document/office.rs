//! Word, PowerPoint and OpenDocument: which parts of the archive hold what a person wrote.

use super::DocumentError;
use super::archive::Archive;
use super::text::Text;
use super::xml::{self, Dialect};

/// Body, notes, comments, headers and footers.
pub(super) fn read_docx(bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    let mut archive = Archive::open(bytes)?;
    let mut names = archive.names(|name| name == "word/document.xml");
    names.extend(archive.names(|name| {
        ["footnotes", "endnotes", "comments", "header", "footer"]
            .iter()
            .any(|part| name.strip_prefix("word/").is_some_and(|file| file.starts_with(part)))
    }));
    read_parts(&mut archive, &names, Dialect::Office, out)
}

/// Slides in order, then their notes.
pub(super) fn read_pptx(bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    let mut archive = Archive::open(bytes)?;
    let mut names = archive.names(|name| name.starts_with("ppt/slides/slide"));
    names.extend(archive.names(|name| name.starts_with("ppt/notesSlides/notesSlide")));
    read_parts(&mut archive, &names, Dialect::Office, out)
}

/// Text and presentations keep all they say in one part.
pub(super) fn read_open_document(bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    read_parts(&mut Archive::open(bytes)?, &["content.xml".to_owned()], Dialect::OpenDocument, out)
}

fn read_parts(
    archive: &mut Archive<'_>,
    names: &[String],
    dialect: Dialect,
    out: &mut Text,
) -> Result<(), DocumentError> {
    for name in names {
        if out.is_full() {
            break;
        }
        xml::read(&archive.part(name)?, dialect, out);
        out.push("\n");
    }
    Ok(())
}
