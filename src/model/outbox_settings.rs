//! `[outbox]`: how long a server is waited for, and how often a message is offered to one.

use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How what was approved is sent. The times are those of RFC 5321, 4.5.3.2: who waits less for the last answer sends
/// twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutboxSettings {
    /// Whether `mailkeep serve` sends while it runs.
    pub background: bool,
    /// Whether it tells on the desktop that something waits for a yes.
    pub notices: bool,
    /// Seconds for a connection.
    pub connect: NonZeroU32,
    /// Seconds for the answer to a command.
    pub command: NonZeroU32,
    /// Seconds in which the server takes nothing of a message.
    pub data: NonZeroU32,
    /// Seconds for the answer to a message.
    pub reply: NonZeroU32,
    /// How often it is tried in a row before it is put off.
    pub tries: NonZeroU32,
    /// Milliseconds before the second try.
    pub retry_delay_ms: u32,
    /// How many times longer each later pause is.
    pub retry_multiplier: NonZeroU32,
    /// Seconds in which Gmail is asked what became of a message whose answer was lost: its search lags behind.
    pub settle: u32,
}

const fn number(value: u32) -> NonZeroU32 {
    match NonZeroU32::new(value) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}

impl Default for OutboxSettings {
    fn default() -> Self {
        Self {
            background: true,
            notices: true,
            connect: number(30),
            command: number(300),
            data: number(180),
            reply: number(600),
            tries: number(3),
            retry_delay_ms: 2_000,
            retry_multiplier: number(2),
            settle: 60,
        }
    }
}

impl OutboxSettings {
    /// A number of seconds as a time.
    #[must_use]
    pub fn seconds(number: NonZeroU32) -> Duration {
        Duration::from_secs(u64::from(number.get()))
    }
}
