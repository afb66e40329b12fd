//! Clients of the older revisions, remembered by the id they were given in the handshake.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use uuid::Uuid;

use crate::server::Session;

/// The header that carries the id.
pub(super) const HEADER: &str = "mcp-session-id";
/// More clients than this at a time are not remembered: who was silent longest is forgotten.
const MOST: usize = 1_000;
/// A client that was silent this long is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(24 * 3600);

/// All clients.
#[derive(Default)]
pub(super) struct Sessions {
    known: Mutex<HashMap<String, (Instant, Arc<Session>)>>,
}

impl Sessions {
    /// The session of a request: the one it names, or a new one that lasts as long as the request. `None` when it
    /// names one that is over.
    pub(super) fn of(&self, headers: &HeaderMap) -> Option<Arc<Session>> {
        let Some(id) = id(headers) else { return Some(Arc::default()) };
        let mut known = self.lock();
        let (seen, session) = known.get_mut(id)?;
        *seen = Instant::now();
        Some(Arc::clone(session))
    }

    /// Remembers a session after its handshake, and gives it an id.
    pub(super) fn remember(&self, session: Arc<Session>) -> String {
        let id = Uuid::new_v4().to_string();
        let mut known = self.lock();
        known.retain(|_, (seen, _)| seen.elapsed() < FORGOTTEN);
        if known.len() >= MOST {
            let oldest = known.iter().min_by_key(|(_, (seen, _))| *seen).map(|(id, _)| id.clone());
            oldest.and_then(|id| known.remove(&id));
        }
        known.insert(id.clone(), (Instant::now(), session));
        id
    }

    /// Ends the session that a request names; says whether there was one.
    pub(super) fn end(&self, headers: &HeaderMap) -> bool {
        let ended = id(headers).and_then(|id| self.lock().remove(id));
        if let Some((_, session)) = &ended {
            session.cancel_all();
        }
        ended.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, (Instant, Arc<Session>)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn id(headers: &HeaderMap) -> Option<&str> {
    headers.get(HEADER).and_then(|value| value.to_str().ok())
}
