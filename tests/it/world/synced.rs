//! A machine with an account on a server.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::world::dovecot::{Mailboxes, PASSWORD, ServerMessage};
use crate::world::{ACCOUNT, World, list, read_json, told};

impl World {
    /// A machine whose account is on the server at this port of this machine.
    pub(crate) fn with_account(port: u16, user: &str) -> Self {
        let world = Self::new();
        world.add_account(ACCOUNT, &format!("127.0.0.1:{port}"), &["--user", user]);
        world
    }

    /// Adds an account; it must go well.
    pub(crate) fn add_account(&self, address: &str, server: &str, more: &[&str]) {
        let mut command =
            self.command(&["--json", "account", "add", address, "--imap", server, "--password-stdin"]);
        let output = with_input(command.args(more), PASSWORD);
        assert!(output.status.success(), "{}", told(&output));
    }

    /// Signs in with another password.
    pub(crate) fn log_in(&self, password: &str) {
        let mut command = self.command(&["--json", "account", "login", ACCOUNT, "--password-stdin"]);
        assert!(with_input(&mut command, password).status.success());
    }

    /// A sync with short waits, ready to run.
    pub(crate) fn sync_command(&self, more: &[&str]) -> Command {
        let mut command = self.command(&["--json", "sync", "--retry-delay", "0.02"]);
        if !more.contains(&"--timeout") {
            command.args(["--timeout", "10"]);
        }
        command.args(more);
        command
    }

    /// Syncs; what it says about the one account. It must go well.
    pub(crate) fn sync(&self) -> Value {
        self.sync_with(&[])
    }

    pub(crate) fn sync_with(&self, more: &[&str]) -> Value {
        let output = self.sync_command(more).output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
        read_json(&output)["accounts"][0].clone()
    }

    /// Syncs; what it says about the one account, however it ended.
    pub(crate) fn try_sync(&self, more: &[&str]) -> Value {
        let output = self.sync_command(more).output().unwrap();
        let report = read_json(&output)["accounts"][0].clone();
        assert!(report.is_object(), "{}", told(&output));
        report
    }

    /// What is here of the server, in the words of the server.
    pub(crate) fn here(&self) -> Mailboxes {
        const SELECT: &str = "
            SELECT b.remote, p.uid, p.flags, lower(hex(m.hash)) || ' ' || m.size,
                   (SELECT group_concat(l.name, ' ') FROM placement_labels pl JOIN label_names l ON l.id = pl.label
                    WHERE pl.placement = p.id)
            FROM mailboxes b LEFT JOIN placements p ON p.mailbox = b.id LEFT JOIN messages m ON m.id = p.message
            WHERE b.remote IS NOT NULL";
        let database = self.database();
        let mut statement = database.prepare(SELECT).unwrap();
        let mut rows = statement.query([]).unwrap();
        let mut all = Mailboxes::new();
        while let Some(row) = rows.next().unwrap() {
            let messages: &mut BTreeMap<_, _> = all.entry(row.get(0).unwrap()).or_default();
            let Some(uid) = row.get::<_, Option<i64>>(1).unwrap() else { continue };
            let mut flags: BTreeSet<String> = row
                .get::<_, Option<String>>(4)
                .unwrap()
                .unwrap_or_default()
                .split_whitespace()
                .map(str::to_lowercase)
                .collect();
            let bits: u8 = row.get(2).unwrap();
            for (bit, name) in
                ["\\seen", "\\answered", "\\flagged", "\\deleted", "\\draft"].iter().enumerate()
            {
                if bits >> bit & 1 == 1 {
                    flags.insert((*name).to_owned());
                }
            }
            let uid = u32::try_from(uid).unwrap_or(u32::MAX);
            messages.insert(uid, ServerMessage { flags, hash: row.get(3).unwrap() });
        }
        all
    }

    /// The problem `status` tells about the one account.
    pub(crate) fn problem(&self) -> Value {
        list(&self.json(&["status"])["accounts"])[0]["problem"].clone()
    }
}

/// Runs a program that reads a line.
pub(crate) fn with_input(command: &mut Command, line: &str) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{line}").unwrap();
    child.wait_with_output().unwrap()
}
