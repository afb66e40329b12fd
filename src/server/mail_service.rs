//! The mail, as a service: tools from a toolbox, messages as resources, a few prompts.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::audit::{CallLog, CallNote};
use crate::server::protocol::{OUR_PREFIX, WITH_TASKS};
use crate::server::tasks::TaskMethods;
use crate::server::waiting::WaitingCall;
use crate::server::{
    AfterShutdown, CallLimits, Era, Escalation, Handled, InstanceLimit, MODERN, RequestContext, RpcError,
    Service, Wait, app, instructions, prompts, resources, tasks, waiting,
};
use crate::text_safety::{brief, one_line};
use crate::tools::registry::has_fields_in_result;
use crate::tools::smtp;
use crate::tools::{
    ArchivePool, Arguments, Caller, Effect, ErrorKind, Listing, Reply, Tool, ToolContext, ToolError, Toolbox,
};

/// How the errors of tools are told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ErrorStyle {
    /// As a result that says it is an error, which models can read.
    #[default]
    Result,
    /// As an error of JSON-RPC.
    JsonRpc,
}

/// What a client of the mail gets.
pub struct MailService {
    /// The tools.
    pub toolbox: Toolbox,
    /// What tools have before them.
    pub archives: Arc<ArchivePool>,
    /// How errors are told.
    pub error_style: ErrorStyle,
    /// How many calls are allowed, if there is a limit.
    pub limits: Option<CallLimits>,
    /// Where server processes count themselves, and how many may be.
    pub instances: Option<InstanceLimit>,
    /// Definitions without schema of the result, results without data: for clients that know only text.
    pub text_only: bool,
    /// Whether `shutdown` and `exit` end the process, and not only its place among the others.
    pub ends_on_shutdown: bool,
    /// Where the person is told of calls that need them, where a document wants that.
    pub escalation: Option<Escalation>,
    /// Whether clients may wait with tasks.
    pub tasks: bool,
    /// Where calls are noted; nowhere for who only looks at a file of mail.
    pub calls: Option<CallLog>,
}

/// The message of an error has at most so many characters.
const LONGEST_MESSAGE: usize = 1_000;

impl Service for MailService {
    fn identity(&self) -> Value {
        if self.is_exact() {
            return json!({ "name": "mailkeep-mcp", "version": env!("CARGO_PKG_VERSION") });
        }
        json!({ "name": "mailkeep", "title": "mailkeep", "version": env!("CARGO_PKG_VERSION") })
    }

    fn instructions(&self) -> Option<String> {
        let instructions = match () {
            () if self.toolbox.is_profile("db") => instructions::DB,
            () if self.is_exact() => instructions::ASSISTANT,
            () if self.only_sends() => instructions::SENDING,
            () if self.toolbox.is_profile("vault") => instructions::VAULT,
            () => instructions::CORE,
        };
        Some(instructions.to_owned())
    }

    fn capabilities(&self, version: &str) -> Value {
        let is_bare = self.text_only || self.is_documents();
        let mut capabilities = match is_bare {
            true => json!({ "tools": {} }),
            false => json!({ "tools": {}, "resources": {}, "prompts": {}, "completions": {} }),
        };
        if version == WITH_TASKS && self.has_tasks() {
            capabilities["tasks"] =
                json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
        }
        if version == MODERN && self.has_tasks() {
            capabilities["extensions"][tasks::EXTENSION] = json!({});
        }
        if version == MODERN && self.has_app() {
            capabilities["extensions"][app::EXTENSION] = json!({});
        }
        capabilities
    }

    fn debug(&self) -> Option<Value> {
        Some(
            json!({ "schemaVersion": self.archives.schema_version(), "appBundleVersion": env!("CARGO_PKG_VERSION") }),
        )
    }

