//! Many calls in one request: multipart/mixed with one HTTP message a part.

use std::fmt::Write;

use serde_json::Value;

use super::api::Reply;

/// One call of a batch: the id of its part, its verb, target and body.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) id: String,
    pub(crate) verb: String,
    pub(crate) target: String,
    pub(crate) body: Vec<u8>,
    /// Its own token, when it has one.
    pub(crate) token: Option<String>,
}

/// The boundary that a content type names.
fn boundary(content_type: &str) -> Option<String> {
    let (_, rest) = content_type.split_once("boundary=")?;
    let text = rest.split(';').next().unwrap_or_default().trim();
    Some(text.trim_matches('"').to_owned())
}

/// The parts of a batch; `None` when it is none.
pub(crate) fn parts(content_type: &str, body: &[u8]) -> Option<Vec<Part>> {
    let boundary = boundary(content_type)?;
    let text = String::from_utf8_lossy(body).replace("\r\n", "\n");
    let mut parts = Vec::new();
    for piece in text.split(&format!("--{boundary}")).skip(1) {
        if piece.starts_with("--") {
            break;
        }
        let (head, http) = piece.trim_start_matches('\n').split_once("\n\n")?;
        let http = http.trim_start_matches('\n');
        let (request, body) = http.split_once("\n\n").unwrap_or((http, ""));
        let mut lines = request.lines();
        let mut words = lines.next()?.split(' ');
        let (verb, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let bearer =
            lines.find_map(|line| field(line, "authorization")).and_then(|text| text.split_once(' '));
        parts.push(Part {
            id: head.lines().find_map(|line| field(line, "content-id")).unwrap_or_default().to_owned(),
            verb,
            target,
            body: body.trim_end().as_bytes().to_vec(),
            token: bearer.map(|(_, token)| token.to_owned()),
        });
    }
    Some(parts)
}

fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (key, value) = line.split_once(':')?;
    key.eq_ignore_ascii_case(name).then(|| value.trim())
}

/// A body as it is sent. Text stands for itself: no honest answer is a bare string.
pub(crate) fn written(body: &Value) -> String {
    match body {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The answer to a batch, and its content type.
pub(crate) fn answer(replies: &[(String, Reply)]) -> (String, Vec<u8>) {
    let boundary = "batch_4mT0JtFxpAI_AAh1w6ZFqEw";
    let mut text = String::new();
    for (id, reply) in replies {
        let id = id.trim_matches(['<', '>']);
        let body = written(&reply.body);
        write!(text, "--{boundary}\r\nContent-Type: application/http\r\nContent-ID: <response-{id}>\r\n\r\n")
            .unwrap();
        write!(text, "HTTP/1.1 {} {}\r\n", reply.status, super::phrase(reply.status)).unwrap();
        if let Some(seconds) = reply.retry_after {
            write!(text, "Retry-After: {seconds}\r\n").unwrap();
        }
        let length = body.len();
        write!(text, "Content-Type: application/json; charset=UTF-8\r\nContent-Length: {length}\r\n\r\n")
            .unwrap();
        write!(text, "{body}\r\n").unwrap();
    }
    write!(text, "--{boundary}--").unwrap();
    (format!("multipart/mixed; boundary={boundary}"), text.into_bytes())
}
