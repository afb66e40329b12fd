//! Each channel is a process of its own, and has what it signs in with and nothing of the others.

use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::{LINKEDIN_TOKEN, Office, WHATSAPP_TOKEN, posted, taken};
use crate::world::assistant::Assistant;
use crate::world::skipped;

const MAIL_PASSWORD: &str = "canary-mail-1q9x";
const KEPT_PASSWORD: &str = "canary-kept-7r3w";

/// Somebody who sets everything everywhere: in the environment of all processes, and in files.
fn careless(office: Office) -> Office {
    let text = format!(
        "SMTP_HOST=127.0.0.1\nSMTP_USER=ada@example.org\nSMTP_PASS={MAIL_PASSWORD}\n\
         LINKEDIN_ACCESS_TOKEN={LINKEDIN_TOKEN}\nWHATSAPP_ACCESS_TOKEN={WHATSAPP_TOKEN}\n"
    );
    for name in [".env", "whatsapp.env", "linkedin.env"] {
        office.world.write(&format!("config/{name}"), &text);
    }
    office
        .with("SMTP_HOST", "127.0.0.1")
        .with("SMTP_USER", "ada@example.org")
        .with("SMTP_PASS", MAIL_PASSWORD)
        .with("WHATSAPP_ACCESS_TOKEN", WHATSAPP_TOKEN)
        .with("WHATSAPP_PHONE_NUMBER_ID", super::NUMBER)
        .with("LINKEDIN_ACCESS_TOKEN", LINKEDIN_TOKEN)
        .with("LINKEDIN_AUTHOR_URN", super::AUTHOR)
}

#[test]
fn a_process_has_the_credentials_of_its_channel_alone_and_opens_no_file_with_others() {
    let test = "a_process_has_the_credentials_of_its_channel_alone";
    if Command::new("strace").arg("-V").output().is_err() {
        return skipped(test, "no `strace` here");
    }
    let offices = [
        (Office::whatsapp(&[taken()]), WHATSAPP_TOKEN, "whatsapp.env"),
        (Office::linkedin(&[posted()]), LINKEDIN_TOKEN, "linkedin.env"),
    ];
    for (office, own, own_file) in offices {
        let office = careless(office);
        keep_password(&office);
        let trace = office.world.path("trace.txt");
        let mut command = traced(&office, &trace);
        let mut assistant = Assistant::of(&mut command);
        let item = office.ask(&mut assistant, "Hi")["result"].clone();
        let environments = environments_of(&office, "mcp");
        office.approve(&item["id"]);
        crate::world::eventually("sent", || office.item(&item["id"])["state"] == "sent");
        drop(assistant.finish());

        assert!(!environments.is_empty());
        for environment in &environments {
            assert_eq!(canaries(environment), [own], "{}", office.channel);
        }
        let opened = fs::read_to_string(&trace).unwrap();
        let opens = |name: &str| opened.lines().any(|line| line.contains(name) && !line.contains("ENOENT"));
        assert!(opens(own_file), "{opened}");
        for foreign in ["/.env\"", "/whatsapp.env\"", "/linkedin.env\"", "/secrets\"", "/secrets.key\""] {
            assert!(foreign.contains(own_file) || !opens(foreign), "{} opened {foreign}", office.channel);
        }
        let log = fs::read_to_string(office.world.path("mcp.log")).unwrap_or_default();
        assert_eq!(canaries(&log), [""; 0]);
        assert_eq!(office.api.requests().len(), 1);
        assert_eq!(canaries(&office.api.requests()[0].head), [own]);
    }
}

#[test]
fn the_mail_process_has_no_credentials_of_other_channels_and_its_tools_for_them_say_so() {
    let office = careless(Office::whatsapp(&[taken()]));
    let mut assistant = Assistant::of(&mut office.command(&["mcp", "--profile", "core,whatsapp,linkedin"]));
    for (tool, arguments) in [
        ("send_message", json!({ "to": "+4915112345678", "message": "Hi" })),
        ("create_post", json!({ "text": "Hi" })),
    ] {
        let answer = assistant.call(tool, arguments);
        assert!(answer["error"]["message"].as_str().unwrap().contains("no credentials"), "{answer}");
    }
    let environments = environments_of(&office, "mcp");
    drop(assistant.finish());

    assert!(!environments.is_empty());
    for environment in &environments {
        assert_eq!(canaries(environment), [MAIL_PASSWORD]);
    }
}

#[test]
fn what_stays_for_mail_and_what_it_starts_has_no_credentials_of_other_channels() {
    for arguments in
        [["serve", "--listen", "127.0.0.1:0", "--no-sync"].as_slice(), &["orchestrate", "--no-sync"]]
    {
        let office = Office::whatsapp(&[taken()]).with("LINKEDIN_ACCESS_TOKEN", LINKEDIN_TOKEN);
        fs::create_dir(office.world.path("vault")).unwrap();
        let mut command = office.command(arguments);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let _running = Running(process);

        crate::world::eventually("no other credentials", || {
            let seen = environments_of(&office, arguments[0]);
            !seen.is_empty() && seen.iter().all(|it| canaries(it).is_empty() && it.contains("VAULT_PATH"))
        });
    }
}

/// A process that ends with its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn canaries(text: &str) -> Vec<&'static str> {
    let all = [MAIL_PASSWORD, KEPT_PASSWORD, WHATSAPP_TOKEN, LINKEDIN_TOKEN];
    all.into_iter().filter(|canary| text.contains(canary)).collect()
}

/// A password of a mail account that mailkeep keeps.
fn keep_password(office: &Office) {
    let home = mailkeep::home::Home::at(office.world.home());
    fs::create_dir_all(home.directory()).unwrap();
    let secrets = mailkeep::account::Secrets::at(home.secrets(), mailkeep::model::SecretStore::File);
    secrets.set("ada@example.org", &mailkeep::secret::Secret::new(KEPT_PASSWORD.to_owned())).unwrap();
}

/// The channel's process under `strace`, which notes what it and its children open.
fn traced(office: &Office, trace: &std::path::Path) -> Command {
    let program = office.command(&["mcp", "--profile", office.channel]);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=open,openat,openat2,execve", "-s", "300", "-o"]).arg(trace);
    command.arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// The environments of all processes that run a command for this home, as the system shows them.
fn environments_of(office: &Office, word: &str) -> Vec<String> {
    let home = office.world.home().display().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).into_owned();
        let is_ours = command.contains(&home)
            && command.contains(&format!("\0{word}\0"))
            && !command.starts_with("strace");
        if is_ours {
            assert_eq!(canaries(&command), [""; 0], "{command}");
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&environment).into_owned());
        }
    }
    found
}