    fn admit(&self, client: &Value) -> Result<(), RpcError> {
        let Some(instances) = &self.instances else { return Ok(()) };
        if !self.archives.home().directory().exists() {
            return Ok(());
        }
        instances.take(&self.archives.home().clients(), client)
    }

    fn may_send_at_once(&self) -> bool {
        let sends = self.toolbox.iter().any(|(_, tool)| tool.effect == Effect::Sends);
        sends && self.archives.may_send_at_once(&self.toolbox.profile())
    }

    fn shutdown(&self) -> AfterShutdown {
        if let Some(instances) = &self.instances {
            instances.give_back();
        }
        if self.ends_on_shutdown { AfterShutdown::Ends } else { AfterShutdown::Stays }
    }

    fn handle(
        &self,
        method: &str,
        params: Map<String, Value>,
        context: &RequestContext,
    ) -> Result<Handled, RpcError> {
        if let Some(answered) = (TaskMethods { service: self, context }).handle(method, &params) {
            return answered;
        }
        if method == "tools/call" {
            return self.call_tool(params, context);
        }
        self.handle_at_once(method, &params, context).map(Handled::from)
    }

    fn look(&self, wait: &Wait, context: &RequestContext, is_last: bool) -> Option<Result<Value, RpcError>> {
        let methods = TaskMethods { service: self, context };
        methods.look(wait, is_last).or_else(|| waiting::look(&methods, wait, is_last))
    }
}

impl MailService {
    fn handle_at_once(
        &self,
        method: &str,
        params: &Map<String, Value>,
        context: &RequestContext,
    ) -> Result<Value, RpcError> {
        if method.ends_with("/list") && params.get("cursor").is_some_and(is_a_cursor) {
            return Err(RpcError::invalid_params(
                "Invalid params: there is no such `cursor`; lists have one page",
            ));
        }
        match method {
            "tools/list" => Ok(self.list_tools(context)),
            _ if self.is_documents() => Err(RpcError::method_not_found(method)),
            "resources/list" => Ok(resources::list()),
            "resources/templates/list" => Ok(resources::templates()),
            "resources/read" if self.has_app() && app::is_asked_for(params) => Ok(app::read()),
            "resources/read" => self.read_resource(params, context),
            "prompts/list" => Ok(prompts::list()),
            "prompts/get" => prompts::get(params),
            "completion/complete" => Ok(prompts::complete(&self.archives, params, context)),
            _ => Err(RpcError::method_not_found(method)),
        }
    }

    /// Whether clients may wait with tasks here: somebody can be asked, and the owner wants it.
    pub(super) fn has_tasks(&self) -> bool {
        self.tasks && !self.text_only && self.toolbox.waiting_profile().is_some()
    }

    /// Whether there is something to show proposals with.
    fn has_app(&self) -> bool {
        !self.text_only && self.toolbox.waiting_profile() == Some("core")
    }

    /// Whether everything is as the document of the `assistant` profile has it, and nothing more.
    fn is_exact(&self) -> bool {
        self.toolbox.is_profile("assistant")
    }

    /// Whether it only sends: nobody reads mail through it.
    fn only_sends(&self) -> bool {
        ["email", "smtp", "whatsapp", "linkedin"].iter().any(|name| self.toolbox.is_profile(name))
    }

    /// Whether it has the tools of one document and nothing beside them.
    fn is_documents(&self) -> bool {
        let documents = ["gmail", "vault"];
        self.is_exact() || self.only_sends() || documents.iter().any(|name| self.toolbox.is_profile(name))
    }

    fn list_tools(&self, context: &RequestContext) -> Value {
        let definitions: Vec<_> = if self.text_only {
            self.toolbox.iter().map(|(name, tool)| tool.plain_definition(name)).collect()
        } else {
            self.toolbox.definitions(Listing {
                sends_at_once: self.archives.may_send_at_once(&self.toolbox.profile()),
                has_tasks: context.version == WITH_TASKS && self.has_tasks(),
                app: self.has_app().then_some(app::URI),
            })
        };
        json!({ "tools": definitions })
    }

