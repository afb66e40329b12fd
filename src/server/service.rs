//! What a dispatcher asks for everything that is not the protocol itself.

use std::time::Instant;

use serde_json::{Map, Value};

use crate::server::session::Question;
use crate::server::{RequestContext, RpcError};

/// What is served: everything that is not the protocol itself.
pub trait Service: Send + Sync {
    /// Name, title and version, as clients are told.
    fn identity(&self) -> Value;

    /// What the model is told about the server as a whole.
    fn instructions(&self) -> Option<String>;

    /// What can be asked for in this revision.
    fn capabilities(&self, version: &str) -> Value;

    /// What helps to find mistakes.
    fn debug(&self) -> Option<Value> {
        None
    }

    /// Whether one more client is welcome.
    fn admit(&self, _client: &Value) -> Result<(), RpcError> {
        Ok(())
    }

    /// Whether a call can make something leave without anybody being asked, by the rules that hold now.
    fn may_send_at_once(&self) -> bool {
        false
    }

    /// The client is done: what it held is free for others.
    fn shutdown(&self) -> AfterShutdown {
        AfterShutdown::Stays
    }

    /// Answers a request; a method that there is not is an error of its own.
    fn handle(
        &self,
        method: &str,
        params: Map<String, Value>,
        context: &RequestContext,
    ) -> Result<Handled, RpcError>;

    /// Looks again at what a request waits for: its answer, or nothing when it has to wait on. The last time there must
    /// be an answer.
    fn look(&self, _: &Wait, _: &RequestContext, _is_last: bool) -> Option<Result<Value, RpcError>> {
        Some(Err(RpcError::new(RpcError::INTERNAL, "Internal error: nothing is waited for here")))
    }
}

/// What became of a request.
pub enum Handled {
    /// The answer.
    Now(Value),
    /// It comes later.
    Later(Wait),
}

impl From<Value> for Handled {
    fn from(answer: Value) -> Self {
        Self::Now(answer)
    }
}

/// What a request waits for.
pub struct Wait {
    /// In the service's own words.
    pub about: Value,
    /// It waits no longer than this; `None`: as long as it takes.
    pub until: Option<Instant>,
    /// What the client was asked meanwhile.
    pub(super) question: Option<Question>,
}

impl Wait {
    /// Waits for this, for as long as it takes.
    #[must_use]
    pub fn new(about: Value) -> Self {
        Self { about, until: None, question: None }
    }
}

/// What becomes of a server whose client is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterShutdown {
    /// It goes on: the client may come back, and the end of the input ends it.
    Stays,
    /// It ends when what is under way is answered.
    Ends,
}
