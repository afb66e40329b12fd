//! How a client waits for what the person decides: with a task, with a link that it offers the person to open, or with
//! the plain answer, which always works. Every way ends in the same item, and none of them can say yes to it.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::model::ContentHash;
use crate::outbox::propose::{Task, Waiting};
use crate::server::protocol::{PREFIX, WITH_TASKS};
use crate::server::tasks::{self, TaskMethods};
use crate::server::{Era, Handled, MailService, RequestContext, RpcError, Wait};
use crate::text_safety::{brief, one_line};
use crate::tools::{Proposed, Reply, Tool, later};

/// A call that offered a link waits so long for the person before it answers that they have not decided.
const PATIENCE: Duration = Duration::from_secs(25);
/// What waits for a decision, in a word.
const DECISION: &str = "decision";
/// What the client is asked for.
const REVIEW: &str = "review";

/// How a client can wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// With a task of the extension, where we choose it.
    Task,
    /// With a task of the revision before, which the client asked for.
    AskedTask,
    /// It can offer a link.
    Link,
    /// Not at all: it is told how things stand.
    Plain,
}

/// A call of a tool whose answer may come later.
pub(super) struct WaitingCall<'a> {
    service: &'a MailService,
    context: &'a RequestContext,
    tool: &'static Tool,
    arguments: ContentHash,
    way: Way,
}

impl<'a> WaitingCall<'a> {
    /// Reads how the client can wait; an error when it wants to wait for a tool that cannot.
    pub(super) fn of(
        service: &'a MailService,
        context: &'a RequestContext,
        tool: &'static Tool,
        params: &Map<String, Value>,
    ) -> Result<Self, RpcError> {
        let waits = later::may_come_later(service.toolbox.profile_of(tool), tool.name);
        let way = way(service, context, params);
        if way == Way::AskedTask && !waits {
            let message = format!("Method not found: `{}` cannot be called as a task", tool.name);
            return Err(RpcError::new(RpcError::METHOD_NOT_FOUND, message));
        }
        let is_again = params.contains_key("requestState");
        let needed = waits && (way != Way::Plain || is_again);
        let arguments = if needed { digest(params.get("arguments")) } else { ContentHash([0; 32]) };
        Ok(Self { service, context, tool, arguments, way: if waits { way } else { Way::Plain } })
    }

    /// The answer to a call that comes again after the client offered the link; `None` when it comes for the first time.
    /// It is about the item of the first time, whatever became of that: nothing is proposed.
    pub(super) fn again(&self, params: &Map<String, Value>) -> Option<Result<Handled, RpcError>> {
        let state = params.get("requestState").filter(|_| self.context.era == Era::Modern)?;
        let task = state.as_str().and_then(|handle| self.methods().known(handle).ok().flatten());
        let is_ours = |task: &Task| task.tool == self.tool.name && task.arguments == self.arguments;
        let Some(task) = task.filter(is_ours) else {
            return Some(Err(RpcError::invalid_params(
                "Invalid params: `requestState` is not what was given for this call",
            )));
        };
        let action = params.get("inputResponses").and_then(|given| given.get(REVIEW)?.get("action"));
        if task.is_over || action.and_then(Value::as_str) != Some("accept") {
            return Some(self.methods().outcome(&task).map(Handled::from));
        }
        Some(Ok(Handled::Later(decision(&task))))
    }

    /// The answer to a call that went well.
    pub(super) fn answer(&self, reply: Reply) -> Result<Handled, RpcError> {
        match (self.way, reply.proposed.clone()) {
            (Way::Task, Some(item)) if !item.state.is_at_rest() => Ok(self.task_or(reply, &item).into()),
            (Way::AskedTask, Some(item)) => self.asked_task(&item).map(Handled::from),
            (Way::Link, Some(Proposed { page: Some(url), id, .. })) => Ok(self.link_or(reply, &id, &url)),
            _ => Ok(self.service.rendered(self.tool, reply).into()),
        }
    }

    /// The answer to a call that did not. Whoever asked for a task would take a result for one.
    pub(super) fn refusal(&self, error: Result<Value, RpcError>) -> Result<Handled, RpcError> {
        match error {
            Ok(told) if self.way == Way::AskedTask => {
                let text = told["content"][0]["text"].as_str().unwrap_or_default();
                let told: Value = serde_json::from_str(text).unwrap_or_default();
                let message = ["message", "error"].iter().find_map(|name| told[name].as_str());
                Err(RpcError::invalid_params(message.unwrap_or("the call was refused"))
                    .with_data(told.clone()))
            }
            other => other.map(Handled::from),
        }
    }