    fn call_tool(
        &self,
        mut params: Map<String, Value>,
        context: &RequestContext,
    ) -> Result<Handled, RpcError> {
        let Some(name) = params.get("name").and_then(Value::as_str) else { return Err(self.unnamed_tool()) };
        let Some(tool) = self.toolbox.find(name) else { return Err(self.unknown_tool(name)) };
        let call = WaitingCall::of(self, context, tool, &params)?;
        if let Some(again) = call.again(&params) {
            return again;
        }
        let arguments = params.remove("arguments");
        let watched = self.escalation.as_ref().map(|escalation| escalation.watch(tool.name));
        let (begun, given) = (Instant::now(), self.escalation.as_ref().and(arguments.clone()));
        let outcome = self.run(tool, arguments, context);
        drop(watched);
        if let Some(escalation) = &self.escalation {
            escalation.log(tool.name, &given.unwrap_or_default(), outcome.is_err(), begun.elapsed());
        }
        match outcome {
            Ok(reply) => call.answer(reply),
            Err(error) => {
                self.escalate(tool, &error);
                call.refusal(self.render_error(tool, &error, context.era))
            }
        }
    }

    fn run(
        &self,
        tool: &Tool,
        arguments: Option<Value>,
        context: &RequestContext,
    ) -> Result<Reply, ToolError> {
        self.admit(&Value::Null).map_err(|error| ToolError::new(ErrorKind::Unavailable, error.message))?;
        if let Some(limits) = &self.limits {
            limits.check(tool.name)?;
        }
        let caller = Caller {
            client: context.client.clone(),
            profile: self.toolbox.profile(),
            tool: tool.name,
            shows_app: context.has_extension(app::EXTENSION),
        };
        let asked = arguments.as_ref().map_or(0, length);
        let mut tool_context = self.archives.context(context.cancellation()).for_caller(caller);
        let answer = match Arguments::check(tool.name, tool.arguments, arguments) {
            Ok(arguments) => self.toolbox.call(tool, &mut tool_context, &arguments),
            Err(error) if error.kind == ErrorKind::AccountRequired => Err(tool_context.with_accounts(error)),
            Err(error) => Err(error),
        };
        self.note_call(tool, context, &tool_context, (asked, &answer));
        answer
    }

    /// A refused sign-in is the person's to mend.
    fn escalate(&self, tool: &Tool, error: &ToolError) {
        if let Some(escalation) = self.escalation.as_ref().filter(|_| error.kind == ErrorKind::AuthRequired) {
            escalation.refused_sign_in(tool.name, &error.message);
        }
    }

    /// A message that is read as a resource is read.
    fn read_resource(
        &self,
        params: &Map<String, Value>,
        context: &RequestContext,
    ) -> Result<Value, RpcError> {
        let resource = resources::read(&self.archives, params, context)?;
        self.note(
            context,
            &CallNote {
                tool: "resources/read",
                opened: &resource.opened,
                asked: params.get("uri").map_or(0, length),
                answered: length(&resource.contents),
                ..CallNote::default()
            },
        );
        Ok(resource.contents)
    }

    fn note_call(&self, tool: &Tool, context: &RequestContext, tools: &ToolContext<'_>, call: Sizes<'_>) {
        let (asked, answer) = call;
        self.note(
            context,
            &CallNote {
                tool: tool.name,
                opened: &tools.opened(),
                asked,
                answered: answer.as_ref().map_or(0, |reply| reply.text.len()),
                is_error: answer.is_err(),
                ..CallNote::default()
            },
        );
    }

