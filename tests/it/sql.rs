//! Promise: a stranger's SQL reads the public views and nothing else, changes nothing, and ends soon.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::conversation::{ask, call};
use crate::world::mail::{many, mboxrd};
use crate::world::{Mail, World, list};

/// What only a withheld message says.
const SECRET: &str = "xyzzy-forty-two";
/// Kilobytes of private memory that a server may have.
const MOST_MEMORY: u64 = 100 << 10;

fn lines(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql").join(name);
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// Forty messages, one of them withheld.
fn world() -> World {
    let mut mails = many(39);
    mails.push(Mail::new(SECRET).from(&format!("{SECRET} <{SECRET}@hidden.example>")).body(SECRET).bytes());
    let world = World::holding(&mboxrd(&mails));
    world
        .database()
        .execute("UPDATE messages SET withheld = 1 WHERE subject = ?1", [SECRET])
        .expect("the message is there");
    world
}

fn select(world: &World, sql: &str) -> Vec<Value> {
    list(&world.json(&["sql", sql])["rows"]).to_vec()
}

fn refusal(world: &World, sql: &str) -> (String, String) {
    let error = world.failure(&["sql", sql]);
    (error["message"].as_str().unwrap().to_owned(), error["hint"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn hundreds_of_hostile_statements_are_refused_and_change_nothing() {
    let world = world();
    let before = fs::read(world.home().join("mail.db")).unwrap();
    let hostile: Vec<String> = lines("refused.jsonl")
        .iter()
        .filter(|line| !line.starts_with('#'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(hostile.len() >= 400, "{} statements", hostile.len());
    let calls: Vec<Value> = (0..)
        .zip(&hostile)
        .map(|(id, sql)| call(id, "db.execute_sql_query", &json!({ "sql_query": sql })))
        .collect();

    let answers = ask(&mut world.command(&["db", "mcp", "--quiet"]), &calls);

    let passed: Vec<_> = (0..)
        .zip(&hostile)
        .filter(|(id, _)| answers.get(id).is_none_or(|answer| answer.get("error").is_none()))
        .map(|(_, sql)| sql)
        .collect();
    assert_eq!(passed, [""; 0]);
    assert!(!answers.values().any(|answer| answer.to_string().contains("hidden_")), "a secret name was told");
    assert!(fs::read(world.home().join("mail.db")).unwrap() == before, "the store was changed");
}

#[test]
fn statements_without_an_end_are_stopped_in_little_memory() {
    let world = world();
    let statements = lines("bounded.txt");
    let next = AtomicUsize::new(0);

    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(sql) = statements.get(next.fetch_add(1, Ordering::Relaxed)) {
                    assert_bounded(&world, sql);
                }
            });
        }
    });
}

/// Runs a statement for a second; it may answer or be stopped, but not go on or grow.
fn assert_bounded(world: &World, sql: &str) {
    let started = Instant::now();
    let mut child = world
        .command(&["--json", "sql", "--timeout", "1", "--limit", "10", sql])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(private_memory(child.id()));
        assert!(started.elapsed() < Duration::from_secs(60), "does not end: {sql}");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(peak < MOST_MEMORY, "{peak} KB: {sql}");
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(0 | 1)), "{code:?}: {sql}");
}

/// Kilobytes.
fn private_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

#[test]
fn what_is_withheld_is_in_no_view() {
    let world = world();

    let everything = ["emails", "threads", "attachments", "labels", "daily_counts"]
        .map(|view| world.json(&["sql", &format!("SELECT * FROM {view}")]).to_string())
        .concat();

    assert!(everything.contains("Report 7"));
    assert!(!everything.contains(SECRET));
    assert_eq!(select(&world, "SELECT count(*) AS n FROM emails"), [json!({ "n": 39 })]);
}

