//! Progress on a terminal; silence when the output goes elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that fills with bytes, for work whose size is known.
pub(super) fn bytes(total: u64) -> ProgressBar {
    let style = "{spinner} {msg} {bar:30} {percent:>3}%  {binary_bytes_per_sec}  {eta} left";
    styled(ProgressBar::new(total), style)
}

/// A bar that fills with messages.
pub(super) fn messages(total: u64, what: &'static str) -> ProgressBar {
    let style = "{spinner} {msg} {bar:30} {pos}/{len} messages  {per_sec}  {eta} left";
    styled(ProgressBar::new(total), style).with_message(what)
}

/// Lines below each other, for work that goes on side by side.
pub(super) fn lines() -> MultiProgress {
    match std::io::stderr().is_terminal() {
        true => MultiProgress::new(),
        false => MultiProgress::with_draw_target(ProgressDrawTarget::hidden()),
    }
}

/// A line for an account whose messages are brought in.
pub(super) fn account(address: &str) -> ProgressBar {
    let style = "{spinner} {prefix}  {msg:30!}  {percent:>3}% of {len}  {per_sec}  {eta} left";
    styled(ProgressBar::new(0), style).with_prefix(address.to_owned())
}

/// A spinner, for work whose size is not known.
pub(super) fn spinner() -> ProgressBar {
    styled(ProgressBar::new_spinner(), "{spinner} {msg}  {elapsed}")
}

fn styled(bar: ProgressBar, style: &str) -> ProgressBar {
    if std::io::stderr().is_terminal() {
        bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(100));
    } else {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar
}
