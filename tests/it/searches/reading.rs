//! Reading what was found: the passages around words, whole conversations, the sections of a digest.

use serde_json::{Value, json};

use crate::world::assistant::{Assistant, text_of};
use crate::world::mail::mboxrd;
use crate::world::{Mail, World, list};

fn world(letters: &[Mail]) -> World {
    World::holding(&mboxrd(&letters.iter().map(Mail::bytes).collect::<Vec<_>>()))
}

fn id(world: &World, query: &str) -> String {
    world.json(&["search", query])["results"][0]["id"].as_str().unwrap().to_owned()
}

fn data(result: &Value) -> &Value {
    &result["structuredContent"]
}

/// The result of a call.
fn call(assistant: &mut Assistant, tool: &str, arguments: Value) -> Value {
    assistant.call(tool, arguments)["result"].clone()
}

#[test]
fn find_gives_the_passages_around_words_and_where_they_stand() {
    let filler = "Nothing to see in this line of the digest.\n".repeat(900);
    let text =
        format!("{filler}The economic advisor resigned in May.\n{filler}Another advisor came.\n{filler}");
    let world = world(&[Mail::new("Digest").body(&text)]);
    let id = id(&world, "subject:digest");
    let mut assistant = Assistant::new(&world, &[]);

    let found = call(&mut assistant, "read_email", json!({ "email_id": id, "find": "economic advisors" }));
    let nothing = call(&mut assistant, "read_email", json!({ "email_id": id, "find": "plumber" }));

    let passages = list(&data(&found)["passages"]);
    assert_eq!(passages.len(), 1);
    assert!(passages[0]["text"].as_str().unwrap().contains("The economic advisor resigned in May."));
    assert!(text_of(&found).len() < 2_500, "{}", text_of(&found).len());
    let offset = passages[0]["offset"].as_u64().unwrap();
    let there =
        call(&mut assistant, "read_email", json!({ "email_id": id, "offset": offset, "max_chars": 900 }));
    assert!(text_of(&there).contains("The economic advisor resigned in May."));
    assert!(text_of(&nothing).contains("not found in"));
}

#[test]
fn a_long_digest_says_its_sections() {
    let filler = "Some line of text that fills the digest.\n".repeat(150);
    let text = format!("# Trade\n{filler}\n# Harvest and bread\n{filler}\n# Weather\n{filler}");
    let world = world(&[Mail::new("Digest").body(&text), Mail::new("Short").body("# One\n# Two\n")]);
    let digest = id(&world, "subject:digest");
    let short = id(&world, "subject:short");
    let mut assistant = Assistant::new(&world, &[]);

    let first = call(&mut assistant, "read_email", json!({ "email_id": digest }));
    let sections = list(&data(&first)["sections"]).to_vec();
    let next = json!({ "email_id": digest, "offset": sections[1]["offset"], "max_chars": 200 });
    let second = call(&mut assistant, "read_email", next);

    assert_eq!(sections[1]["title"], "Harvest and bread");
    assert!(data(&second)["body"].as_str().unwrap().starts_with("# Harvest and bread"));
    assert!(data(&call(&mut assistant, "read_email", json!({ "email_id": short })))["sections"].is_null());
}

#[test]
fn a_conversation_says_to_whom_and_follows_the_subject_where_references_are_missing() {
    let day = |subject: &str, day: u8| Mail::new(subject).date(&format!("{day} Mar 2026 10:00:00 +0000"));
    let world = world(&[
        day("Harvest plans", 1)
            .from("a@one.example")
            .with("To", "b@two.example")
            .with("Cc", "c@three.example"),
        day("FW: Harvest plans", 3).from("d@four.example").with("To", "e@five.example"),
        day("Harvest plans for bread", 4).from("a@one.example").with("To", "b@two.example"),
        day("Harvest plans", 1)
            .date("1 Oct 2026 10:00:00 +0000")
            .with("Message-ID", "<october@one.example>")
            .from("a@one.example"),
    ]);
    let first = world.json(&["search", "--sort", "oldest", "subject:harvest"])["results"][0]["id"].clone();
    let mut assistant = Assistant::new(&world, &[]);

    let thread = call(&mut assistant, "get_thread", json!({ "thread_id": first }));

    let items = list(&data(&thread)["items"]);
    assert_eq!(items.len(), 2, "{}", text_of(&thread));
    assert_eq!(
        (items[0]["to"].as_str(), items[0]["cc"].as_str()),
        (Some("b@two.example"), Some("c@three.example"))
    );
    assert_eq!(items[1]["same_subject"], true);
    assert!(text_of(&thread).contains("To: b@two.example\nCc: c@three.example"));
    assert!(text_of(&thread).contains("Emails: 2, 1 of them by the same subject alone"));
}

#[test]
fn what_was_passed_on_is_shown_below_a_few_words() {
    let history = "-----Original Message-----\nFrom: a\nSent: b\nTo: c\nSubject: d\n\nThe economist is called Ada Quist.\nShe starts in May.\nIn Oslo.";
    let world = world(&[Mail::new("FW: staff").body(&format!("FYI\n\n{history}\n"))]);
    let id = id(&world, "subject:staff");
    let mut assistant = Assistant::new(&world, &[]);

    let read = call(&mut assistant, "read_email", json!({ "email_id": id }));

    assert!(text_of(&read).contains("The economist is called Ada Quist."));
}

#[test]
fn a_detailed_snippet_shows_each_word_where_it_stands() {
    let far = "padding ".repeat(200);
    let world =
        world(&[Mail::new("Long").body(&format!("an alpha lens {far} a beta coat {far} some gamma rays"))]);
    let mut assistant = Assistant::new(&world, &[]);

    let found = call(
        &mut assistant,
        "search_emails",
        json!({ "query": "alpha beta gamma", "response_format": "detailed" }),
    );

    let snippet = data(&found)["items"][0]["snippet"].as_str().unwrap();
    assert!(["alpha lens", "beta coat", "gamma rays"].iter().all(|part| snippet.contains(part)), "{snippet}");
    assert!(snippet.chars().count() <= 310);
}
