//! List the emails of a thread.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{rows, shapes, word};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::MESSAGE, shapes::RFC822_SIZE]);

pub(super) const GET_EMAIL_THREAD: Tool = Tool {
    name: "db.get_email_thread",
    title: "Get email thread",
    description: "List the emails that belong to one thread.",
    effect: Effect::Reads,
    arguments: &[
        Argument::id("thread_id", "x_gm_thrid or thread_id.").required().like("42"),
        Argument::one_of("order", &["date_asc", "date_desc"], "Order.").or_text("date_asc"),
    ],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let thread = arguments.id("thread_id").unwrap_or_default();
    rows(&context.db()?.thread(&thread, word(arguments, "order")?)?)
}
