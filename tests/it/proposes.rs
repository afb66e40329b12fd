//! Tools ask to send: what is proposed waits for the person, and nothing that an assistant says makes it leave.

mod core;
mod documents;
mod elsewhere;
mod guards;
mod installs;
mod rest;
mod starts;

use std::process::Command;

use mailkeep::account::Secrets;
use mailkeep::clock::Clock;
use mailkeep::home::Home;
use mailkeep::model::{Factor, PolicySettings, SecretStore, SendRule};
use mailkeep::outbox::approval::{Approvals, Proof};
use mailkeep::outbox::policy::Wanted;
use serde_json::{Value, json};

use crate::speaks_mcp::over_http::Served;
use crate::world::assistant::{Assistant, text_of};
use crate::world::postbox::Postbox;
use crate::world::{World, answer};

/// A configuration in which everything leaves at once, as soon as the owner has confirmed it.
const DIRECT: &str = "[policy]\nsend = \"direct\"\n[secrets]\nstore = \"file\"\n";
const ADA: &str = "ada.berg@example.org";

/// A home whose owner set the environment and a configuration for sending.
struct Sending {
    world: World,
    env: Vec<(&'static str, String)>,
    postbox: Postbox,
}

impl Sending {
    /// A home with mail whose first account has a way out that leads nowhere: nothing is to be sent here.
    fn demonstration() -> Self {
        let world = World::new();
        assert!(world.run(&["demo", "--once"]).status.success());
        Self::of(world)
    }

    /// A machine that has nothing yet.
    fn empty() -> Self {
        Self::of(World::new())
    }

    fn of(world: World) -> Self {
        world.write("config/config.toml", "");
        let postbox = Postbox::open();
        let env = [
            ("SMTP_HOST", "127.0.0.1".to_owned()),
            ("SMTP_PORT", postbox.port.to_string()),
            ("SMTP_USER", ADA.to_owned()),
            ("SMTP_PASS", "hunter2-canary".to_owned()),
        ];
        Self { world, env: env.into(), postbox }
    }

    /// The same with another variable.
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.env.retain(|(known, _)| *known != name);
        self.env.push((name, value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.env.retain(|(known, _)| *known != name);
        self
    }

    /// The owner lets everything leave at once, and has confirmed it.
    fn direct(self) -> Self {
        self.configure(DIRECT);
        self.json(&["account", "list"]);
        drop(self.assistant(&[]).finish());
        self.confirm();
        self
    }

    /// The owner confirms that everything leaves at once.
    fn confirm(&self) {
        let policy = PolicySettings { send: SendRule::Direct, ..PolicySettings::default() };
        let home = Home::at(self.world.home());
        let secrets = Secrets::at(home.secrets(), SecretStore::File);
        let wanted = Wanted { policy, factor: Factor::Click };
        Approvals::new(&home, Clock::system(), secrets, wanted).confirm(&Proof::click()).unwrap();
    }

    fn configure(&self, text: &str) {
        self.world.write("config/config.toml", text);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(&["--config"]);
        command.arg(self.world.path("config/config.toml")).args(arguments);
        command.env("LOG_FILE", self.world.path("sends.jsonl"));
        command.env("XDG_STATE_HOME", self.world.path("state"));
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

    /// What the server wrote into its log.
    fn log(&self) -> String {
        std::fs::read_to_string(self.world.path("state/mailkeep/mcp-server.log")).unwrap()
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
