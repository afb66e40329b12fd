//! What is said between us and a child that reads documents: the kind and the length of a document and its bytes; then
//! the length of the answer, a line about what was left out of the text, and the text. A child that has no text for a document says nothing and ends.

use std::io::{self, Read, Write};

use super::MAX_INPUT;
use crate::parse::document::{self, DocumentKind, Seen};

/// The longest answer: a text and the line before it.
pub(super) const MAX_ANSWER: usize = document::MAX_TEXT + (4 << 10);

/// Asks for the text of a document. A child that has seen enough may close its input early, so a failed write means
/// nothing.
pub(super) fn ask(child: &mut impl Write, kind: DocumentKind, bytes: &[u8]) {
    let name = kind.name().as_bytes();
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
    let head = [&[u8::try_from(name.len()).unwrap_or(0)], name, &length].concat();
    let _ = child.write_all(&head).and_then(|()| child.write_all(bytes)).and_then(|()| child.flush());
}

/// The next document to read; `None` when there are no more.
pub(super) fn question(parent: &mut impl Read) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut length = [0];
    if parent.read(&mut length)? == 0 {
        return Ok(None);
    }
    let mut name = vec![0; usize::from(length[0])];
    parent.read_exact(&mut name)?;
    let name = String::from_utf8_lossy(&name).into_owned();
    Ok(block(parent, MAX_INPUT)?.map(|bytes| (name, bytes)))
}

/// What was read of a document, as bytes.
pub(super) fn packed(seen: &Seen) -> Vec<u8> {
    format!("{}\n{}", seen.left_out(), seen.text).into_bytes()
}

/// The same out of bytes.
pub(super) fn unpacked(bytes: &[u8]) -> Option<Seen> {
    let (left_out, text) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
    Some(Seen::told(left_out, text))
}

/// Tells what was read of a document.
pub(super) fn tell(parent: &mut impl Write, seen: &Seen) -> io::Result<()> {
    let answer = packed(seen);
    parent.write_all(&u32::try_from(answer.len()).unwrap_or(u32::MAX).to_le_bytes())?;
    parent.write_all(&answer)?;
    parent.flush()
}

/// What was read of the document that was asked about; `None` when the child has ended.
pub(super) fn answer(child: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    block(child, MAX_ANSWER)
}

/// A length and so many bytes, at most `most`.
fn block(from: &mut impl Read, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > most {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::new();
    from.take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() == length { Ok(Some(bytes)) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::{MAX_ANSWER, answer, ask, question, tell, unpacked};
    use crate::model::{Flag, Reason};
    use crate::parse::document::{DocumentKind, Seen};

    #[test]
    fn what_is_said_is_understood_and_an_end_is_an_end() {
        let (mut asked, mut told) = (Vec::new(), Vec::new());
        ask(&mut asked, DocumentKind::Pdf, b"%PDF");
        ask(&mut asked, DocumentKind::Docx, b"");
        let seen = Seen::told("-color=3\t?fonts=2\t", "words\nand more");
        tell(&mut told, &seen).unwrap();

        let (mut asked, mut told) = (asked.as_slice(), told.as_slice());
        assert_eq!(question(&mut asked).unwrap(), Some(("pdf".to_owned(), b"%PDF".to_vec())));
        assert_eq!(question(&mut asked).unwrap(), Some(("docx".to_owned(), Vec::new())));
        assert_eq!(question(&mut asked).unwrap(), None);
        let answered = answer(&mut told).unwrap().and_then(|bytes| unpacked(&bytes)).unwrap();
        assert_eq!(answered, seen);
        assert_eq!(answered.text, "words\nand more");
        assert_eq!(answered.findings.dropped.get(&Reason::Color), Some(&3));
        assert!(answered.findings.flags.contains(&Flag::DoubtfulText));
        assert_eq!(answer(&mut told).unwrap(), None);
    }

    #[test]
    fn what_is_too_long_or_cut_off_is_no_answer() {
        let too_long = u32::try_from(MAX_ANSWER + 1).unwrap().to_le_bytes();

        assert!(answer(&mut too_long.as_slice()).is_err());
        assert!(answer(&mut [5, 0, 0, 0, b'x'].as_slice()).is_err());
    }
}
