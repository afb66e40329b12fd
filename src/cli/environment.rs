//! Settings from the environment, by their own names and by those that programs before this one gave them.

use std::io::Write;

/// A setting's name, and the one it had elsewhere.
const SECOND_NAMES: [(&str, &str); 5] = [
    ("MAILKEEP_SQLITE_DB", "NITTYMAIL_SQLITE_DB"),
    ("MAILKEEP_IMAP_ADDRESS", "NITTYMAIL_IMAP_ADDRESS"),
    ("MAILKEEP_MCP_MAX_LIMIT", "NITTYMAIL_MCP_MAX_LIMIT"),
    ("MAILKEEP_QUIET", "NITTYMAIL_QUIET"),
    ("MAILKEEP_MCP_DEBUG", "CLUADEMAIL_MCP_DEBUG"),
];

/// A setting; an empty one counts as not set, and its own name wins over the second.
pub(super) fn set(name: &str) -> Option<String> {
    let second = SECOND_NAMES.iter().find(|(own, _)| *own == name).map(|(_, second)| *second);
    variable(name).or_else(|| second.and_then(variable))
}

/// Whether a switch is on.
pub(super) fn is_on(name: &str) -> bool {
    set(name).is_some_and(|value| !matches!(value.to_lowercase().as_str(), "0" | "false" | "no" | "off"))
}

/// Says once, on standard error, which settings were found under their second names.
pub(super) fn warn_of_second_names() {
    let used =
        SECOND_NAMES.iter().filter(|(own, second)| variable(own).is_none() && variable(second).is_some());
    let told: Vec<_> = used.map(|(own, second)| format!("`{second}` is read as `{own}`")).collect();
    if !told.is_empty() {
        let _ = writeln!(std::io::stderr(), "warning: {}", told.join(", "));
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}
