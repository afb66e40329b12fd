//! How many calls a client may make: per minute, per hour, and per minute for single tools. In memory, for one process.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::tools::{ErrorKind, ToolError};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// The limits and what has been used of them.
pub struct CallLimits {
    windows: Vec<(Option<&'static str>, Duration, usize)>,
    calls: Mutex<HashMap<usize, VecDeque<Instant>>>,
}

impl CallLimits {
    /// Limits for all tools and for single ones: the tool if only one is meant, the span of time, how many.
    #[must_use]
    pub fn new(windows: Vec<(Option<&'static str>, Duration, usize)>) -> Self {
        Self { windows, calls: Mutex::default() }
    }

    /// The limits that come with the `assistant` profile.
    #[must_use]
    pub fn for_assistant() -> Self {
        Self::new(vec![
            (None, MINUTE, 60),
            (None, HOUR, 500),
            (Some("list_emails"), MINUTE, 20),
            (Some("read_email"), MINUTE, 30),
            (Some("search_emails"), MINUTE, 10),
            (Some("create_draft"), MINUTE, 10),
            (Some("get_attachment"), MINUTE, 20),
        ])
    }

    /// These and no more than so many calls of all tools in a minute and in an hour, where there is such a limit.
    #[must_use]
    pub fn and(mut self, per_minute: Option<usize>, per_hour: Option<usize>) -> Self {
        let more = [(MINUTE, per_minute), (HOUR, per_hour)];
        self.windows.extend(more.into_iter().filter_map(|(span, most)| Some((None, span, most?))));
        self
    }

    /// Counts a call, or says how long to wait. A call that is refused does not count.
    pub(super) fn check(&self, tool: &str) -> Result<(), ToolError> {
        self.check_at(tool, Instant::now())
    }

    fn check_at(&self, tool: &str, now: Instant) -> Result<(), ToolError> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let concerned = |only: &Option<&str>| only.is_none_or(|only| only == tool);
        let mut wait = Duration::ZERO;
        for (index, (only, span, most)) in self.windows.iter().enumerate() {
            let window = calls.entry(index).or_default();
            while window.front().is_some_and(|first| now.duration_since(*first) >= *span) {
                window.pop_front();
            }
            if concerned(only) && window.len() >= *most {
                let free = window.front().map_or(now, |first| *first + *span);
                wait = wait.max(free.duration_since(now));
            }
        }
        if !wait.is_zero() {
            return Err(limited(wait));
        }
        for (index, (only, ..)) in self.windows.iter().enumerate() {
            if concerned(only) {
                calls.entry(index).or_default().push_back(now);
            }
        }
        Ok(())
    }
}

fn limited(wait: Duration) -> ToolError {
    let seconds = wait.as_millis().div_ceil(1000);
    ToolError::new(ErrorKind::RateLimited, format!("Rate limit exceeded. Try again in {seconds} seconds."))
        .with_details(serde_json::json!({ "retry_after_seconds": seconds as u64 }))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::CallLimits;

    #[test]
    fn a_tool_s_own_limit_is_told_with_the_seconds_to_wait() {
        let limits = CallLimits::for_assistant();
        let start = Instant::now();

        for _ in 0..10 {
            limits.check_at("search_emails", start).unwrap();
        }
        let error = limits.check_at("search_emails", start + Duration::from_secs(15)).unwrap_err();

        assert_eq!(error.message, "Rate limit exceeded. Try again in 45 seconds.");
        assert!(limits.check_at("read_email", start).is_ok(), "other tools go on");
        assert!(limits.check_at("search_emails", start + Duration::from_secs(60)).is_ok());
    }

    #[test]
    fn each_tool_has_the_limit_of_the_document() {
        for (tool, most) in [
            ("list_emails", 20),
            ("read_email", 30),
            ("search_emails", 10),
            ("create_draft", 10),
            ("get_attachment", 20),
            ("manage_labels", 60),
        ] {
            let limits = CallLimits::for_assistant();
            let start = Instant::now();
            let allowed = (0..100).filter(|_| limits.check_at(tool, start).is_ok()).count();
            assert_eq!(allowed, most, "{tool}");
        }
    }

    #[test]
    fn all_tools_together_have_a_limit_per_minute_and_per_hour() {
        let limits = CallLimits::for_assistant();
        let start = Instant::now();
        let mut refused = 0;

        for call in 0..600_u64 {
            let now = start + Duration::from_millis(call * 1_100);
            refused += usize::from(limits.check_at("manage_labels", now).is_err());
        }

        assert_eq!(refused, 100, "500 an hour; 1.1 s apart keeps below 60 a minute");
    }
}
