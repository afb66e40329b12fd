//! Tools ask to send: what is proposed waits for the person, and nothing that an assistant says makes it leave.

mod core;

use std::process::Command;

use serde_json::{Value, json};

use crate::speaks_mcp::over_http::Served;
use crate::world::assistant::{Assistant, text_of};
use crate::world::{World, answer};

const ADA: &str = "ada.berg@example.org";

/// A home whose owner set the environment and a configuration for sending.
struct Sending {
    world: World,
    env: Vec<(&'static str, String)>,
}

impl Sending {
    /// A home with mail whose first account has a way out that leads nowhere: nothing is to be sent here.
    fn demonstration() -> Self {
        let world = World::new();
        assert!(world.run(&["demo", "--once"]).status.success());
        Self::of(world, &[("SMTP_HOST", "127.0.0.1"), ("SMTP_PORT", "9"), ("SMTP_USER", ADA)])
    }

    fn of(world: World, env: &[(&'static str, &str)]) -> Self {
        world.write("config/config.toml", "");
        Self { world, env: env.iter().map(|(name, value)| (*name, (*value).to_owned())).collect() }
    }

    fn configure(&self, text: &str) {
        self.world.write("config/config.toml", text);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(&["--config"]);
        command.arg(self.world.path("config/config.toml")).args(arguments);
        command.env("LOG_FILE", self.world.path("server.log"));
        command.envs(self.env.iter().map(|(name, value)| (*name, value)));
        command
    }

    fn json(&self, arguments: &[&str]) -> Value {
        answer(self.command(&["--json"]).args(arguments))
    }

    fn assistant(&self, arguments: &[&str]) -> Assistant {
        Assistant::of(self.command(&["mcp"]).args(arguments))
    }

    fn serve(&self, arguments: &[&str]) -> Served {
        Served::run(self.command(&["serve", "--no-sync", "--listen", "127.0.0.1:0"]).args(arguments))
    }

    fn drafts(&self) -> usize {
        usize::try_from(self.json(&["drafts", "list"])["total"].as_u64().unwrap()).unwrap()
    }
}

/// The result of a call that must have gone well; its text is the JSON of its data.
fn told(answer: &Value) -> Value {
    let result = &answer["result"];
    assert_eq!(result["isError"], json!(false), "{answer}");
    let text: Value = serde_json::from_str(text_of(result)).unwrap();
    assert_eq!(text, result["structuredContent"]);
    text
}

/// The error of a call that must not have gone well.
fn refused(answer: &Value) -> Value {
    let result = &answer["result"];
    assert_eq!(result["isError"], json!(true), "{answer}");
    serde_json::from_str(text_of(result)).unwrap()
}
