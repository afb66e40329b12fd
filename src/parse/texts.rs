//! The texts of a message as they were written, part by part: without what transfer encodings, charsets and line ends make
//! of them. For comparing two copies; what a person would read is `message`.

use std::panic::catch_unwind;

use super::body::{charset_of, shown_as};
use super::charset;
use super::tree::{self, TreePosition};

/// The decoded texts of a message in their order, plain and HTML alike, with line feeds and without the blanks at their
/// ends. Empty ones are left out.
#[must_use]
pub fn texts(bytes: &[u8]) -> Vec<String> {
    catch_unwind(|| read(&super::with_line_feeds(bytes))).unwrap_or_default()
}

fn read(bytes: &[u8]) -> Vec<String> {
    let tree = tree::read(bytes, TreePosition::default());
    let shown = tree.parts.iter().filter_map(|part| Some((part, shown_as(part)?)));
    let texts = shown.map(|(part, shown)| {
        let unwrapped = part.transfer.decode(part.body);
        let name = charset_of(part, shown, &unwrapped.bytes);
        charset::decode(&unwrapped.bytes, name.as_deref()).text.replace("\r\n", "\n").trim_end().to_owned()
    });
    texts.filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::texts;

    #[test]
    fn however_a_text_is_encoded_it_is_the_same_text() {
        let plain = "Content-Type: text/plain; charset=utf-8\r\n\r\nGrüße, Bob\r\n";
        let quoted = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n\
                      Gr=C3=BC=C3=9Fe,=20=\nBob\n\n";
        let base64 = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\n\
                      R3L832UsIEJvYg0K\n";

        for bytes in [plain, quoted, base64] {
            assert_eq!(texts(bytes.as_bytes()), ["Grüße, Bob"], "{bytes}");
        }
    }

    #[test]
    fn both_alternatives_count_and_files_do_not() {
        let message = "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/alternative; boundary=b\n\n\
                       --b\nContent-Type: text/plain\n\none\n--b\nContent-Type: text/html\n\n<p>two</p>\n--b--\n--a\n\
                       Content-Type: text/plain\nContent-Disposition: attachment; filename=c.txt\n\nthree\n--a--\n";

        assert_eq!(texts(message.as_bytes()), ["one", "<p>two</p>"]);
    }
}
