//! The person's pages: whom they let in, what they show, and that a yes on them is the person's, to exactly what they saw.

mod decisions;
mod guards;
mod hostile;
mod looks;
#[cfg(target_os = "linux")]
mod notices;
mod opens;

use std::process::Command;

use mailkeep::account::{PageAccess, Secrets};
use mailkeep::clock::Clock;
use mailkeep::home::Home;
use mailkeep::model::{AccountSettings, Endpoint, Factor, PolicySettings, SecretStore, SignIn, Tls, Via};
use mailkeep::outbox::approval::Approvals;
use mailkeep::outbox::policy::Wanted;
use mailkeep::secret::Secret;
use mailkeep::store::Store;
use serde_json::{Value, json};

use crate::speaks_mcp::over_http::{Response, Served};
use crate::world::assistant::Assistant;
use crate::world::mail::mboxrd;
use crate::world::{ACCOUNT, Mail, World, answer, text};

/// A home whose account writes what it sends into a folder, and a server of it.
struct Site {
    world: World,
    served: Served,
}

/// A browser that was let in.
struct Browser {
    base: String,
    cookie: String,
}

impl Site {
    fn new() -> Self {
        Self::configured("[policy]\nundo = 60\n")
    }

    fn configured(toml: &str) -> Self {
        Self::started(toml, |_, _| {})
    }

    /// The same, where a server is started in another environment.
    fn started(toml: &str, environment: impl FnOnce(&mut Command, &World)) -> Self {
        let known = Mail::new("Hello").from("Bob Stone <bob@stone.example>").body("Shall we meet?");
        let world = World::holding(&mboxrd(&[known.bytes()]));
        let folder = world.path("sent");
        std::fs::create_dir(&folder).unwrap();
        world.database().execute("UPDATE accounts SET send_folder = ?1", [text(&folder)]).unwrap();
        world.write("config.toml", toml);
        let mut serve = command(&world, &["serve", "--no-sync", "--listen", "127.0.0.1:0"]);
        environment(&mut serve, &world);
        let served = Served::run(&mut serve);
        Self { world, served }
    }

    fn json(&self, arguments: &[&str]) -> Value {
        answer(command(&self.world, &["--json"]).args(arguments))
    }

    /// What `outbox show` prints.
    fn shown(&self, id: &str) -> String {
        let output = command(&self.world, &["outbox", "show", id]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn state(&self, id: &str) -> String {
        self.json(&["outbox", "show", id])["state"].as_str().unwrap().to_owned()
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        let mut assistant = Assistant::of(&mut command(&self.world, &["mcp"]));
        let answer = assistant.call(tool, arguments);
        assistant.finish();
        answer["result"].clone()
    }

    /// Has an assistant propose a message; its id.
    fn proposed(&self, body: &str) -> String {
        self.proposed_as(&json!({ "to": ["bob@stone.example"], "subject": "Lunch", "body": body }))
    }

    fn proposed_as(&self, letter: &Value) -> String {
        let mut letter = letter.clone();
        letter["account"] = json!(ACCOUNT);
        let answer = self.call("send_email", letter);
        answer["structuredContent"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// What the pages and the terminal decide through, under a configuration that asks for this factor.
    fn approvals(&self, factor: Factor) -> Approvals {
        let home = Home::at(self.world.home());
        let secrets = Secrets::at(home.secrets(), SecretStore::File);
        Approvals::new(&home, Clock::system(), secrets, Wanted { policy: PolicySettings::default(), factor })
    }

    /// Has the account leave by a server.
    fn leave_by(&self, port: u16) {
        let home = Home::at(self.world.home());
        let smtp = Some(Endpoint { host: "127.0.0.1".to_owned(), port, tls: Tls::None });
        let (user, sign_in) = (ACCOUNT.to_owned(), SignIn::Password);
        let settings = AccountSettings { via: Via::default(), user, sign_in, imap: None, smtp };
        let mut store = Store::open(&home.store()).unwrap();
        let tx = store.begin().unwrap();
        let account = tx.set_account(ACCOUNT, &settings, 0).unwrap();
        tx.set_send_folder(account, None).unwrap();
        tx.commit().unwrap();
        let secrets = Secrets::at(home.secrets(), SecretStore::File);
        secrets.set(ACCOUNT, &Secret::new("hunter2".to_owned())).unwrap();
    }

    fn host(&self) -> String {
        format!("localhost:{}", self.served.port)
    }

    /// A request with these fields and no others.
    fn bare(&self, line: &str, fields: &[(&str, &str)], body: &str) -> Response {
        let fields: String = fields
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        self.served.raw(&format!("{line} HTTP/1.1\r\n{fields}"), body)
    }

    /// A link that lets one browser in, as `mailkeep open` makes it.
    fn link(&self) -> String {
        let access = PageAccess::new(&Home::at(self.world.home()), Clock::system());
        access.new_link().unwrap().reveal().clone()
    }

    fn open(&self, link: &str) -> Response {
        self.post_to("/open", "", &format!("link={link}&next="))
    }

    fn browser(&self) -> Browser {
        Browser::of(&self.open(&self.link()))
    }

    fn post_to(&self, path: &str, cookie: &str, form: &str) -> Response {
        let (host, origin) = (self.host(), format!("http://{}", self.host()));
        let fields = [
            ("Host", host.as_str()),
            ("Origin", &origin),
            ("Cookie", cookie),
            ("Sec-Fetch-Site", "same-origin"),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ];
        self.bare(&format!("POST {path}"), &fields, form)
    }

    fn get(&self, browser: &Browser, path: &str) -> Response {
        let fields = [("Host", self.host()), ("Cookie", browser.cookie.clone())];
        let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
        self.bare(&format!("GET {}{path}", browser.base), &fields, "")
    }

    fn post(&self, browser: &Browser, path: &str, form: &str) -> Response {
        self.post_to(&format!("{}{path}", browser.base), &browser.cookie, form)
    }

    /// What the form on the page of an item holds.
    fn form(&self, browser: &Browser, id: &str) -> Form {
        Form::of(&self.get(browser, &format!("/outbox/{id}")).body)
    }
}

impl Browser {
    fn of(answer: &Response) -> Self {
        assert_eq!(answer.status, 303, "{}", answer.body);
        let cookie = answer.headers["set-cookie"].split(';').next().unwrap().to_owned();
        let base = answer.headers["location"].split("/outbox").next().unwrap().to_owned();
        Self { base, cookie }
    }
}

/// Hash and token of an item as a page shows them.
#[derive(Clone)]
struct Form {
    hash: String,
    token: String,
}

impl Form {
    fn of(page: &str) -> Self {
        let about = page.split("/approve\"").nth(1).unwrap_or(page);
        Self { hash: value(about, "hash"), token: value(about, "token") }
    }

    fn with(&self, more: &str) -> String {
        format!("hash={}&token={}&{more}", self.hash, self.token)
    }
}

/// The value of the first hidden field with this name.
fn value(page: &str, name: &str) -> String {
    let behind = page.split(&format!("name=\"{name}\" value=\"")).nth(1);
    behind.unwrap_or_else(|| panic!("no `{name}` in {page}")).split('"').next().unwrap().to_owned()
}

/// The token of forms about the whole outbox.
fn outbox_token(page: &str) -> String {
    value(page.split("/pause\"").nth(1).unwrap_or(page), "token")
}

fn command(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.command(&["--config"]);
    command.arg(world.path("config.toml")).args(arguments);
    command.env_remove("VAULT_PATH").env("LOG_FILE", world.path("server.log"));
    command
}
