//! What an assistant would ask, and what it would get: calls of the real tools, in this process.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::mcp::archive_pool_with;
use crate::home::Home;
use crate::text_safety::many_lines;
use crate::tools::{
    ArchivePool, Arguments, Caller, Cancellation, DbSettings, Reply, Selection, ToolError, Toolbox,
};

/// What the person would say.
const QUESTION: &str = "How did the price of the kitchen change, and why?";
/// How many lines of an answer are shown.
const SHOWN: usize = 16;

/// Prints the question, the calls that lead to its answer, and the beginning of what they give.
pub(super) fn print(home: &Home, context: &mut Context) -> Result<(), Failure> {
    let bold = anstyle::Style::new().bold();
    let pool = archive_pool_with(home.clone(), context, DbSettings::default());
    let toolbox = Toolbox::new(&Selection::default())?;
    context.output.line(format!("\n{bold}What an assistant asks, and what it gets{bold:#}"))?;
    context.output.line(format!("you: {QUESTION}"))?;
    let query = json!({ "query": "kitchen quote from:ruben", "limit": 2 });
    let found = call(&toolbox, &pool, "search_emails", &query)?;
    print_call("search_emails", &query, &found, context)?;
    if let Some(id) = found.structured["items"][1]["id"].as_str() {
        let message = json!({ "email_id": id });
        let read = call(&toolbox, &pool, "read_email", &message)?;
        print_call("read_email", &message, &read, context)?;
    }
    Ok(())
}

/// Calls a tool as a server would.
pub(super) fn call(
    toolbox: &Toolbox,
    pool: &ArchivePool,
    name: &str,
    arguments: &Value,
) -> Result<Reply, Failure> {
    let failed = |error: ToolError| Failure::new("demo_tool", error.to_string(), "run `mailkeep doctor`");
    let tool = toolbox.find(name).ok_or_else(|| failed(ToolError::not_found(format!("no tool `{name}`"))))?;
    let arguments = Arguments::check(tool.name, tool.arguments, Some(arguments.clone())).map_err(failed)?;
    let client = Some("the demonstration's assistant".to_owned());
    let caller = Caller { client, profile: toolbox.profile(), tool: tool.name, ..Caller::default() };
    let mut context = pool.context(Arc::new(Cancellation::default())).for_caller(caller);
    toolbox.call(tool, &mut context, &arguments).map_err(failed)
}

fn print_call(name: &str, arguments: &Value, reply: &Reply, context: &mut Context) -> Result<(), Failure> {
    let out = &mut context.output;
    let bold = anstyle::Style::new().bold();
    out.line("")?;
    out.hanging(&format!("{bold}assistant calls {name} {}{bold:#}", spaced(arguments)), 2)?;
    let lines: Vec<&str> = reply.text.lines().filter(|line| !line.trim().is_empty()).collect();
    for line in lines.iter().take(SHOWN) {
        out.hanging(&format!("  {}", many_lines(line)), 4)?;
    }
    if lines.len() > SHOWN {
        out.line(format!("  (and {} more)", counted(lines.len() - SHOWN, "line")))?;
    }
    Ok(())
}

/// An object on one line that can be broken between its members.
fn spaced(object: &Value) -> String {
    let members = object.as_object().into_iter().flatten();
    let members: Vec<String> = members.map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{{}}}", members.join(", "))
}
