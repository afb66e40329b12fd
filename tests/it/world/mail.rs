//! Messages for tests, written field by field, and the files they travel in.

use std::fmt::Write;

/// A message in the making.
#[derive(Clone)]
pub(crate) struct Mail {
    fields: Vec<(String, String)>,
    body: String,
    html: Option<String>,
    files: Vec<File>,
}

#[derive(Clone)]
struct File {
    header: String,
    bytes: Vec<u8>,
}

impl Mail {
    /// A message with this subject, from Bob to Ada, with a Message-ID made from the subject.
    pub(crate) fn new(subject: &str) -> Self {
        let id: String = subject.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '.' }).collect();
        Self { fields: Vec::new(), body: "Nothing to see.\n".to_owned(), html: None, files: Vec::new() }
            .with("From", "Bob Stone <bob@stone.example>")
            .with("To", "Ada Berg <ada@example.org>")
            .with("Date", "Mon, 2 Mar 2026 10:00:00 +0000")
            .with("Message-ID", &format!("<{id}@test.example>"))
            .with("Subject", subject)
            .with("MIME-Version", "1.0")
    }

    /// Sets a header field, in the place of one that has the name.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        match self.fields.iter_mut().find(|(known, _)| known == name) {
            Some(field) => value.clone_into(&mut field.1),
            None => self.fields.push((name.to_owned(), value.to_owned())),
        }
        self
    }

    /// With these labels, as Google Takeout writes them into an mbox: above everything else.
    pub(crate) fn labelled(mut self, labels: &str) -> Self {
        let fields = [("X-GM-THRID", "1800000000000000001"), ("X-Gmail-Labels", labels)];
        self.fields.splice(0..0, fields.map(|(name, value)| (name.to_owned(), value.to_owned())));
        self
    }

    /// Leaves a header field out.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.fields.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn from(self, value: &str) -> Self {
        self.with("From", value)
    }

    /// Dated at this moment, as in a Date field.
    pub(crate) fn date(self, value: &str) -> Self {
        self.with("Date", value)
    }

    pub(crate) fn body(mut self, text: &str) -> Self {
        self.body = format!("{text}\n");
        self
    }

    /// An HTML body beside the plain one.
    pub(crate) fn html(mut self, html: &str) -> Self {
        self.html = Some(html.to_owned());
        self
    }

    /// Attaches a file under a disposition of `attachment`.
    pub(crate) fn attach(self, name: &str, content_type: &str, bytes: &[u8]) -> Self {
        let header =
            format!("Content-Type: {content_type}\nContent-Disposition: attachment; filename=\"{name}\"\n");
        self.part(&header, bytes)
    }

    /// Adds a part with this header.
    pub(crate) fn part(mut self, header: &str, bytes: &[u8]) -> Self {
        self.files.push(File { header: header.to_owned(), bytes: bytes.to_vec() });
        self
    }

    /// The message, with LF line ends.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = String::new();
        for (name, value) in &self.fields {
            writeln!(out, "{name}: {value}").unwrap();
        }
        let plain = format!("Content-Type: text/plain; charset=utf-8\n\n{}", self.body);
        if self.files.is_empty() && self.html.is_none() {
            let has_type = self.fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("Content-Type"));
            out.push_str(&if has_type { format!("\n{}", self.body) } else { plain });
            return out.into_bytes();
        }
        out.push_str("Content-Type: multipart/mixed; boundary=\"=-frontier\"\n\n");
        write!(out, "--=-frontier\n{plain}\n").unwrap();
        if let Some(html) = &self.html {
            write!(out, "--=-frontier\nContent-Type: text/html; charset=utf-8\n\n{html}\n").unwrap();
        }
        for file in &self.files {
            let header = &file.header;
            let encoded = base64(&file.bytes);
            write!(out, "--=-frontier\n{header}Content-Transfer-Encoding: base64\n\n{encoded}\n").unwrap();
        }
        out.push_str("--=-frontier--\n");
        out.into_bytes()
    }
}

/// Base64 in lines of 76 characters.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for (place, group) in bytes.chunks(3).enumerate() {
        let number = group
            .iter()
            .enumerate()
            .fold(0_u32, |number, (i, byte)| number | u32::from(*byte) << (16 - 8 * i));
        let digit = |i: usize| match i <= group.len() {
            true => char::from(DIGITS[(number >> (18 - 6 * i) & 63) as usize]),
            false => '=',
        };
        out.extend((0..4).map(digit));
        if place % 19 == 18 {
            out.push('\n');
        }
    }
    out
}

/// The `From ` line of every mbox here.
pub(crate) const FROM_LINE: &str = "From bob@stone.example Mon Mar  2 10:00:00 2026\n";

/// An mbox in the mboxrd form. Messages must end in a newline, or they would not come back as they are.
pub(crate) fn mboxrd<'a>(messages: impl IntoIterator<Item = &'a Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::new();
    for message in messages {
        assert!(message.ends_with(b"\n"));
        out.extend_from_slice(FROM_LINE.as_bytes());
        for line in message.split_inclusive(|byte| *byte == b'\n') {
            let quotes = line.iter().take_while(|byte| **byte == b'>').count();
            let needs_quote = line[quotes..].starts_with(b"From ");
            out.extend(needs_quote.then_some(b'>'));
            out.extend_from_slice(line);
        }
        out.push(b'\n');
    }
    out
}

/// The same bytes with CRLF line ends.
pub(crate) fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .flat_map(|byte| match byte {
            b'\n' => vec![b'\r', b'\n'],
            other => vec![*other],
        })
        .collect()
}

/// Numbered messages in threads of three, from a handful of senders, over many days.
pub(crate) fn many(count: usize) -> Vec<Vec<u8>> {
    (0..count)
        .map(|number| {
            let first = number - number % 3;
            let mail = Mail::new(&format!("Report {number}"))
                .from(&format!("Person {0} <p{0}@team.example>", number % 7))
                .date(&format!(
                    "{:02} Jan {} 08:{:02}:00 +0000",
                    number % 28 + 1,
                    2020 + number % 5,
                    number % 60
                ))
                .body(&format!(
                    "The numbers of week {number} are in.\nword{} word{}\n",
                    number % 11,
                    number % 13
                ));
            match number == first {
                true => mail.bytes(),
                false => mail.with("In-Reply-To", &format!("<Report.{first}@test.example>")).bytes(),
            }
        })
        .collect()
}