    /// Notes a call, so that it can be told later what an assistant had read. What goes wrong with that costs no call.
    fn note(&self, context: &RequestContext, call: &CallNote<'_>) {
        let Some(calls) = self.calls.as_ref().filter(|_| self.archives.home().directory().exists()) else {
            return;
        };
        let (at_ms, client) = (self.archives.clock().now().as_millisecond(), context.client.as_deref());
        let _ = calls.note(&CallNote { at_ms, client, profile: &self.toolbox.profile(), ..call.clone() });
    }

    pub(super) fn rendered(&self, tool: &Tool, reply: Reply) -> Value {
        let mut meta = reply.meta;
        if tool.effect == Effect::Reads {
            meta.insert("untrusted".to_owned(), json!(true));
        }
        let mut content = vec![json!({ "type": "text", "text": reply.text })];
        content.extend(reply.attached);
        let mut result = json!({ "content": content, "isError": false });
        if has_fields_in_result(self.toolbox.profile_of(tool))
            && let (Some(result), Value::Object(fields)) = (result.as_object_mut(), &reply.structured)
        {
            result.extend(fields.clone());
        }
        if !self.text_only {
            result["structuredContent"] = reply.structured;
        }
        if !meta.is_empty() {
            result["_meta"] = Value::Object(meta);
        }
        result
    }

    /// The codes -32002 and -32029 mean something else, or nothing, in the modern era.
    pub(super) fn render_error(&self, tool: &Tool, error: &ToolError, era: Era) -> Result<Value, RpcError> {
        let profile = self.toolbox.profile_of(tool);
        let code = match (error.kind.code(), era) {
            (-32002 | -32029, Era::Modern) if has_fields_in_result(profile) => RpcError::UNAVAILABLE,
            (code, _) => code,
        };
        // It may repeat what the caller wrote, however long that was.
        let message = brief(&error.message, LONGEST_MESSAGE);
        let wanted = self.error_style == ErrorStyle::JsonRpc;
        let legacy = era == Era::Legacy;
        let allowed = legacy || !matches!(code, -32002 | -32029);
        let documented = has_fields_in_result(profile) || legacy && self.toolbox.is_profile("assistant");
        if allowed && (wanted || documented) {
            return Err(RpcError { code, message: message.into_owned(), data: error.data() });
        }
        let told = match profile {
            "smtp" => smtp::error_object(error, self.archives.clock().now()),
            _ => json!({ "error": error.kind.name(), "message": message, "details": error.data() }),
        };
        let mut meta = Map::new();
        let codes = json!({ "code": code, "errorCode": error.kind.error_code(), "retryable": error.kind.is_retryable() });
        meta.insert(format!("{OUR_PREFIX}error"), codes);
        Ok(json!({
            "content": [{ "type": "text", "text": told.to_string() }],
            "isError": true,
            "_meta": meta,
        }))
    }

    fn unnamed_tool(&self) -> RpcError {
        let names: Vec<_> = self.toolbox.iter().map(|(name, _)| name).collect();
        RpcError::invalid_params("Invalid params: `name` is missing; it must be the name of a tool")
            .with_data(json!({ "field": "name", "allowed": names }))
    }

    fn unknown_tool(&self, name: &str) -> RpcError {
        let names: Vec<_> = self.toolbox.iter().map(|(name, _)| name).collect();
        let shown = one_line(&brief(name, 80));
        let nearest = names.iter().min_by_key(|known| strsim::levenshtein(known, &shown));
        let data = json!({ "nearest": nearest });
        RpcError::invalid_params(format!("Unknown tool: {shown}")).with_data(data)
    }
}

/// Bytes that were asked with, and the answer.
type Sizes<'a> = (usize, &'a Result<Reply, ToolError>);

/// About how many bytes a value takes.
fn length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(length).sum(),
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + length(value)).sum(),
        _ => 8,
    }
}

/// Nothing, or nothing between quotes, is the first page.
fn is_a_cursor(given: &Value) -> bool {
    !given.is_null() && given.as_str() != Some("")
}

impl Drop for MailService {
    fn drop(&mut self) {
        self.archives.close();
    }
}
