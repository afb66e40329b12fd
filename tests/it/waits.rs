//! An assistant that knows how to wait learns by itself what the person decided: with tasks of both revisions, with a link
//! that its client offers, or with the page that it shows. None of them can decide.

mod app;
mod extension;
mod handshake;
mod links;
mod many;

use std::process::Command;

use mailkeep::account::Secrets;
use mailkeep::clock::Clock;
use mailkeep::drafts::DraftChange;
use mailkeep::home::Home;
use mailkeep::model::{DraftId, Factor, PolicySettings, SecretStore};
use mailkeep::outbox::approval::{Approvals, Door, Edit, Proof};
use mailkeep::outbox::policy::Wanted;
use mailkeep::store::Reader;
use serde_json::{Value, json};

use crate::speaks_mcp::client::{Client, meta, request};
use crate::speaks_mcp::over_http::{Response, Served};
use crate::world::mail::mboxrd;
use crate::world::{ACCOUNT, Mail, NOW, World, answer, list, text};

const TASKS: &str = "io.modelcontextprotocol/tasks";

/// A home whose account writes what it sends into a folder.
struct Desk {
    world: World,
}

impl Desk {
    fn new() -> Self {
        let known = Mail::new("Hello").from("Bob Stone <bob@stone.example>").body("Shall we meet?");
        let world = World::holding(&mboxrd(&[known.bytes()]));
        let folder = world.path("sent");
        std::fs::create_dir(&folder).unwrap();
        world.database().execute("UPDATE accounts SET send_folder = ?1", [text(&folder)]).unwrap();
        let desk = Self { world };
        desk.configure("");
        desk
    }

    fn configure(&self, more: &str) {
        let toml = format!("[secrets]\nstore = \"file\"\n[policy]\nundo = 0\n{more}");
        self.world.write("config.toml", toml);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(&["--config"]);
        command.arg(self.world.path("config.toml")).args(arguments);
        command.env("LOG_FILE", self.world.path("server.log"));
        command
    }

    fn json(&self, arguments: &[&str]) -> Value {
        answer(self.command(&["--json"]).args(arguments))
    }

    fn stdio(&self, arguments: &[&str]) -> Client {
        Client::run(self.command(&["mcp"]).args(arguments))
    }

    /// A client of the revision with a handshake, that can do this.
    fn shaken(&self, capabilities: &Value) -> Client {
        let mut client = self.stdio(&[]);
        let answer = client.ask("initialize", &handshake(capabilities));
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        client
    }

    fn serve(&self) -> Served {
        let mut command = self.command(&["serve", "--no-sync", "--no-token", "--listen", "127.0.0.1:0"]);
        Served::run(&mut command)
    }

    /// Waits until a server of this home shows where the person decides.
    fn serve_pages(&self) -> Served {
        let served = self.serve();
        let begun = std::time::Instant::now();
        while mailkeep::server::pages_address(&Home::at(self.world.home()).clients()).is_none() {
            assert!(begun.elapsed().as_secs() < 60, "no page is shown");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        served
    }

    fn approvals(&self) -> Approvals {
        let home = Home::at(self.world.home());
        let secrets = Secrets::at(home.secrets(), SecretStore::File);
        let policy = PolicySettings { undo: 0, ..PolicySettings::default() };
        let clock = Clock::frozen(NOW.parse().unwrap());
        Approvals::new(&home, clock, secrets, Wanted { policy, factor: Factor::Click })
    }

    /// The person looks at the item and says yes.
    fn approve(&self, id: &str) {
        let reader = Reader::open(&self.world.home().join("mail.db")).unwrap();
        let item = reader.item(DraftId::parse(id).unwrap()).unwrap().unwrap();
        self.approvals().approve(id, &item.hash(), Door::Page, &Proof::click()).unwrap();
    }

    /// The person changes the text, and says yes to that.
    fn change_and_approve(&self, id: &str, change: &DraftChange) {
        let reader = Reader::open(&self.world.home().join("mail.db")).unwrap();
        let item = reader.item(DraftId::parse(id).unwrap()).unwrap().unwrap();
        let edit = Edit { id, shown: &item.hash(), change, door: Door::Page };
        self.approvals().edit_and_approve(&edit, &Proof::click()).unwrap();
    }

    fn approve_and_send(&self, id: &str) {
        self.approve(id);
        self.send(id);
    }

    fn send(&self, id: &str) {
        self.json(&["outbox", "send", "--once"]);
        // A server beside it may be the one who sends.
        let begun = std::time::Instant::now();
        while self.state(id) != "sent" {
            assert!(begun.elapsed().as_secs() < 60, "{}", self.json(&["outbox", "show", id]));
        }
    }

    fn reject(&self, id: &str, reason: &str) {
        self.approvals().reject(id, Some(reason)).unwrap();
    }

    fn state(&self, id: &str) -> String {
        self.json(&["outbox", "show", id])["state"].as_str().unwrap().to_owned()
    }

    /// The ids of everything that was proposed.
    fn items(&self) -> Vec<String> {
        let listed = self.json(&["outbox", "list", "--limit", "1000"]);
        list(&listed["items"]).iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The one item that was proposed.
    fn item(&self) -> String {
        let items = self.items();
        assert_eq!(items.len(), 1, "{items:?}");
        items[0].clone()
    }

    /// Puts an item where only a server could have put it.
    fn put(&self, id: &str, state: &str, reason: &str) {
        let database = self.world.database();
        let draft: i64 =
            database.query_row("SELECT id FROM drafts WHERE short_id = ?1", [id], |row| row.get(0)).unwrap();
        database.execute("UPDATE drafts SET state = ?1 WHERE id = ?2", (state, draft)).unwrap();
        database
            .execute(
                "UPDATE tasks SET state = ?1, revision = 1, reason = ?2, error_code = 'X', ended_epoch = 1 WHERE draft = ?3",
                (state, reason, draft),
            )
            .unwrap();
    }
}

fn handshake(capabilities: &Value) -> Value {
    let client = json!({ "name": "test", "version": "1" });
    json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client })
}

fn letter(body: &str) -> Value {
    json!({ "account": ACCOUNT, "to": ["bob@stone.example"], "subject": "Lunch", "body": body })
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

/// The same parameters of a client without a handshake that knows these extensions.
fn modern(mut params: Value, extensions: &[&str]) -> Value {
    let mut said = meta();
    for name in extensions {
        said["io.modelcontextprotocol/clientCapabilities"]["extensions"][name] = json!({});
    }
    params["_meta"] = said;
    params
}

/// A way to speak to a server.
enum Line {
    Stdio(Client),
    Http(Served),
}

impl Line {
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        match self {
            Self::Stdio(client) => client.ask(method, params),
            Self::Http(served) => post(served, method, params).json(),
        }
    }
}

/// Asks over HTTP, with the headers that the modern era wants.
fn post(served: &Served, method: &str, params: &Value) -> Response {
    let name = ["name", "uri", "taskId"].iter().find_map(|field| params[field].as_str()).unwrap_or_default();
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method), ("Mcp-Name", name)];
    let is_modern = params["_meta"].is_object();
    served.post(&request(1, method, params), if is_modern { &headers } else { &[] })
}
