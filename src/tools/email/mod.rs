//! One tool that sends a mail, with that document's three texts. Its fields stand in the result itself, beside what MCP
//! puts there.

mod send_email;

use crate::tools::Tool;

pub(super) use send_email::told;

/// The tool.
pub(super) const TOOLS: &[&Tool] = &[&send_email::SEND_EMAIL];
