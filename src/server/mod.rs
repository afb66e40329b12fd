//! How tools are reached: JSON-RPC over stdio and HTTP, both eras of the protocol on one dispatcher.
//!
//! A frame comes in (`framing`, `http`), is read as JSON-RPC (`json_rpc`), and goes to the [`Dispatcher`], which knows
//! the protocol and asks a [`Service`] for everything else. Answers leave through an [`ResponseSink`]. Everything runs on
//! plain threads; only HTTP has a runtime.

mod allowance;
mod app;
mod call;
mod deadlines;
mod dispatcher;
mod escalation;
mod framing;
mod health;
mod instructions;
pub mod http;
mod in_process;
mod json_rpc;
mod limits;
mod mail_service;
mod parked;
mod response_sink;
mod instances;
mod prompts;
mod protocol;
mod queue;
mod request_log;
mod resources;
mod service;
mod session;
mod stdio;
mod tasks;
mod waiting;
mod wire_order;

pub use allowance::{Allowance, Held};
pub use call::RequestContext;
pub use dispatcher::{Dispatcher, Settings};
pub use escalation::Escalation;
pub use instances::{
    InstanceLimit, InstanceLock, MOST_SERVERS, RunningInstance, ServerAddresses, ServerKind, pages_address,
    running_instances,
};
pub use json_rpc::{Incoming, Request, RpcError};
pub use limits::CallLimits;
pub use mail_service::{ErrorStyle, MailService};
pub use protocol::{Era, LEGACY, MODERN};
pub use request_log::{Level, RequestLog};
pub use response_sink::{Answer, ResponseSink};
pub use service::{AfterShutdown, Handled, Service, Wait};
pub use session::Session;
pub use stdio::{Ending, Frames, serve};
