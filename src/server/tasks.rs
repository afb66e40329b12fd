//! Tasks: a client asks what became of a call that waits for a person, or takes it back. Both revisions that have them
//! are spoken, each in its own words; the state is the item's own, in the store, so that any process answers. No method
//! here says yes to anything.

use serde_json::{Map, Value, json};

use crate::model::ItemState;
use crate::outbox::propose::{OutboxError, Proposals, Task};
use crate::server::protocol::{PREFIX, WITH_TASKS};
use crate::server::{Era, Handled, MailService, RequestContext, RpcError, Wait};
use crate::tools::{Tool, ToolContext, later};

/// The extension of the modern era.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// Clients ask so often while somebody may be looking at it, and so often after that.
const POLL_SOON_MS: u64 = 2_000;
const POLL_LATER_MS: u64 = 15_000;
const SOON_SECONDS: i64 = 60;

/// What waits for a task, in a word.
const RESULT: &str = "task_result";

/// The methods about tasks, for one request.
pub(super) struct TaskMethods<'a> {
    pub(super) service: &'a MailService,
    pub(super) context: &'a RequestContext,
}

impl TaskMethods<'_> {
    /// Whether this revision has tasks and they are on.
    pub(super) fn are_there(&self) -> bool {
        let knows = self.context.era == Era::Modern || self.context.version == WITH_TASKS;
        knows && self.service.has_tasks()
    }

    /// Answers a method about tasks; `None` when there is no such one.
    pub(super) fn handle(
        &self,
        method: &str,
        params: &Map<String, Value>,
    ) -> Option<Result<Handled, RpcError>> {
        if !self.are_there() {
            return None;
        }
        let modern = self.context.era == Era::Modern;
        let answered = match method {
            "tasks/get" => self.find(params).map(|task| self.whole(&task).into()),
            "tasks/cancel" => self.find(params).and_then(|task| self.cancel(&task)).map(Handled::from),
            // There is nothing that a client could add to what a person decides.
            "tasks/update" if modern => self.find(params).map(|_| json!({}).into()),
            "tasks/result" if !modern => self.find(params).map(|task| self.result(&task)),
            "tasks/list" if !modern => self.list(params).map(Handled::from),
            _ => return None,
        };
        Some(answered)
    }

    /// The task that a request names, if it is one of the tools that this client has.
    fn find(&self, params: &Map<String, Value>) -> Result<Task, RpcError> {
        if self.context.era == Era::Modern {
            self.context.require_extension(EXTENSION)?;
        }
        let Some(handle) = params.get("taskId").and_then(Value::as_str) else {
            return Err(RpcError::invalid_params("Invalid params: `taskId` is missing; it must be a string"));
        };
        self.known(handle)?.ok_or_else(|| RpcError::invalid_params("Task not found, or its time is over"))
    }

    /// The task with this handle, if it is one of the tools that this client has.
    pub(super) fn known(&self, handle: &str) -> Result<Option<Task>, RpcError> {
        let task = self.proposals()?.task(handle).map_err(|error| internal(&error))?;
        Ok(task.filter(|task| self.tool(task).is_some()))
    }

    fn proposals(&self) -> Result<&Proposals, RpcError> {
        let proposals = self.service.archives.proposals();
        proposals.map(|proposals| &**proposals).ok_or_else(|| RpcError::method_not_found("tasks"))
    }

    fn tool(&self, task: &Task) -> Option<&'static Tool> {
        let toolbox = &self.service.toolbox;
        let is_it = |tool: &Tool| tool.name == task.tool && toolbox.profile_of(tool) == task.profile;
        toolbox.iter().map(|(_, tool)| tool).find(|tool| is_it(tool))
    }

    fn tool_context(&self) -> ToolContext<'_> {
        self.service.archives.context(self.context.cancellation())
    }

    /// What the call would answer now.
    pub(super) fn outcome(&self, task: &Task) -> Result<Value, RpcError> {
        let Some(tool) = self.tool(task) else { return Err(RpcError::invalid_params("Task not found")) };
        let state = task.status.item.draft.state;
        match later::told(&task.profile, &mut self.tool_context(), task.status.clone()) {
            Ok(reply) => {
                let mut result = self.service.rendered(tool, reply);
                result["isError"] = json!(later::is_error(state));
                Ok(result)
            }
            Err(error) => self.service.render_error(tool, &error, self.context.era),
        }
    }

    /// A task as this revision writes it, without what came of it.
    pub(super) fn shown(&self, task: &Task) -> Value {
        let time = |time: jiff::Timestamp| time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string();
        let modern = self.context.era == Era::Modern;
        let (kept, poll) = if modern { ("ttlMs", "pollIntervalMs") } else { ("ttl", "pollInterval") };
        let mut shown = json!({
            "taskId": task.handle,
            "status": self.status(task),
            "statusMessage": later::sentence(&self.tool_context(), &task.status),
            "createdAt": time(task.created),
            "lastUpdatedAt": time(task.updated),
        });
        shown[kept] = json!(i64::try_from(task.kept_for.as_millis()).unwrap_or(i64::MAX));
        shown[poll] = json!(self.poll(task));
        shown
    }

    /// What has not left ends as a result that tells why: the modern era calls that completed, as it does every answer
    /// of a tool; the one before it calls an answer that is an error failed.
    fn status(&self, task: &Task) -> &'static str {
        match task.status.item.draft.state {
            _ if !task.is_over => "working",
            ItemState::Withdrawn => "cancelled",
            state if later::is_error(state) && self.context.era == Era::Legacy => "failed",
            _ => "completed",
        }
    }

    fn poll(&self, task: &Task) -> u64 {
        let age = self.service.archives.clock().now().as_second() - task.created.as_second();
        if age < SOON_SECONDS { POLL_SOON_MS } else { POLL_LATER_MS }
    }

    /// A task with what came of it, where the revision puts that here.
    fn whole(&self, task: &Task) -> Value {
        let mut shown = self.shown(task);
        if self.context.era == Era::Modern && shown["status"] == "completed" {
            match self.outcome(task) {
                Ok(result) => shown["result"] = result,
                Err(error) => {
                    shown["status"] = json!("failed");
                    shown["error"] = json!({ "code": error.code, "message": error.message });
                }
            }
        }
        shown
    }

    /// Takes back what the task waits for. The modern era only acknowledges; the one before it wants to be told when it
    /// is too late.
    fn cancel(&self, task: &Task) -> Result<Value, RpcError> {
        let modern = self.context.era == Era::Modern;
        if task.is_over && !modern {
            let status = self.status(task);
            return Err(RpcError::invalid_params(format!("Cannot cancel task: it is {status} already")));
        }
        match self.proposals()?.cancel_task(task) {
            Err(OutboxError::WrongState { .. }) if modern => {}
            Err(OutboxError::WrongState { state, .. }) => {
                return Err(RpcError::invalid_params(format!("Cannot cancel task: the message is {state}")));
            }
            Err(error) => return Err(internal(&error)),
            Ok(()) => {}
        }
        if modern {
            return Ok(json!({}));
        }
        let now = self.known(&task.handle)?;
        Ok(now.map_or_else(|| json!({}), |task| self.shown(&task)))
    }

    /// What came of a task; who asks earlier waits for it, and is told meanwhile how it stands.
    fn result(&self, task: &Task) -> Handled {
        if !task.is_over {
            self.context.say("notifications/tasks/status", self.shown(task));
        }
        Handled::Later(Wait::new(json!({ RESULT: task.handle })))
    }

    /// The result of a task that a request waits for, once there is one.
    pub(super) fn look(&self, wait: &Wait, is_last: bool) -> Option<Result<Value, RpcError>> {
        let handle = wait.about.get(RESULT).and_then(Value::as_str)?;
        let unknown = || Err(RpcError::invalid_params("Task not found, or its time is over"));
        match self.known(handle) {
            Err(error) => Some(Err(error)),
            Ok(None) => Some(unknown()),
            Ok(Some(task)) if task.is_over => Some(self.outcome(&task).map(|result| related(result, &task))),
            Ok(Some(_)) if is_last => {
                let message = "the task has no result yet, and too many wait for one; ask with tasks/get";
                Some(Err(RpcError::new(RpcError::UNAVAILABLE, message)))
            }
            Ok(Some(_)) => None,
        }
    }

    fn list(&self, params: &Map<String, Value>) -> Result<Value, RpcError> {
        let before = match params.get("cursor") {
            None | Some(Value::Null) => None,
            Some(cursor) => Some(row(cursor).ok_or_else(|| {
                RpcError::invalid_params("Invalid params: `cursor` must be the nextCursor of the page before")
            })?),
        };
        let profile = self.service.toolbox.waiting_profile().unwrap_or_default();
        let page = self.proposals()?.tasks(profile, before).map_err(|error| internal(&error))?;
        let known = page.tasks.iter().filter(|task| self.tool(task).is_some());
        let mut listed = json!({ "tasks": known.map(|task| self.shown(task)).collect::<Vec<_>>() });
        if let Some(next) = page.next {
            listed["nextCursor"] = json!(next.to_string());
        }
        Ok(listed)
    }
}

/// The row that a cursor stands for.
fn row(cursor: &Value) -> Option<i64> {
    cursor.as_str().filter(|text| text.len() <= 20)?.parse().ok().filter(|row| *row > 0)
}

/// A result that says which task it is of.
fn related(mut result: Value, task: &Task) -> Value {
    result["_meta"][format!("{PREFIX}related-task")] = json!({ "taskId": task.handle });
    result
}

fn internal(error: &OutboxError) -> RpcError {
    RpcError::new(RpcError::INTERNAL, format!("Internal error: {error}"))
}