#[test]
fn ordinary_questions_are_answered() {
    let world = world();
    let table: &[(&str, Value)] = &[
        ("SELECT 1 AS a, 'x' AS b, NULL AS c, 1.5 AS d", json!([{ "a": 1, "b": "x", "c": null, "d": 1.5 }])),
        (
            "SELECT mailbox, count(*) AS n FROM emails GROUP BY mailbox",
            json!([{ "mailbox": "INBOX", "n": 39 }]),
        ),
        ("VALUES (1), (2)", json!([{ "column1": 1 }, { "column1": 2 }])),
        ("SELECT 1 AS a; -- nothing more", json!([{ "a": 1 }])),
        ("WITH x AS (SELECT uid FROM emails WHERE uid < 3) SELECT sum(uid) AS s FROM x", json!([{ "s": 3 }])),
        ("SELECT id, id FROM emails WHERE id = 1", json!([{ "id": 1, "id_2": 1 }])),
        (
            "SELECT subject FROM emails WHERE subject LIKE 'report 1_' ORDER BY uid LIMIT 1",
            json!([{ "subject": "Report 10" }]),
        ),
        (
            "SELECT instr('päx', 'x') AS i, replace('aXa', 'X', 'b') AS r, trim('xax', 'x') AS t",
            json!([{ "i": 3, "r": "aba", "t": "a" }]),
        ),
        (
            "SELECT e.value AS v FROM emails, json_each(envelope_to) e WHERE emails.id = 1",
            json!([{ "v": "Ada Berg <ada@example.org>" }]),
        ),
        (
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 4) SELECT count(*) AS n FROM c",
            json!([{ "n": 4 }]),
        ),
        (
            "SELECT a.id FROM emails a JOIN threads t USING (thread_id) WHERE t.message_count = 3 AND a.uid = 1",
            json!([{ "id": 1 }]),
        ),
        ("SELECT 9e999 AS x", json!([{ "x": null }])),
    ];

    for (sql, rows) in table {
        assert_eq!(world.json(&["sql", sql])["rows"], *rows, "{sql}");
    }
}

#[test]
fn rows_are_capped_and_a_limit_of_the_statement_is_kept() {
    let world = world();
    let rows = |sql: &str, limit: &str| {
        let answer = world.json(&["sql", "--limit", limit, sql]);
        (answer["row_count"].as_u64().unwrap(), answer["truncated"].as_bool().unwrap_or(false))
    };

    assert_eq!(rows("SELECT id FROM emails", "5"), (5, true));
    assert_eq!(rows("SELECT id FROM emails LIMIT 3", "5"), (3, false));
    assert_eq!(rows("SELECT id FROM emails", "39"), (39, false));
}

#[test]
fn an_error_names_the_rule_and_what_is_near() {
    let world = world();

    let said = |sql: &str| refusal(&world, sql);

    assert_eq!(
        said("SELECT sender FROM emails"),
        ("there is no column `sender`".into(), "did you mean `from`?".into())
    );
    assert_eq!(said("SELECT subjcet FROM emails").1, "did you mean `subject`?");
    assert!(said("SELECT * FROM messages").1.starts_with("did you mean `emails`?"));
    assert_eq!(said("DELETE FROM emails").0, "only SELECT is allowed, not DELETE");
    assert_eq!(said("PRAGMA user_version").0, "only SELECT is allowed, not PRAGMA");
    assert_eq!(said("SELECT 1; SELECT 2").0, "only one statement is allowed at a time");
    assert_eq!(said("SELECT load_extension('x')").0, "the function `load_extension` is not allowed");
    assert!(said(&format!("SELECT '{}'", "x".repeat(30_000))).0.contains("at most 20000"));
}

#[test]
fn a_home_without_mail_answers_as_an_empty_one() {
    let world = World::new();

    assert_eq!(world.json(&["sql", "SELECT * FROM emails"])["row_count"], 0);
    assert!(refusal(&world, "SELECT * FROM accounts").0.contains("not a public view"));
}

#[test]
fn one_account_sees_only_its_own_mail() {
    let world = World::holding(&mboxrd(&many(3)));
    let other =
        world.write("other.mbox", mboxrd(&[Mail::new("Elsewhere").attach("a.txt", "text/x", b"x").bytes()]));
    world.import_as(&other, "bob@example.org");
    let count = |view: &str| {
        let sql = format!("SELECT count(*) AS n FROM {view}");
        world.json(&["sql", "--account", "bob@example.org", &sql])["rows"][0]["n"].clone()
    };

    assert_eq!(count("emails"), 1);
    assert_eq!(count("threads"), 1);
    assert_eq!(count("attachments"), 1);
    assert_eq!(count("daily_counts"), 1);
}

#[test]
fn a_table_for_a_person_has_no_control_characters() {
    let world = World::holding(&mboxrd(&[Mail::new("\u{1b}[31mred wine for dinner").bytes()]));

    let output = world.run(&["sql", "SELECT subject, length(subject) AS n FROM emails"]);

    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("red") && !shown.contains('\u{1b}'), "{shown:?}");
}
