//! Leaving a list: only where the owner's own server vouches for what the list says, only to public places, only after a yes.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::approve;
use crate::world::api_double::{ApiDouble, Reaction};
use crate::world::assistant::Assistant;
use crate::world::certificates::Certificates;
use crate::world::{World, answer, tls_front};

const GOOD: &str = "Authentication-Results: mail.example.org; dkim=pass header.d=news.example\n";
const SIGNED: &str = "DKIM-Signature: v=1; a=rsa-sha256; d=news.example; s=a; h=from:list-unsubscribe:list-unsubscribe-post; b=x\n";
const CLICK: &str = "List-Unsubscribe: <mailto:off@news.example?subject=off%2042>, <https://news.example/off?u=42>\n\
    List-Unsubscribe-Post: List-Unsubscribe=One-Click\n";

/// A home with one newsletter, and the server of its list behind TLS.
struct Reader {
    world: World,
    list: ApiDouble,
    port: u16,
    certificates: Certificates,
}

impl Reader {
    fn of(fields: &str, reaction: &Reaction) -> Self {
        let letter = format!(
            "From x@news.example Mon Jun 15 10:00:00 2026\n{fields}From: Weekly News <hi@news.example>\n\
             To: ada@example.org\nSubject: This week\nList-Id: <weekly.news.example>\n\
             Message-ID: <1@news.example>\nDate: Mon, 15 Jun 2026 10:00:00 +0000\n\nMuch news.\n"
        );
        let world = World::holding(letter.as_bytes());
        world.write(
            "config/config.toml",
            "[policy]\nundo = 0\n[secrets]\nstore = \"file\"\n[outbox]\nreply = 2\n",
        );
        let list = ApiDouble::with(vec![reaction.clone()]);
        let certificates = Certificates::good("news.example");
        let port = tls_front::start(&certificates, list.port);
        Self { world, list, port, certificates }
    }

    fn newsletter(reaction: &Reaction) -> Self {
        Self::of(&format!("{GOOD}{SIGNED}{CLICK}"), reaction)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(&["--config"]);
        command.arg(self.world.path("config/config.toml")).args(arguments);
        command.env("LOG_FILE", self.world.path("mcp.log")).env("MAX_RETRIES", "1");
        command.env("SSL_CERT_FILE", self.certificates.authority());
        command
    }

    fn asked(&self, more: &Value) -> Value {
        let mut assistant = Assistant::of(&mut self.command(&["mcp"]));
        let found = assistant.call("list_emails", json!({}));
        let id = found["result"]["structuredContent"]["items"][0]["id"].clone();
        let mut arguments = json!({ "email_id": id });
        for (name, value) in more.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        let answer = assistant.call("unsubscribe", arguments);
        drop(assistant.finish());
        answer["result"].clone()
    }

    /// Asks, says yes and sends; where the name of the list leads is told.
    fn leaves(&self, variable: &str, leads_to: &str) -> Value {
        let item = self.asked(&json!({}))["structuredContent"].clone();
        approve(&self.world, &item["id"]);
        for _ in 0..2 {
            let mut send = self.command(&["outbox", "send", "--once"]);
            send.env(variable, format!("news.example={leads_to}")).output().unwrap();
        }
        answer(self.command(&["--json", "outbox", "show"]).arg(item["id"].as_str().unwrap()))
    }

    fn leaves_for_double(&self) -> Value {
        self.leaves("MAILKEEP_TEST_DOUBLE", &format!("127.0.0.1:{}", self.port))
    }
}

fn status(status: u16) -> Reaction {
    Reaction::Answers(status, vec![("location", "https://evil.example/".to_owned())], "bye".to_owned())
}

