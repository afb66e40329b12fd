//! What a dispatcher asks for everything that is not the protocol itself.

use serde_json::{Map, Value};

use crate::server::{Era, RequestContext, RpcError};

/// What is served: everything that is not the protocol itself.
pub trait Service: Send + Sync {
    /// Name, title and version, as clients are told.
    fn identity(&self) -> Value;

    /// What the model is told about the server as a whole.
    fn instructions(&self) -> Option<String>;

    /// What can be asked for.
    fn capabilities(&self, era: Era) -> Value;

    /// What helps to find mistakes.
    fn debug(&self) -> Option<Value> {
        None
    }

    /// Whether one more client is welcome.
    fn admit(&self, _client: &Value) -> Result<(), RpcError> {
        Ok(())
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
    ) -> Result<Value, RpcError>;
}

/// What becomes of a server whose client is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterShutdown {
    /// It goes on: the client may come back, and the end of the input ends it.
    Stays,
    /// It ends when what is under way is answered.
    Ends,
}
