//! What an API answers to something that was handed in, told apart by the one question that counts: does it have it?

use crate::wire::http::HttpResponse;

/// What an API answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It has it, under this id; empty where it did not tell.
    Taken(String),
    /// It has not, and says why.
    Refused(Refusal),
    /// Nobody can say from it.
    Unclear(String),
}

/// Why an API does not want something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The API's own number for it, where it has any.
    pub code: Option<i64>,
    /// In its words.
    pub message: String,
    /// The status of the answer.
    pub status: u16,
    /// Seconds that it asks us to wait.
    pub retry_after: Option<i64>,
}

impl Refusal {
    /// A refusal in these words, or in ours where there are none.
    pub(super) fn of(response: &HttpResponse, code: Option<i64>, message: Option<String>) -> Self {
        Self {
            code,
            message: message.unwrap_or_else(|| format!("it answered {}", response.status)),
            status: response.status,
            retry_after: response.retry_after(),
        }
    }
}

/// Whether an answer says by its status that nothing was taken. One that the server timed out, or failed with, says
/// nothing: it may have done it before it failed.
pub(super) const fn says_no(response: &HttpResponse) -> bool {
    matches!(response.status, 300..=499) && !matches!(response.status, 408 | 409 | 425 | 499)
}

/// An answer from which nobody can say.
pub(super) fn unclear(server: &str, response: &HttpResponse) -> Answer {
    Answer::Unclear(format!("{server} answered {}", response.status))
}
