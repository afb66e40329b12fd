//! What a tool is: its definition, what it may do, and what it gives back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value, json};

use crate::model::ItemState;
use crate::tools::{Argument, Arguments, ToolContext, ToolError};

/// What a tool can do to the world. No kind sends: what leaves is decided by a person, or by a rule of the owner's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Looks, changes nothing.
    Reads,
    /// Changes the local copy; doing it twice changes nothing more.
    Changes,
    /// Files something that a person has to decide about.
    Proposes,
    /// Asks to send something. A person decides, or a rule of the owner's; the same again is the same item.
    Sends,
}

/// One tool, as it is listed and run.
pub struct Tool {
    /// The name its document gives it.
    pub name: &'static str,
    /// A few words for people.
    pub title: &'static str,
    /// What it does, for the model.
    pub description: &'static str,
    /// What it can do to the world.
    pub effect: Effect,
    /// What it takes.
    pub arguments: &'static [Argument],
    /// The JSON Schema of its structured result; the root is an object.
    pub output: fn() -> Value,
    /// Does it.
    pub run: fn(&mut ToolContext, &Arguments) -> Result<Reply, ToolError>,
}

/// What a tool gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What the model reads.
    pub text: String,
    /// The same for programs; matches the tool's output schema.
    pub structured: Value,
    /// What is said about the result beside it.
    pub meta: Map<String, Value>,
    /// What comes behind the text, as the protocol writes it: an image, a file.
    pub attached: Vec<Value>,
    /// The item that it asked to send: what becomes of it is known later.
    pub proposed: Option<Proposed>,
}

/// An item that a call asked to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// Its short id.
    pub id: String,
    /// Where it is now.
    pub state: ItemState,
    /// Where the person decides about it, as long as they are asked and there is such a place.
    pub page: Option<String>,
}

impl Reply {
    /// A text and what it says as data.
    #[must_use]
    pub fn new(text: impl Into<String>, structured: Value) -> Self {
        Self { text: text.into(), structured, meta: Map::new(), attached: Vec::new(), proposed: None }
    }

    /// A list of rows: the text is their JSON, the data holds them under `items`.
    #[must_use]
    pub fn rows(rows: Vec<Value>) -> Self {
        let rows = Value::Array(rows);
        Self::new(rows.to_string(), Value::Object(Map::from_iter([("items".to_owned(), rows)])))
    }

    /// One object: the text is its JSON.
    #[must_use]
    pub fn object(object: Value) -> Self {
        Self::new(object.to_string(), object)
    }

    /// Adds something that comes behind the text.
    #[must_use]
    pub fn with_attached(mut self, item: Option<Value>) -> Self {
        self.attached.extend(item);
        self
    }

    /// Names the item that it asked to send.
    #[must_use]
    pub fn with_proposed(mut self, proposed: Proposed) -> Self {
        self.proposed = Some(proposed);
        self
    }

    /// Adds something that is said beside the result.
    #[must_use]
    pub fn with_meta(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.meta.insert(name.to_owned(), value.into());
        self
    }
}

/// What a list of tools says beside what a tool takes and gives.
#[derive(Debug, Clone, Copy, Default)]
pub struct Listing {
    /// Whether the owner lets things leave without being asked.
    pub sends_at_once: bool,
    /// Whether a call of it may be answered with a task, in the words of the revision that lists that.
    pub has_tasks: bool,
    /// What shows its result to a person, where a client can.
    pub app: Option<&'static str>,
}

impl Tool {
    /// The definition that `tools/list` prints, under the name it goes by there. Where the owner lets things leave
    /// without being asked, it says so, and clients ask.
    #[must_use]
    pub fn definition(&self, name: &str, listing: Listing) -> Value {
        let at_once = listing.sends_at_once && self.effect == Effect::Sends;
        let mut definition = json!({
            "name": name,
            "title": self.title,
            "description": self.description,
            "inputSchema": crate::tools::argument::schema(self.arguments),
            "outputSchema": (self.output)(),
            "annotations": self.annotations(at_once),
        });
        if listing.has_tasks {
            definition["execution"] = json!({ "taskSupport": "optional" });
        }
        if let Some(app) = listing.app {
            // The second is how hosts of the first hour read it.
            definition["_meta"] = json!({ "ui": { "resourceUri": app }, "ui/resourceUri": app });
        }
        if at_once {
            definition["_meta"]["anthropic/requiresUserInteraction"] = json!(true);
        }
        definition
    }

    /// The same without what a client of the first revisions may stumble over.
    #[must_use]
    pub fn plain_definition(&self, name: &str) -> Value {
        json!({
            "name": name,
            "description": self.description,
            "inputSchema": crate::tools::argument::schema(self.arguments),
        })
    }

    fn annotations(&self, at_once: bool) -> Value {
        let reads = self.effect == Effect::Reads;
        json!({
            "readOnlyHint": reads,
            "destructiveHint": at_once,
            "idempotentHint": self.effect != Effect::Proposes,
            "openWorldHint": at_once,
        })
    }
}

/// Tells a call that nobody waits for it any more.
#[derive(Default)]
pub struct Cancellation {
    cancelled: AtomicBool,
    interrupt: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl Cancellation {
    /// Whether the call should stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Stops the call: it is told, and what it waits for is interrupted.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        if let Some(interrupt) = self.interrupt.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            interrupt();
        }
    }

    /// What to do, beside telling the call, when it is cancelled.
    pub(super) fn on_cancel(&self, interrupt: Option<Box<dyn Fn() + Send>>) {
        *self.interrupt.lock().unwrap_or_else(PoisonError::into_inner) = interrupt;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Cancellation;

    #[test]
    fn cancelling_tells_the_call_and_interrupts_what_it_waits_for() {
        let hits = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&hits);
        let cancellation = Cancellation::default();
        cancellation.on_cancel(Some(Box::new(move || {
            seen.fetch_add(1, Ordering::Relaxed);
        })));

        cancellation.cancel();
        cancellation.on_cancel(None);
        cancellation.cancel();

        assert!(cancellation.is_cancelled());
        assert_eq!(hits.load(Ordering::Relaxed), 1);
    }
}
