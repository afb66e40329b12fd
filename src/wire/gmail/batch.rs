//! Many calls in one request (multipart/mixed, one HTTP message a part) and their answers, each with its own status.

use std::fmt::Write;

use memchr::memmem;

use crate::wire::http::HttpResponse;

/// One call of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchPart {
    /// Names the part in the answer.
    pub number: usize,
    /// What is asked for, from the `/` on.
    pub target: String,
}

/// A batch, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchBody {
    /// Its content type.
    pub content_type: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The answer to one call of a batch.
#[derive(Debug)]
pub struct BatchAnswer {
    /// The part it answers.
    pub number: usize,
    /// What was answered.
    pub response: HttpResponse,
}

impl BatchBody {
    /// A batch of `GET` calls.
    #[must_use]
    pub fn of(parts: &[BatchPart]) -> Self {
        const BOUNDARY: &str = "mailkeep-part";
        let mut text = String::new();
        for part in parts {
            let BatchPart { number, target } = part;
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "--{BOUNDARY}\r\nContent-Type: application/http\r\nContent-ID: <item-{number}>\r\n\r\n\
                 GET {target} HTTP/1.1\r\n\r\n"
            );
        }
        let _ = write!(text, "--{BOUNDARY}--\r\n");
        Self { content_type: format!("multipart/mixed; boundary={BOUNDARY}"), bytes: text.into_bytes() }
    }
}

/// Takes the answer to a batch apart. Parts that make no sense are left out: who asked for them asks again.
#[must_use]
pub fn read_batch(response: &HttpResponse) -> Option<Vec<BatchAnswer>> {
    let boundary = boundary(response.header("content-type")?)?;
    let delimiter = format!("--{boundary}");
    let mut starts: Vec<usize> = memmem::find_iter(&response.body, delimiter.as_bytes()).collect();
    starts.retain(|start| *start == 0 || response.body[start - 1] == b'\n');
    let ends = starts.iter().skip(1).copied().chain([response.body.len()]);
    let date = response.header("date").map(|date| ("date".to_owned(), date.to_owned()));
    let pieces = starts.iter().zip(ends).map(|(start, end)| &response.body[start + delimiter.len()..end]);
    Some(pieces.filter_map(|piece| answer(piece, date.clone())).collect())
}

fn boundary(content_type: &str) -> Option<String> {
    let (_, rest) = content_type.split_once("boundary=")?;
    Some(rest.split(';').next()?.trim().trim_matches('"').to_owned())
}

fn answer(piece: &[u8], date: Option<(String, String)>) -> Option<BatchAnswer> {
    let (head, http) = split(piece)?;
    let id = fields(head).find(|(name, _)| name == "content-id")?.1;
    let number = id.trim_matches(['<', '>']).rsplit('-').next()?.parse().ok()?;
    let (head, body) = split(http)?;
    let first = head.split(|byte| *byte == b'\n').next()?;
    let status = std::str::from_utf8(first).ok()?.split(' ').nth(1)?.trim().parse().ok()?;
    let headers = fields(head).chain(date).collect();
    let body = body.strip_suffix(b"\r\n").unwrap_or(body).to_vec();
    Some(BatchAnswer { number, response: HttpResponse { status, headers, body } })
}

/// What stands before and after the first empty line.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memmem::find(bytes, b"\r\n\r\n").map(|at| (at, 4));
    let (at, length) = at.or_else(|| memmem::find(bytes, b"\n\n").map(|at| (at, 2)))?;
    Some((&bytes[..at], &bytes[at + length..]))
}

fn fields(head: &[u8]) -> impl Iterator<Item = (String, String)> {
    head.split(|byte| *byte == b'\n').filter_map(|line| {
        let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
        Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::{BatchBody, BatchPart, read_batch};
    use crate::wire::http::HttpResponse;

    #[test]
    fn each_part_is_answered_by_itself() {
        let text = "--batch_x\r\nContent-Type: application/http\r\nContent-ID: <response-item-4>\r\n\r\n\
            HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n{\"error\":{}}\r\n\
            --batch_x\r\nContent-Type: application/http\r\nContent-ID: response-item-2\r\n\r\n\
            HTTP/1.1 200 OK\r\nRetry-After: 3\r\n\r\n{\"raw\":\"--batch_x\"}\r\n--batch_x\r\nnonsense\r\n--batch_x--";
        let headers = vec![("content-type".to_owned(), "multipart/mixed; boundary=\"batch_x\"".to_owned())];

        let answers = read_batch(&HttpResponse { status: 200, headers, body: text.into() }).unwrap();

        let seen: Vec<_> = answers.iter().map(|a| (a.number, a.response.status)).collect();
        assert_eq!(seen, [(4, 404), (2, 200)]);
        assert_eq!(answers[1].response.body, b"{\"raw\":\"--batch_x\"}");
        assert_eq!(answers[1].response.header("retry-after"), Some("3"));
    }

    #[test]
    fn a_batch_names_its_parts() {
        let body = BatchBody::of(&[BatchPart { number: 7, target: "/a?b=c".to_owned() }]);

        let text = String::from_utf8(body.bytes).unwrap();
        assert!(text.contains("Content-ID: <item-7>\r\n\r\nGET /a?b=c HTTP/1.1\r\n\r\n"), "{text}");
        assert!(text.ends_with("--mailkeep-part--\r\n") && body.content_type.ends_with("mailkeep-part"));
    }
}
