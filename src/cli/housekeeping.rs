//! What `serve` does beside answering: it shows that it runs, and when nothing is stored for a while it writes into the
//! text index what searches have looked through without it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::cli::context::Context;
use crate::clock::Clock;
use crate::home::Home;
use crate::index::{self, Effort, IndexError, Indexer};
use crate::server::{InstanceLock, MOST_SERVERS, ServerAddresses, ServerKind};
use crate::store::Reader;

/// How often it looks whether there is something to do.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// When nothing was stored for so long, nobody is at it.
const QUIET: Duration = Duration::from_secs(30);

/// Goes on until it is dropped.
pub(super) struct Housekeeping {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Housekeeping {
    /// Begins, for a server that listens here.
    pub(super) fn begin(context: &Context, addresses: ServerAddresses) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let housekeeper = Housekeeper {
            home: context.home.clone(),
            clock: context.clock.clone(),
            // A test need not wait, and nobody who polls often stores for long.
            quiet: QUIET.min(context.config.sync.poll()),
            addresses,
            place: None,
            last: (0, Instant::now()),
            done: 0,
        };
        let thread = {
            let stop = Arc::clone(&stop);
            thread::spawn(move || housekeeper.run(&stop))
        };
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for Housekeeping {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

struct Housekeeper {
    home: Home,
    clock: Clock,
    quiet: Duration,
    addresses: ServerAddresses,
    place: Option<InstanceLock>,
    /// The newest change of the store, and when it was first seen.
    last: (i64, Instant),
    /// The change up to which the index was brought, or could not be.
    done: i64,
}

impl Housekeeper {
    fn run(mut self, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            self.show_itself();
            // What goes wrong is told by `doctor`; searches go on without the index.
            let _ = self.index_when_quiet();
            thread::park_timeout(LOOK_EVERY);
        }
    }

    /// Takes a place among the home's servers as soon as there is a home.
    fn show_itself(&mut self) {
        if self.place.is_some() || !self.home.directory().exists() {
            return;
        }
        self.place = InstanceLock::take(&self.home.clients(), ServerKind::Serve, MOST_SERVERS).flatten();
        if let Some(place) = &mut self.place {
            let since = self.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
            place.describe_server(&self.addresses, &since);
        }
    }

    fn index_when_quiet(&mut self) -> Result<(), IndexError> {
        let reader = Reader::open(&self.home.store())?;
        let newest = reader.newest_change()?;
        if newest != self.last.0 {
            self.last = (newest, Instant::now());
        }
        if newest == self.done || self.last.1.elapsed() < self.quiet {
            return Ok(());
        }
        self.done = newest;
        if index::lag(&self.home.text_index(), &reader)? == 0 {
            return Ok(());
        }
        match Indexer::try_open(&self.home.text_index(), &reader, Effort::Gentle)? {
            Some(mut indexer) => {
                indexer.catch_up(&reader, &Context::extractor(), &mut |_| {})?;
                indexer.close()
            }
            // Whoever is at it may leave something.
            None => {
                self.done = 0;
                Ok(())
            }
        }
    }
}
