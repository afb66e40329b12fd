//! What bounds a conversation with another machine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long to wait, and who may end a wait.
#[derive(Debug, Clone)]
pub struct IoLimits {
    /// The longest silence.
    pub silence: Duration,
    /// Set to stop.
    pub stop: Arc<AtomicBool>,
}
