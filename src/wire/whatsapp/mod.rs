//! WhatsApp's Cloud API: one text to one number. Knows its request and its answers, and nothing of who decides.

use serde::{Deserialize, Serialize};

use crate::secret::Secret;
use crate::wire::answer::{Answer, Refusal, says_no, unclear};
use crate::wire::http::{HttpRequest, HttpResponse};

/// The longest answer.
const LONGEST_ANSWER: u64 = 1 << 20;

/// The body of a request, as it goes out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextMessage {
    messaging_product: String,
    recipient_type: String,
    /// The number, in digits with its country.
    pub to: String,
    #[serde(rename = "type")]
    kind: String,
    /// What it says.
    pub text: Body,
}

/// A text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    preview_url: bool,
    /// What it says.
    pub body: String,
}

impl TextMessage {
    /// A text for a number. Nobody fetches its links to show a picture of them.
    #[must_use]
    pub fn new(to: &str, text: &str) -> Self {
        Self {
            messaging_product: "whatsapp".to_owned(),
            recipient_type: "individual".to_owned(),
            to: to.to_owned(),
            kind: "text".to_owned(),
            text: Body { preview_url: false, body: text.to_owned() },
        }
    }

    /// The bytes that go out.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and a switch are JSON")
    }

    /// Reads what was written so; `None` for anything else.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// Where texts of a number are handed in.
#[must_use]
pub fn url(base_url: &str, number: &str) -> String {
    format!("{}/{number}/messages", base_url.trim_end_matches('/'))
}

/// The request that hands in a text.
#[must_use]
pub fn request(url: &str, token: &Secret<String>, body: &[u8]) -> HttpRequest {
    HttpRequest::post(url, "application/json", body).with_token(token).at_most(LONGEST_ANSWER)
}

#[derive(Deserialize)]
struct Taken {
    messages: Vec<Id>,
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

#[derive(Deserialize)]
struct Failed {
    error: Failure,
}

#[derive(Deserialize)]
struct Failure {
    #[serde(default)]
    message: String,
    code: Option<i64>,
    error_data: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    details: String,
}

/// Reads an answer.
#[must_use]
pub fn read(response: &HttpResponse) -> Answer {
    if response.is_success() {
        let taken = serde_json::from_slice::<Taken>(&response.body).ok();
        let id = taken.and_then(|it| it.messages.into_iter().map(|it| it.id).find(|id| !id.is_empty()));
        let unclear = || Answer::Unclear("WhatsApp answered without the id of a message".to_owned());
        return id.map_or_else(unclear, Answer::Taken);
    }
    if says_no(response) { Answer::Refused(refusal(response)) } else { unclear("WhatsApp", response) }
}

fn refusal(response: &HttpResponse) -> Refusal {
    let failure = serde_json::from_slice::<Failed>(&response.body).ok().map(|it| it.error);
    let code = failure.as_ref().and_then(|it| it.code);
    let message = failure.map(|it| match it.error_data {
        Some(Details { details }) if !details.is_empty() && details != it.message => {
            format!("{}: {details}", it.message)
        }
        _ => it.message,
    });
    Refusal::of(response, code, message)
}
