//! The terminal, if there is one: how wide and how high it is.

use std::io::IsTerminal;
use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

/// Lines that are longer are hard to read, however wide the window.
const WIDEST: usize = 200;
/// Nothing is laid out for less.
const NARROWEST: usize = 40;
const USUAL: usize = 80;

/// How many columns to lay text out for; nothing when it goes to a file or a program, which get all of it. Those that
/// show it to somebody themselves say so in `COLUMNS`, as `watch` does.
pub(super) fn columns(stream: &(impl AsFd + IsTerminal)) -> Option<usize> {
    let columns = if stream.is_terminal() {
        let size = tcgetwinsize(stream).map(|size| usize::from(size.ws_col));
        size.ok().filter(|columns| *columns > 0).or_else(told).unwrap_or(USUAL)
    } else {
        told()?
    };
    Some(columns.clamp(NARROWEST, WIDEST))
}

fn told() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.trim().parse().ok().filter(|columns| *columns > 0)
}

/// How many lines the terminal shows at once; nothing when there is no terminal.
pub(super) fn rows(stream: &(impl AsFd + IsTerminal)) -> Option<usize> {
    let size = stream.is_terminal().then(|| tcgetwinsize(stream).ok()).flatten()?;
    Some(usize::from(size.ws_row)).filter(|rows| *rows > 0)
}
