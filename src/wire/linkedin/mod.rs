//! LinkedIn's Posts API: one text on one member's or organisation's feed. Knows its request, the marks that a text needs
//! there, and its answers; nothing of who decides.

use serde::{Deserialize, Serialize};

use crate::secret::Secret;
use crate::wire::answer::{Answer, Refusal, says_no, unclear};
use crate::wire::http::{HttpRequest, HttpResponse};

/// The longest answer.
const LONGEST_ANSWER: u64 = 1 << 20;
/// Signs that mean something in the API's texts; one that is meant as it stands has a backslash before it.
const MARKS: &str = "|{}@[]()<>#\\*_~";

/// The body of a request, as it goes out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Post {
    /// Who posts.
    pub author: String,
    commentary: String,
    /// Who sees it: `PUBLIC`, `CONNECTIONS`.
    pub visibility: String,
    distribution: Distribution,
    lifecycle_state: String,
    is_reshare_disabled_by_author: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Distribution {
    feed_distribution: String,
    target_entities: Vec<String>,
    third_party_distribution_channels: Vec<String>,
}

impl Post {
    /// A text that shows as it stands; `#word` is a hashtag.
    #[must_use]
    pub fn new(author: &str, text: &str, visibility: &str) -> Self {
        Self {
            author: author.to_owned(),
            commentary: marked(text),
            visibility: visibility.to_owned(),
            distribution: Distribution {
                feed_distribution: "MAIN_FEED".to_owned(),
                target_entities: Vec::new(),
                third_party_distribution_channels: Vec::new(),
            },
            lifecycle_state: "PUBLISHED".to_owned(),
            is_reshare_disabled_by_author: false,
        }
    }

    /// The text as people read it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.commentary.len());
        let mut letters = self.commentary.chars();
        while let Some(c) = letters.next() {
            text.push(if c == '\\' { letters.next().unwrap_or(c) } else { c });
        }
        text
    }

    /// The bytes that go out.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and lists of them are JSON")
    }

    /// Reads what was written so; `None` for anything else.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// The text with a backslash before each sign that would not be shown. Without them the API leaves out all that follows a
/// bracket, and says nothing.
fn marked(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let is_hashtag = c == '#' && letters.peek().is_some_and(|next| next.is_alphanumeric());
        if MARKS.contains(c) && !is_hashtag {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Where posts are handed in.
#[must_use]
pub fn url(base_url: &str) -> String {
    format!("{}/rest/posts", base_url.trim_end_matches('/'))
}

/// The request that hands in a post, in the form of a month (`202511`).
#[must_use]
pub fn request(url: &str, version: &str, token: &Secret<String>, body: &[u8]) -> HttpRequest {
    HttpRequest::post(url, "application/json", body)
        .with_token(token)
        .with_header("linkedin-version", version)
        .with_header("x-restli-protocol-version", "2.0.0")
        .at_most(LONGEST_ANSWER)
}

#[derive(Deserialize)]
struct Failed {
    #[serde(default)]
    message: String,
    code: Option<String>,
}

/// Reads an answer.
#[must_use]
pub fn read(response: &HttpResponse) -> Answer {
    if response.status == 201 {
        return Answer::Taken(response.header("x-restli-id").unwrap_or_default().to_owned());
    }
    if says_no(response) { Answer::Refused(refusal(response)) } else { unclear("LinkedIn", response) }
}

fn refusal(response: &HttpResponse) -> Refusal {
    let failed = serde_json::from_slice::<Failed>(&response.body).ok();
    let message = failed.filter(|it| !it.message.is_empty()).map(|it| match it.code {
        Some(code) => format!("{} ({code})", it.message),
        None => it.message,
    });
    Refusal::of(response, None, message)
}

#[cfg(test)]
mod tests {
    use super::{Post, marked};

    #[test]
    fn a_text_is_marked_so_that_it_shows_as_it_stands_and_reads_back() {
        let text = "New (beta) *today*: #Rust_lang @ 50% \\o/ # not one {x} <y> [z] a|b ~c~";

        let post = Post::new("urn:li:person:a", text, "PUBLIC");

        assert_eq!(Post::read(&post.to_bytes()).unwrap().text(), text);
        assert_eq!(marked("(a) #b # c_"), "\\(a\\) #b \\# c\\_");
    }
}