    fn methods(&self) -> TaskMethods<'_> {
        TaskMethods { service: self.service, context: self.context }
    }

    /// A task for an item; where none can be made there is the plain answer.
    fn open(&self, item: &str) -> Option<Task> {
        let profile = self.service.toolbox.profile_of(self.tool);
        let waiting = Waiting { item, profile, tool: self.tool.name, arguments: self.arguments };
        self.service.archives.proposals()?.open_task(&waiting).ok()
    }

    fn task_or(&self, reply: Reply, item: &Proposed) -> Value {
        let Some(task) = self.open(&item.id) else { return self.service.rendered(self.tool, reply) };
        let mut shown = self.methods().shown(&task);
        // It may have been decided in this moment; what came of it is asked for.
        shown["status"] = json!("working");
        shown["resultType"] = json!("task");
        shown
    }

    fn asked_task(&self, item: &Proposed) -> Result<Value, RpcError> {
        let task = self.open(&item.id).ok_or_else(|| {
            let id = &item.id;
            let message = format!("it was proposed as {id}, but nobody can wait for it; ask get_send_status");
            RpcError::new(RpcError::UNAVAILABLE, message)
        })?;
        let mut shown = self.methods().shown(&task);
        shown["status"] = json!("working");
        let told = shown["statusMessage"].clone();
        Ok(json!({ "task": shown, "_meta": { format!("{PREFIX}model-immediate-response"): told } }))
    }

    /// Offers the page through the client.
    fn link_or(&self, reply: Reply, item: &str, url: &str) -> Handled {
        let subject = reply.structured["subject"].as_str().map(|text| one_line(&brief(text, 80)));
        let Some(task) = self.open(item) else { return self.service.rendered(self.tool, reply).into() };
        let about = subject.filter(|text| !text.is_empty()).map(|text| format!(" \"{text}\""));
        let code = &task.status.item.code;
        let message = format!(
            "Review the message{} (code {code}). It leaves only if you say yes on that page.",
            about.unwrap_or_default()
        );
        let mut params = json!({ "mode": "url", "url": url, "message": message });
        if self.context.era == Era::Modern {
            let review = json!({ "method": "elicitation/create", "params": params });
            return json!({
                "resultType": "input_required",
                "inputRequests": { REVIEW: review },
                "requestState": task.handle,
            })
            .into();
        }
        params["elicitationId"] = json!(task.handle);
        let question = Some(self.context.question("elicitation/create", &params));
        Handled::Later(Wait { question, ..decision(&task) })
    }
}

/// Waits for the person, for a while.
fn decision(task: &Task) -> Wait {
    Wait { until: Some(Instant::now() + PATIENCE), ..Wait::new(json!({ DECISION: task.handle })) }
}

/// The answer to a call that offered a link, once the person has decided, does not want to look, or takes too long. What
/// the client says about the link decides nothing.
pub(super) fn look(methods: &TaskMethods<'_>, wait: &Wait, is_last: bool) -> Option<Result<Value, RpcError>> {
    let handle = wait.about.get(DECISION).and_then(Value::as_str)?;
    let task = match methods.known(handle) {
        Ok(Some(task)) => task,
        Ok(None) => return Some(Err(RpcError::invalid_params("the message is not there any more"))),
        Err(error) => return Some(Err(error)),
    };
    if task.is_over && wait.question.is_some() {
        let done = json!({ "elicitationId": handle });
        methods.context.say("notifications/elicitation/complete", done);
    }
    let goes_on = |answer: Result<Value, RpcError>| answer.is_ok_and(|told| told["action"] == "accept");
    let refused = wait.question.as_ref().and_then(|it| it.answer()).is_some_and(|answer| !goes_on(answer));
    (task.is_over || is_last || refused).then(|| methods.outcome(&task))
}

fn way(service: &MailService, context: &RequestContext, params: &Map<String, Value>) -> Way {
    let modern = context.era == Era::Modern;
    let has_both = modern || context.version == WITH_TASKS;
    let opens_links = context
        .client_capabilities
        .get("elicitation")
        .and_then(|known| known.get("url"))
        .is_some_and(Value::is_object);
    match () {
        () if modern && service.has_tasks() && context.has_extension(tasks::EXTENSION) => Way::Task,
        () if !modern
            && has_both
            && service.has_tasks()
            && params.get("task").is_some_and(Value::is_object) =>
        {
            Way::AskedTask
        }
        () if has_both && opens_links => Way::Link,
        () => Way::Plain,
    }
}

/// SHA-256 of what a tool is called with. Names stand in their order, so that the same call is the same.
fn digest(arguments: Option<&Value>) -> ContentHash {
    ContentHash::of(arguments.unwrap_or(&Value::Null).to_string().as_bytes())
}
