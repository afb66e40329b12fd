//! What stands around every page: its title, where it is, the switch that stops all sending.

use crate::outbox::overview::Board;
use crate::web::assets::{SCRIPT, STYLE};

/// Around a page that shows nothing of the person's.
pub(super) struct Bare {
    pub(super) title: String,
    pub(super) style: &'static str,
    pub(super) script: &'static str,
}

impl Bare {
    pub(super) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), style: &STYLE.path, script: &SCRIPT.path }
    }
}

/// Around a page of a browser that was let in.
pub(super) struct Frame {
    pub(super) bare: Bare,
    /// What every address begins with.
    pub(super) base: String,
    /// Which part of the menu this is.
    pub(super) here: &'static str,
    pub(super) waiting: usize,
    /// Since when nothing is sent.
    pub(super) paused: Option<String>,
    /// For forms about the whole outbox.
    pub(super) token: String,
    /// What a yes, and letting sending go on, asks for.
    pub(super) factor: &'static str,
    /// What the person should know about how a yes is given.
    pub(super) notices: Vec<String>,
    /// What the script watches, and how it was when the page was made.
    pub(super) watch: String,
    pub(super) state: String,
    /// What was just done.
    pub(super) done: Option<String>,
}

/// How the whole outbox stands, in a few letters that change when something does.
pub(super) fn state_of(board: &Board) -> String {
    let under_way = board.waiting.iter().chain(&board.leaving).chain(&board.unknown);
    let items: Vec<_> =
        under_way.map(|line| format!("{}.{}.{}", line.code, line.revision, line.state.name())).collect();
    format!("{} {}", board.paused.unwrap_or_default(), items.join(" "))
}
