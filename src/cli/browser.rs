//! The person's browser.

use std::process::{Command, Stdio};

/// Shows a page in it. Whether that works is for the person to see; says whether there is anything to show it with.
pub(super) fn show(url: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = || Stdio::null();
    Command::new(program).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
}
