//! `[orchestrator]` and `[chat_model]`: preferences only; who goes by them is `orchestrator`.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};

use crate::model::oauth::only_that_it_is_set;

/// `[orchestrator]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OrchestratorSettings {
    /// Whether `mailkeep serve` runs it.
    pub background: bool,
    /// Which new mail becomes a note: a search.
    pub query: String,
    /// Seconds between two looks at all notes; changes that the system tells of are seen at once.
    pub poll: NonZeroU32,
    /// The label that mail gets when something was decided about it; none where it is empty.
    pub label: String,
    /// MCP servers by name; `gmail` where there is none of that name is our own, in this process.
    pub servers: BTreeMap<String, McpServerSettings>,
}

impl Default for OrchestratorSettings {
    fn default() -> Self {
        Self {
            background: false,
            query: "in:inbox".to_owned(),
            poll: NonZeroU32::new(10).unwrap_or(NonZeroU32::MIN),
            label: String::new(),
            servers: BTreeMap::new(),
        }
    }
}

impl OrchestratorSettings {
    /// The time between two looks at all notes.
    #[must_use]
    pub fn poll(&self) -> Duration {
        Duration::from_secs(u64::from(self.poll.get()))
    }
}

/// An MCP server: a command, or a URL.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpServerSettings {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables that the program gets, beside those that every program needs.
    #[serde(serialize_with = "only_names")]
    pub env: BTreeMap<String, String>,
    /// Where the server is.
    pub url: Option<String>,
    /// What it is shown.
    #[serde(serialize_with = "only_that_it_is_set")]
    pub token: Option<String>,
}

impl fmt::Debug for McpServerSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "McpServerSettings({:?}, {:?})", self.command.first(), self.url)
    }
}

fn only_names<S: Serializer>(values: &BTreeMap<String, String>, serializer: S) -> Result<S::Ok, S::Error> {
    values.keys().map(|name| (name, "(set)")).collect::<BTreeMap<_, _>>().serialize(serializer)
}

/// `[chat_model]`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatModelSettings {
    /// Where the model's server is; nobody is asked while this is not set.
    pub base_url: Option<String>,
    /// The model's name.
    pub model: String,
    /// What the server is shown.
    #[serde(serialize_with = "only_that_it_is_set")]
    pub key: Option<String>,
    /// Seconds in which the server must say something.
    pub timeout: NonZeroU32,
}

impl Default for ChatModelSettings {
    fn default() -> Self {
        let timeout = NonZeroU32::new(120).unwrap_or(NonZeroU32::MIN);
        Self { base_url: None, model: String::new(), key: None, timeout }
    }
}

impl ChatModelSettings {
    /// How long the server may be silent.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(u64::from(self.timeout.get()))
    }
}

impl fmt::Debug for ChatModelSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChatModelSettings({:?}, {:?})", self.base_url, self.model)
    }
}
