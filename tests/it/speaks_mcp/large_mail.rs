//! Mail that is large, and questions that take much: the server stays small, and says what it leaves out.

use std::fs;
use std::thread;

use serde_json::{Value, json};

use super::client::{Client, request};
use super::over_http::Served;
use crate::world::mail::{many, mboxrd};
use crate::world::memory::Watched;
use crate::world::random::Random;
use crate::world::{Mail, World};

const MEGABYTE: usize = 1 << 20;

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_message_of_many_megabytes_is_read_in_little_memory() {
    let mut mails = many(3);
    let line = "words in a letter that has no end\n";
    mails.push(
        Mail::new("Endless")
            .with("Message-ID", "<endless@test.example>")
            .body(&line.repeat(40 * MEGABYTE / line.len()))
            .bytes(),
    );
    let noise = Random::new(3).bytes(30 * MEGABYTE);
    mails.push(
        Mail::new("Heavy")
            .with("Message-ID", "<heavy@test.example>")
            .attach("a.bin", "application/octet-stream", &noise)
            .attach("small.txt", "text/plain", b"small")
            .bytes(),
    );
    let world = World::holding(&mboxrd(&mails));
    // Nobody has indexed it, so that a search looks through it itself.
    fs::remove_dir_all(world.home().join("text")).unwrap();
    let mut client = Client::connected(&world, &["--profile", "full"]);
    let memory = Watched::new(client.process.id());

    let found = client.call("search_emails", &json!({ "query": "endless OR heavy" }));
    let read = client.call("read_email", &json!({ "email_id": "endless@test.example", "full": true }));
    let thread = client.call("get_thread", &json!({ "thread_id": "endless@test.example" }));
    let heavy = json!({ "email_id": "heavy@test.example", "attachment_id": "small.txt" });
    let attachment = client.call("get_attachment", &heavy);

    assert!(text(&found).contains("Endless") && text(&found).contains("Heavy"), "{found}");
    assert!(text(&read).contains("words in a letter"));
    let length = read["result"]["structuredContent"]["total_chars"].as_u64().unwrap();
    assert!(length < 3 * MEGABYTE as u64, "{length}");
    assert!(text(&thread).contains("[cut; read_email"), "{thread}");
    assert!(
        text(&attachment).contains("attachments of messages over 36 MB are not read here"),
        "{attachment}"
    );
    memory.assert_small();
}

#[test]
fn many_searches_at_once_look_through_what_is_not_indexed_together() {
    let mut random = Random::new(9);
    let mut words = || -> String { (0..300).map(|_| format!("w{} ", random.below(20_000))).collect() };
    let mails: Vec<_> =
        (0..1_200).map(|number| Mail::new(&format!("Number {number}")).body(&words()).bytes()).collect();
    let world = World::holding(&mboxrd(&mails));
    fs::remove_dir_all(world.home().join("text")).unwrap();
    let mut client = Client::connected(&world, &[]);
    let memory = Watched::new(client.process.id());

    for id in 0..12 {
        let arguments = json!({ "query": format!("subject:number w{id}") });
        let params = json!({ "name": "search_emails", "arguments": arguments });
        client.send(&request(id, "tools/call", &params));
    }

    for _ in 0..12 {
        let answer = client.next();
        assert!(text(&answer).starts_with("Search results"), "{answer}");
        assert!(answer["result"]["structuredContent"]["total"].as_u64().unwrap() > 0, "{answer}");
    }
    memory.assert_small();
}

#[test]
fn statements_that_want_much_memory_at_once_take_none_from_the_server() {
    const GREEDY: &str = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000000)
        SELECT count(*) AS n FROM (SELECT DISTINCT hex(x) || hex(x) || hex(x) FROM c)";
    let world = World::holding(&mboxrd(&many(6)));
    let served = Served::start(&world, &["--no-token", "--profile", "full"]);
    let memory = Watched::new(served.process.id());
    let call = |sql: &str| {
        let params = json!({ "name": "db_execute_sql_query", "arguments": { "sql_query": sql } });
        served.post(&request(1, "tools/call", &params), &[]).json()
    };

    let answers: Vec<_> = thread::scope(|scope| {
        let greedy: Vec<_> = (0..4).map(|_| scope.spawn(|| call(GREEDY))).collect();
        greedy.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let modest = call("SELECT count(*) AS n FROM emails");

    for answer in &answers {
        let told = text(answer);
        assert!(told.contains("44 MiB of memory") || told.contains("was stopped after 5 s"), "{told}");
    }
    assert_eq!(modest["result"]["structuredContent"]["rows"][0]["n"], 6, "{modest}");
    memory.assert_small();
}

#[test]
fn an_answer_to_a_statement_that_is_too_long_is_cut_or_refused_with_the_limit() {
    let world = World::holding(&mboxrd(&many(6)));
    let mut client = Client::connected(&world, &["--profile", "full"]);
    let mut ask = |sql: &str| client.call("db_execute_sql_query", &json!({ "sql_query": sql }));

    let wide = ask("SELECT hex(printf('%.*c', 1000000, 'x')) AS h");
    let numbers = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 900)";
    let long = ask(&format!("{numbers} SELECT printf('%.*c', 10000, 'x') AS h FROM c"));

    assert!(text(&wide).contains("one row is longer than 1 MiB"), "{wide}");
    assert_eq!(long["result"]["structuredContent"]["truncated"], true);
    assert!(long["result"]["structuredContent"]["row_count"].as_u64().unwrap() > 90);
}
