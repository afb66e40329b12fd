//! Large mail: its length is right without its being read, its bytes can be had, and the server stays small.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::conversation::{ask, call, told};
use crate::world::mail::{many, mboxrd};
use crate::world::memory::Watched;
use crate::world::random::Random;
use crate::world::{Mail, list};

const MEGABYTE: usize = 1 << 20;

/// Small mails, one of 14 MB that does not pack well, one of 3 MB of text, and their sizes.
fn world() -> (World, Vec<usize>) {
    let mut mails = many(20);
    let noise = Random::new(3).bytes(10 * MEGABYTE);
    mails.push(Mail::new("Heavy").attach("a.bin", "application/octet-stream", &noise).bytes());
    let line = "words in a letter that has no end\n";
    mails.push(Mail::new("Endless").body(&line.repeat(3 * MEGABYTE / line.len())).bytes());
    let world = World::holding(&mboxrd(&mails));
    (world, mails.iter().map(Vec::len).collect())
}

fn rows(world: &World, sql: &str) -> Vec<Value> {
    list(&world.json(&["sql", sql])["rows"]).to_vec()
}

#[test]
fn the_length_of_a_message_is_right_at_any_size() {
    let (world, sizes) = world();
    let total: usize = sizes.iter().sum();
    let largest = sizes.iter().max().unwrap();

    assert_eq!(
        rows(
            &world,
            "SELECT sum(length(encoded)) AS n, max(LENGTH(e.raw)) AS m, count(*) AS c FROM emails e"
        ),
        [json!({ "n": total, "m": largest, "c": sizes.len() })]
    );
    assert_eq!(
        rows(&world, "SELECT id, octet_length(raw) AS n FROM emails ORDER BY length(encoded) DESC LIMIT 2"),
        [json!({ "id": 21, "n": sizes[20] }), json!({ "id": 22, "n": sizes[21] })]
    );
    assert_eq!(
        rows(
            &world,
            "SELECT substr(encoded, 1, 5) AS s, length(encoded) AS n FROM emails WHERE size_bytes > 3000000"
        ),
        [json!({ "s": "From:", "n": sizes[20] }), json!({ "s": "From:", "n": sizes[21] })]
    );
    assert_eq!(
        rows(&world, "WITH x AS (SELECT encoded AS e, id FROM emails) SELECT sum(length(e)) AS n FROM x"),
        [json!({ "n": total })]
    );
    assert_eq!(
        rows(&world, "SELECT count(*) AS n FROM emails WHERE length(encoded) <> rfc822_size"),
        [json!({ "n": 0 })]
    );
    assert_eq!(
        rows(
            &world,
            "SELECT length('aä') AS t, length(x'0102') AS b, length(12) AS i, length(NULL) AS z, octet_length('aä') AS o"
        ),
        [json!({ "t": 2, "b": 2, "i": 2, "z": null, "o": 3 })]
    );
}

#[test]
fn long_texts_and_envelopes_are_read_within_the_memory_of_a_statement() {
    let (world, _) = world();

    let found = rows(
        &world,
        "SELECT id, length(plain_text) > 1000000 AS n, envelope_to AS t FROM emails WHERE id > 20",
    );

    let to = "[\"Ada Berg <ada@example.org>\"]";
    assert_eq!(found, [json!({ "id": 21, "n": 0, "t": to }), json!({ "id": 22, "n": 1, "t": to })]);
    assert_eq!(
        rows(&world, "SELECT count(*) AS n FROM emails WHERE plain_text LIKE '%letter that has%'"),
        [json!({ "n": 1 })]
    );
}

#[test]
fn a_message_too_large_for_an_answer_is_saved_whole_in_little_memory() {
    let (world, sizes) = world();
    let raw = world.raw("Heavy@test.example");
    let mut server = world
        .command(&["db", "mcp", "--quiet"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let memory = Watched::new(server.id());
    let mut input = server.stdin.take().unwrap();
    let mut output = std::io::BufReader::new(server.stdout.take().unwrap());

    std::io::Write::write_all(
        &mut input,
        format!("{}\n", call(1, "db.get_email_full", &json!({ "id": 21 }))).as_bytes(),
    )
    .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut output, &mut line).unwrap();

    let full = told(&serde_json::from_str(&line).unwrap());
    assert_eq!((&full["encoded_truncated"], &full["rfc822_size"]), (&json!(true), &json!(sizes[20])));
    let given = full["encoded"].as_str().unwrap().as_bytes();
    assert!(given.len() > 6 * MEGABYTE && raw.starts_with(given), "{}", given.len());
    let saved = std::path::PathBuf::from(full["encoded_file"].as_str().unwrap());
    assert!(std::fs::read(&saved).unwrap() == raw, "the file is the message");
    memory.assert_small();
    drop(input);
    server.wait().unwrap();
    assert!(!saved.exists(), "it goes with the server");
}

#[test]
fn a_large_message_that_is_no_text_is_cut_earlier_and_saved_too() {
    let mut mail = Mail::new("Bytes").bytes();
    let noise = Random::new(8).bytes(5 * MEGABYTE);
    mail.extend(noise.into_iter().map(|byte| if byte == b'\n' { b'.' } else { byte }));
    mail.push(b'\n');
    let world = World::holding(&mboxrd(&[mail.clone()]));

    let answers = ask(
        &mut world.command(&["db", "mcp", "--quiet"]),
        &[call(1, "db.get_email_full", &json!({ "id": 1 }))],
    );

    let full = told(&answers[&1]);
    let text = full["encoded_base64"].as_str().unwrap();
    assert!(text.len() > MEGABYTE && text.len() < mail.len(), "{}", text.len());
    assert!(text.starts_with(crate::world::mail::base64(&mail[..57]).trim()));
    assert_eq!(full["encoded_truncated"], true);
}

#[test]
fn a_message_of_nothing_but_control_characters_still_fits_an_answer() {
    let mut mail = Mail::new("Bells").bytes();
    mail.extend(std::iter::repeat_n(7_u8, 3 * MEGABYTE));
    mail.push(b'\n');
    let world = World::holding(&mboxrd(&[mail.clone()]));

    let answers = ask(
        &mut world.command(&["db", "mcp", "--quiet"]),
        &[call(1, "db.get_email_full", &json!({ "id": 1 }))],
    );

    let full = told(&answers[&1]);
    assert!(mail.starts_with(full["encoded"].as_str().unwrap().as_bytes()));
    assert_eq!(full["encoded_truncated"], true);
}
