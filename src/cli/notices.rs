//! Tells the person on their desktop that something waits for their yes. A click opens the page, and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crate::cli::browser;
use crate::figures::counted;
use crate::home::Home;
use crate::model::{DraftKey, ItemState};
use crate::store::{Item, ItemFilter, Reader, StoreError};
use crate::text_safety::plain_line;
use crate::wire::desktop::{Desktop, Notification};

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// So many characters of a subject are shown.
const SUBJECT: usize = 80;
/// So many waiting items are looked at; more are one figure.
const MOST: usize = 100;

/// Tells what waits in this home, with pages at this address, as long as the process lives. Nobody waits for the thread: a
/// desktop that does not answer holds nothing up.
pub(super) fn begin(home: Home, page: String) {
    thread::spawn(move || {
        let mut notices = Notices::of(page);
        loop {
            // A store that is not there yet, or not of our version, is looked at again later.
            let _ = Reader::open(&home.store()).and_then(|reader| notices.look(&reader));
            thread::sleep(LOOK_EVERY);
        }
    });
}

/// What waits, as last seen, and the one notification about it.
struct Notices {
    page: String,
    desktop: Option<Desktop>,
    seen: Vec<(DraftKey, i64)>,
    /// Its number, which a click names; 0: none is shown.
    shown: Arc<AtomicU32>,
}

impl Notices {
    fn of(page: String) -> Self {
        Self { page, desktop: None, seen: Vec::new(), shown: Arc::default() }
    }

    /// Looks at what waits: something new is told, and when nothing waits any more the notification goes.
    fn look(&mut self, reader: &Reader) -> Result<(), StoreError> {
        let waiting = ItemFilter { states: vec![ItemState::PendingApproval], limit: MOST, offset: 0 };
        let items = reader.items(&waiting)?;
        let now: Vec<_> = items.iter().map(|item| (item.draft.key, item.draft.revision)).collect();
        if now == self.seen {
            return Ok(());
        }
        let has_news = now.iter().any(|item| !self.seen.contains(item));
        self.seen = now;
        if let Some(newest) = items.first().filter(|_| has_news) {
            self.tell(&notification(newest, items.len()));
        } else if items.is_empty() {
            self.take_away();
        }
        Ok(())
    }

    fn tell(&mut self, notification: &Notification) {
        if self.desktop.is_none() {
            self.desktop = self.connect();
        }
        let before = self.shown.load(Ordering::SeqCst);
        let shown = self.desktop.as_mut().map(|desktop| desktop.show(notification, before));
        match shown.flatten() {
            Some(number) => self.shown.store(number, Ordering::SeqCst),
            // It may have gone; the next notice looks for it again.
            None => self.desktop = None,
        }
    }

    fn connect(&self) -> Option<Desktop> {
        let (desktop, listening) = (Desktop::connect()?, Desktop::connect()?);
        let (page, shown) = (self.page.clone(), Arc::clone(&self.shown));
        thread::spawn(move || {
            listening.on_click(|number| {
                // Clicks on what other programs show are told to everybody.
                if number == shown.load(Ordering::SeqCst) {
                    browser::show(&page);
                }
            });
        });
        Some(desktop)
    }

    fn take_away(&mut self) {
        let number = self.shown.swap(0, Ordering::SeqCst);
        if let Some(desktop) = self.desktop.as_mut().filter(|_| number != 0) {
            desktop.close(number);
        }
    }
}

/// The newest item by its code; of the others, how many there are.
fn notification(newest: &Item, waiting: usize) -> Notification {
    let subject: String = plain_line(&newest.draft.subject).chars().take(SUBJECT).collect();
    let others = match waiting {
        1 => String::new(),
        _ => format!("\nand {} more", counted(waiting as u64 - 1, "item")),
    };
    Notification {
        summary: "mailkeep: something waits for your yes".to_owned(),
        body: format!("{}  {subject}{others}", newest.code),
    }
}
