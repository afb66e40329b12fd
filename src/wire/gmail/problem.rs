//! What a refusal means. Google's statuses overlap (a rate limit comes as 403 or 429), so the reason decides first.

use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;

use crate::wire::http::HttpResponse;

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What it means for us.
    pub kind: ProblemKind,
    /// The status it came with.
    pub status: u16,
    /// What Google says.
    pub message: String,
    /// How long Google asks us to wait.
    pub wait: Option<Duration>,
}

/// What a refusal means for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// The token is not good, or no longer.
    Token,
    /// We ask too much.
    Rate,
    /// It may work in a moment.
    Temporary,
    /// What we ask for is not there.
    NotFound,
    /// It will not work.
    Refused,
}

#[derive(Deserialize)]
struct Body {
    error: Inner,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Inner {
    message: String,
    status: String,
    errors: Vec<Reason>,
}

#[derive(Deserialize)]
struct Reason {
    #[serde(default)]
    reason: String,
}

impl Problem {
    /// Reads an answer that is no success.
    #[must_use]
    pub fn of(response: &HttpResponse) -> Self {
        let inner = serde_json::from_slice::<Body>(&response.body).map(|body| body.error).unwrap_or_default();
        let reason = inner.errors.first().map_or("", |error| error.reason.as_str());
        let kind = by_reason(reason)
            .or_else(|| by_name(&inner.status))
            .unwrap_or_else(|| by_status(response.status));
        let message = match inner.message.as_str() {
            "" => format!("status {}", response.status),
            text => crate::text_safety::one_line(text).chars().take(300).collect(),
        };
        let now = response.header("date").and_then(moment);
        let field = response.header("retry-after").and_then(|text| waiting(text, now));
        let wait = field.or_else(|| in_text(&message, now));
        Self { kind, status: response.status, message, wait }
    }
}

fn by_reason(reason: &str) -> Option<ProblemKind> {
    Some(match reason {
        "authError" | "unauthorized" | "expired" => ProblemKind::Token,
        "rateLimitExceeded" | "userRateLimitExceeded" | "quotaExceeded" | "concurrentLimitExceeded" => {
            ProblemKind::Rate
        }
        "backendError" | "internalError" | "internalServerError" | "transientError" => ProblemKind::Temporary,
        "notFound" => ProblemKind::NotFound,
        "insufficientPermissions"
        | "accessNotConfigured"
        | "dailyLimitExceeded"
        | "domainPolicy"
        | "forbidden"
        | "failedPrecondition"
        | "invalidArgument"
        | "badRequest" => ProblemKind::Refused,
        _ => return None,
    })
}

/// By Google's own name of the status, which newer services give beside or without a reason.
fn by_name(status: &str) -> Option<ProblemKind> {
    Some(match status {
        "UNAUTHENTICATED" => ProblemKind::Token,
        "RESOURCE_EXHAUSTED" => ProblemKind::Rate,
        "UNAVAILABLE" | "INTERNAL" | "DEADLINE_EXCEEDED" => ProblemKind::Temporary,
        "NOT_FOUND" => ProblemKind::NotFound,
        _ => return None,
    })
}

const fn by_status(status: u16) -> ProblemKind {
    match status {
        401 => ProblemKind::Token,
        429 => ProblemKind::Rate,
        404 | 410 => ProblemKind::NotFound,
        408 | 500..=599 => ProblemKind::Temporary,
        _ => ProblemKind::Refused,
    }
}

/// A `Retry-After` field: seconds, or a date.
fn waiting(text: &str, now: Option<Timestamp>) -> Option<Duration> {
    let seconds = text.trim().parse().ok().map(Duration::from_secs);
    seconds.or_else(|| until(moment(text)?, now?))
}

/// `Retry after 2026-11-16T03:00:00.000Z` in a message, by the server's own clock.
fn in_text(message: &str, now: Option<Timestamp>) -> Option<Duration> {
    let lower = message.to_ascii_lowercase();
    let place = lower.find("retry after ")? + "retry after ".len();
    let text = message[place..].split_whitespace().next()?.trim_end_matches(['.', ',', ')']);
    until(text.parse().ok()?, now?)
}

fn until(then: Timestamp, now: Timestamp) -> Option<Duration> {
    Some(Duration::try_from(then.duration_since(now)).unwrap_or(Duration::ZERO))
}

fn moment(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Problem, ProblemKind};
    use crate::wire::http::HttpResponse;

    fn problem(status: u16, reason: &str, message: &str, headers: &[(&str, &str)]) -> Problem {
        let body = format!(
            r#"{{"error":{{"code":{status},"message":"{message}","errors":[{{"domain":"x","reason":"{reason}"}}]}}}}"#
        );
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Problem::of(&HttpResponse { status, headers, body: body.into_bytes() })
    }

    #[test]
    fn the_reason_counts_and_not_the_status() {
        let kinds = [
            (403, "rateLimitExceeded", ProblemKind::Rate),
            (429, "rateLimitExceeded", ProblemKind::Rate),
            (403, "userRateLimitExceeded", ProblemKind::Rate),
            (403, "insufficientPermissions", ProblemKind::Refused),
            (400, "backendError", ProblemKind::Temporary),
            (401, "authError", ProblemKind::Token),
            (404, "notFound", ProblemKind::NotFound),
            (503, "", ProblemKind::Temporary),
            (429, "", ProblemKind::Rate),
            (418, "", ProblemKind::Refused),
        ];
        for (status, reason, kind) in kinds {
            assert_eq!(problem(status, reason, "no", &[]).kind, kind, "{status} {reason}");
        }
    }

    #[test]
    fn a_wait_is_read_from_the_field_and_from_the_text() {
        let date = ("date", "Mon, 16 Nov 2026 03:00:00 GMT");
        let text = "User-rate limit exceeded.  Retry after 2026-11-16T03:00:02.500Z";

        let by_field = problem(429, "rateLimitExceeded", "no", &[("retry-after", "7")]);
        let by_text = problem(429, "rateLimitExceeded", text, &[date]);
        let past = problem(429, "rateLimitExceeded", &text.replace("2026", "2025"), &[date]);
        let unknown = problem(429, "rateLimitExceeded", text, &[]);

        assert_eq!(by_field.wait, Some(Duration::from_secs(7)));
        assert_eq!(by_text.wait, Some(Duration::from_millis(2500)));
        assert_eq!((past.wait, unknown.wait), (Some(Duration::ZERO), None));
    }

    #[test]
    fn a_page_of_a_proxy_is_no_riddle() {
        let response = HttpResponse { status: 502, headers: Vec::new(), body: b"<html>Bad gateway".to_vec() };

        assert_eq!(Problem::of(&response).kind, ProblemKind::Temporary);
    }
}
