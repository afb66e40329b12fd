//! What the MCP conformance suite asks a server for (tools, prompts and resources with given names), on the dispatcher
//! and the HTTP stack that serve the mail. `tests/clients` runs the suite against it.
//!
//! `cargo run --example conformance -- --listen 127.0.0.1:0` prints the URL and serves until it is killed.

mod input;
mod prompts;
mod resources;
mod samples;
mod tools;

use std::collections::HashMap;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use clap::Parser;
use mailkeep::server::http::{self, Endpoints, Guard, Listeners};
use mailkeep::server::{
    Dispatcher, Era, Handled, MODERN, RequestContext, RequestLog, RpcError, Service, Settings,
};
use serde_json::{Map, Value, json};

use input::Seal;

/// Serves the fixtures of the MCP conformance suite.
#[derive(Parser)]
struct Arguments {
    /// Address and port to listen on; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
}

struct Fixtures {
    seal: Seal,
}

impl Service for Fixtures {
    fn identity(&self) -> Value {
        json!({ "name": "conformance", "title": "Conformance fixtures", "version": env!("CARGO_PKG_VERSION") })
    }

    fn instructions(&self) -> Option<String> {
        None
    }

    /// Subscriptions and log levels are methods of the older era only.
    fn capabilities(&self, version: &str) -> Value {
        let mut capabilities = json!({ "tools": {}, "prompts": {}, "resources": {}, "completions": {} });
        if version != MODERN {
            capabilities["resources"] = json!({ "subscribe": true });
            capabilities["logging"] = json!({});
        }
        capabilities
    }

    fn handle(
        &self,
        method: &str,
        params: Map<String, Value>,
        call: &RequestContext,
    ) -> Result<Handled, RpcError> {
        let answer = match method {
            "tools/list" => Ok(tools::list()),
            "tools/call" => tools::call(&params, call, &self.seal),
            "prompts/list" => Ok(prompts::list()),
            "prompts/get" => prompts::get(&params, call, &self.seal),
            "resources/list" => Ok(resources::list()),
            "resources/templates/list" => Ok(resources::templates()),
            "resources/read" => resources::read(&params, call.era),
            "resources/subscribe" | "resources/unsubscribe" if call.era == Era::Legacy => Ok(json!({})),
            "completion/complete" => {
                Ok(json!({ "completion": { "values": [], "total": 0, "hasMore": false } }))
            }
            _ => Err(RpcError::method_not_found(method)),
        };
        answer.map(Handled::from)
    }
}

fn main() -> std::io::Result<()> {
    let arguments = Arguments::parse();
    let service = Arc::new(Fixtures { seal: Seal::new() });
    let dispatcher = Dispatcher::new(service, &Settings::default(), RequestLog::none());
    let guard = Guard::new(String::new()).open(true);
    let endpoints = Endpoints::new(dispatcher, HashMap::new(), guard);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let listeners = Listeners::bind(arguments.listen).await.map_err(|(_, error)| error)?;
        writeln!(std::io::stdout(), "http://{}/mcp", listeners.address()?)?;
        http::serve(listeners, endpoints, std::future::pending()).await
    })?;
    Ok(())
}
