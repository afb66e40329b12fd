//! WhatsApp, LinkedIn and lists: what was approved leaves once, by the process of its channel, which knows nobody else's
//! credentials.

mod credentials;
mod faults;
mod leaves;
mod unsubscribes;

use std::process::Command;

use mailkeep::account::Secrets;
use mailkeep::clock::Clock;
use mailkeep::home::Home;
use mailkeep::model::{DraftId, SecretStore};
use mailkeep::outbox::approval::{Approvals, Door, Proof};
use mailkeep::outbox::policy::Wanted;
use mailkeep::store::Reader;
use serde_json::{Value, json};

use crate::world::api_double::{ApiDouble, Reaction};
use crate::world::assistant::Assistant;
use crate::world::{NOW, World, answer};

const WHATSAPP_TOKEN: &str = "canary-whatsapp-4k2j";
const LINKEDIN_TOKEN: &str = "canary-linkedin-8d1m";
const NUMBER: &str = "109876543210";
const AUTHOR: &str = "urn:li:person:ada1";

/// A home, and the API of one channel.
struct Office {
    world: World,
    api: ApiDouble,
    channel: &'static str,
    env: Vec<(&'static str, String)>,
}

/// WhatsApp has taken it.
fn taken() -> Reaction {
    Reaction::json(
        200,
        &json!({ "messaging_product": "whatsapp", "contacts": [{ "input": "4915112345678", "wa_id": "4915112345678" }],
                 "messages": [{ "id": "wamid.HBgLMTY1" }] }),
    )
}

/// LinkedIn has taken it.
fn posted() -> Reaction {
    Reaction::Answers(201, vec![("x-restli-id", "urn:li:share:7".to_owned())], String::new())
}

/// WhatsApp refuses it with this number.
fn refusal(status: u16, code: i64) -> Reaction {
    let error = json!({ "message": format!("(#{code}) no"), "type": "OAuthException", "code": code,
                        "error_data": { "messaging_product": "whatsapp", "details": "because" }, "fbtrace_id": "A1" });
    Reaction::json(status, &json!({ "error": error }))
}

impl Office {
    fn whatsapp(reactions: &[Reaction]) -> Self {
        Self::of("whatsapp", reactions)
            .with("WHATSAPP_ACCESS_TOKEN", WHATSAPP_TOKEN)
            .with("WHATSAPP_PHONE_NUMBER_ID", NUMBER)
    }

    fn linkedin(reactions: &[Reaction]) -> Self {
        Self::of("linkedin", reactions)
            .with("LINKEDIN_ACCESS_TOKEN", LINKEDIN_TOKEN)
            .with("LINKEDIN_AUTHOR_URN", AUTHOR)
    }

    fn of(channel: &'static str, reactions: &[Reaction]) -> Self {
        let (world, api) = (World::new(), ApiDouble::with(reactions.to_vec()));
        let base = if channel == "whatsapp" { format!("{}/v23.0", api.url()) } else { api.url() };
        world.write(
            "config/config.toml",
            format!(
                "[policy]\nundo = 0\n[secrets]\nstore = \"file\"\n[outbox]\nreply = 2\n[{channel}]\nbase_url = \"{base}\"\n"
            ),
        );
        Self { world, api, channel, env: Vec::new() }
    }

    /// The same with another variable.
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.env.retain(|(known, _)| *known != name);
        self.env.push((name, value.to_owned()));
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(&["--config"]);
        command.arg(self.world.path("config/config.toml")).args(arguments);
        command.env("LOG_FILE", self.world.path("mcp.log")).env("VAULT_PATH", self.world.path("vault"));
        command.envs(self.env.iter().map(|(name, value)| (*name, value)));
        command
    }

    fn json(&self, arguments: &[&str]) -> Value {
        answer(self.command(&["--json"]).args(arguments))
    }

    fn assistant(&self) -> Assistant {
        Assistant::of(self.command(&["mcp", "--profile", self.channel]).env("MAX_RETRIES", "1"))
    }

    /// What an assistant asks for; the result.
    fn asked(&self, text: &str) -> Value {
        let mut assistant = self.assistant();
        let answer = self.ask(&mut assistant, text);
        drop(assistant.finish());
        answer["result"].clone()
    }

    fn ask(&self, assistant: &mut Assistant, text: &str) -> Value {
        match self.channel {
            "whatsapp" => {
                assistant.call("send_message", json!({ "to": "+49 151 12345678", "message": text }))
            }
            _ => assistant.call("create_post", json!({ "text": text, "visibility": "CONNECTIONS" })),
        }
    }

    /// The person says yes to what waits.
    fn approve(&self, id: &Value) {
        approve(&self.world, id);
    }

    /// Proposed and approved.
    fn approved(&self, text: &str) -> Value {
        let item = self.asked(text);
        self.approve(&item["id"]);
        item
    }

    /// The process of the channel sends what it may, and ends.
    fn send(&self) {
        let mut command = self.command(&["outbox", "send", "--once", "--channel", self.channel]);
        let output = command.env("MAX_RETRIES", "1").output().unwrap();
        assert!(output.status.code().is_some_and(|code| code < 2), "{output:?}");
    }

    fn item(&self, id: &Value) -> Value {
        self.json(&["outbox", "show", id.as_str().unwrap()])
    }
}

/// The person says yes to an item of this home.
fn approve(world: &World, id: &Value) {
    let home = Home::at(world.home());
    let clock = Clock::frozen(NOW.parse().unwrap());
    let secrets = Secrets::at(home.secrets(), SecretStore::File);
    let mut wanted = Wanted::default();
    wanted.policy.undo = 0;
    let approvals = Approvals::new(&home, clock, secrets, wanted);
    let id = id.as_str().unwrap();
    let item = Reader::open(&home.store()).unwrap().item(DraftId::parse(id).unwrap()).unwrap().unwrap();
    approvals.approve(id, &item.hash(), Door::Terminal, &Proof::click()).unwrap();
}
