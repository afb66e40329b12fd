//! One tool that posts on LinkedIn. Its fields stand in the result itself, beside what MCP puts there.

mod create_post;

use crate::tools::Tool;

pub(super) use create_post::told;

/// The tool.
pub(super) const TOOLS: &[&Tool] = &[&create_post::CREATE_POST];
