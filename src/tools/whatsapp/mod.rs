//! One tool that sends a text on WhatsApp. Its fields stand in the result itself, beside what MCP puts there.

mod send_message;

use crate::tools::Tool;

pub(super) use send_message::told;

/// The tool.
pub(super) const TOOLS: &[&Tool] = &[&send_message::SEND_MESSAGE];