#[test]
fn one_click_is_one_request_after_a_yes_with_nothing_in_it_that_the_list_did_not_ask_for() {
    let reader = Reader::newsletter(&status(200));
    let asked = reader.asked(&json!({}))["structuredContent"].clone();
    assert_eq!((&asked["status"], &asked["channel"]), (&json!("pending_approval"), &json!("unsubscribe")));
    assert!(reader.command(&["outbox", "send", "--once"]).status().unwrap().success());
    assert_eq!(reader.list.connections(), 0);

    let item = reader.leaves_for_double();

    assert_eq!((&item["state"], &item["id"]), (&json!("sent"), &asked["id"]), "{item}");
    assert!(item["subject"].as_str().unwrap().contains("Weekly News"), "{item}");
    let requests = reader.list.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].first_line(), "POST /off?u=42 HTTP/1.1");
    assert_eq!(requests[0].field("host"), Some("news.example"));
    assert_eq!(requests[0].field("content-type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(requests[0].body, "List-Unsubscribe=One-Click");
    for name in ["cookie", "authorization", "referer", "origin"] {
        assert_eq!(requests[0].field(name), None);
    }
}

#[test]
fn a_name_that_leads_into_the_owners_own_network_is_never_spoken_to() {
    let reader = Reader::newsletter(&status(200));
    for place in
        [format!("127.0.0.1:{}", reader.port), "169.254.169.254:443".to_owned(), "[::1]:443".to_owned()]
    {
        let item = reader.leaves("MAILKEEP_TEST_HOSTS", &place);
        assert_eq!(
            (&item["state"], &item["error_code"]),
            (&json!("failed"), &json!("INVALID_REQUEST")),
            "{item}"
        );
        assert!(item["reason"].as_str().unwrap().contains("no public address"), "{item}");
    }
    assert_eq!(reader.list.connections(), 0);
}

#[test]
fn a_list_that_points_elsewhere_refuses_or_goes_silent_is_told_and_asked_once() {
    let mut faults: Vec<_> = Reaction::losses().map(|loss| (loss, "unknown")).into();
    faults.extend([(status(302), "failed"), (status(404), "failed"), (status(500), "unknown")]);
    for (reaction, state) in faults {
        let reader = Reader::newsletter(&reaction);
        let item = reader.leaves_for_double();
        assert_eq!(item["state"], state, "{reaction:?} {item}");
        assert_eq!(reader.list.connections(), 1, "{reaction:?}");
    }
}

#[test]
fn fields_that_nobody_vouches_for_are_refused_with_a_reason() {
    let only_page = CLICK.replace("<mailto:off@news.example?subject=off%2042>, ", "");
    let forged = GOOD.replace("mail.example.org", "mail.evil.example");
    let failed = GOOD.replace("pass", "fail");
    let other = SIGNED.replace("news.example", "evil.example");
    let other_passed = GOOD.replace("news.example", "evil.example");
    let plain = only_page.replace("https:", "http:");
    let user = only_page.replace("https://", "https://ada@");
    let own = only_page.replace("https://news.example", "https://192.168.1.1");
    for (fields, reason) in [
        (format!("{SIGNED}{only_page}"), "Authentication-Results"),
        (format!("{forged}{SIGNED}{only_page}"), "Authentication-Results"),
        (format!("{failed}{SIGNED}{only_page}"), "does not hold"),
        (format!("{other_passed}{other}{only_page}"), "no signature"),
        (format!("{GOOD}{only_page}"), "does not cover"),
        (format!("{GOOD}{SIGNED}{plain}"), "https"),
        (format!("{GOOD}{SIGNED}{user}"), "names a user"),
        (format!("{GOOD}{SIGNED}{own}"), "no public name"),
        (format!("{GOOD}{SIGNED}"), "no `List-Unsubscribe`"),
        ("List-Unsubscribe: <mailto:a@x.example?bcc=eve@evil.example>\n".to_owned(), "field of its own"),
        (
            "List-Unsubscribe: <mailto:a@x.example?subject=a%0d%0aBcc:%20eve@evil.example>\n".to_owned(),
            "line ends",
        ),
    ] {
        let reader = Reader::of(&fields, &status(200));
        let result = reader.asked(&json!({}));
        assert_eq!(result["isError"], true, "{fields}: {result}");
        assert!(result.to_string().contains(reason), "{fields}: {result}");
        assert_eq!(answer(&mut reader.command(&["--json", "outbox", "list"]))["items"], json!([]));
    }
}

#[test]
fn the_mail_that_a_list_asks_for_is_a_mail_like_any_other_and_nobody_can_make_another_of_it() {
    let reader = Reader::newsletter(&status(200));
    let folder = reader.world.path("sent");
    let set = ["account", "set", "ada@example.org", "--send-folder", folder.to_str().unwrap()];
    assert!(reader.command(&set).status().unwrap().success());
    let item = reader.asked(&json!({ "by_mail": true }))["structuredContent"].clone();
    let mut assistant = Assistant::of(&mut reader.command(&["mcp"]));
    let edited = assistant.call("update_draft", json!({ "draft_id": item["id"], "body": "Something else" }));
    drop(assistant.finish());
    approve(&reader.world, &item["id"]);
    assert!(reader.command(&["outbox", "send", "--once"]).status().unwrap().success());

    assert_eq!(edited["result"]["isError"], true, "{edited}");
    let file = folder.join(format!("{}.eml", item["id"].as_str().unwrap()));
    let sent = fs::read_to_string(file).unwrap();
    assert!(sent.contains("To: <off@news.example>\r\n") && sent.contains("Subject: off 42\r\n"), "{sent}");
    assert_eq!(reader.list.connections(), 0);
}

#[test]
fn what_a_list_costs_is_told_in_messages_and_bytes() {
    let reader = Reader::newsletter(&status(200));
    let mut assistant = Assistant::of(&mut reader.command(&["mcp"]));
    let stats = assistant.call("email_stats", json!({ "group_by": "list" }));
    drop(assistant.finish());

    let group = &stats["result"]["structuredContent"]["items"][0];
    assert_eq!((&group["key"], &group["count"]), (&json!("weekly.news.example"), &json!(1)));
    assert!(group["bytes"].as_i64().unwrap() > 400, "{group}");
}
