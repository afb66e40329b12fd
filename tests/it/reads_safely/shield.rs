//! Mail that carries a secret is in no answer to an assistant; mail that talks about secrets is.

use mailkeep::model::{Audience, DateHints};
use mailkeep::parse;
use mailkeep::query::{Page, Question};
use serde_json::json;

use super::audience::archive;
use super::secrets::{CODES, LINKS, TALK};
use crate::world::conversation::{ask, call, told};
use crate::world::mail::mboxrd;
use crate::world::random::Random;
use crate::world::{Mail, World};

const SERVICES: [&str; 10] = [
    "Northwind",
    "Elm Bank",
    "Kestrel",
    "Opal",
    "Fernwood",
    "Tidepool",
    "Juniper",
    "Marlow",
    "Zephyr",
    "Quarry",
];

struct Filler {
    random: Random,
    number: usize,
}

impl Filler {
    fn code(&mut self) -> String {
        let digits: String = (0..8).map(|_| char::from(b'0' + self.random.below(10) as u8)).collect();
        match self.number % 5 {
            0 | 1 => format!("3{}", &digits[..5]),
            2 => format!("{}-{}", &digits[..3], &digits[3..6]),
            3 => format!("{} {}", &digits[..3], &digits[3..6]),
            _ => format!("7{}", &digits[..3]),
        }
    }

    /// Fills a template in; the word makes every message findable.
    fn fill(&mut self, template: &str, code: &str) -> String {
        let link =
            format!("https://{}.example/a/{}", ["login", "mail", "www"][self.number % 3], "k9Tq2".repeat(4));
        let number = format!("{}", 400_000 + self.random.below(99_999));
        let filled = template.replace("{s}", SERVICES[self.number % SERVICES.len()]).replace("{c}", code);
        filled
            .replace("{u}", &link)
            .replace("{n}", &number)
            .replace("{d}", &format!("{}", 10 + self.number % 18))
    }

    fn mail(&mut self, subject: &str, paragraphs: &[String]) -> Mail {
        let word = format!("marker{}", self.number);
        self.number += 1;
        let mail = Mail::new(subject).from(&format!("Service <no-reply@service{}.example>", self.number));
        let mail = mail.with("Message-ID", &format!("<{word}@service.example>"));
        match self.number % 3 {
            0 => mail.body(&format!("{}\n\n{word}\n", paragraphs.join("\n\n"))),
            1 => mail.html(&format!("<p>{}</p><p>{word}</p>", paragraphs.join("</p><p>").replace("\n\n", "</p><h1>"))),
            _ => mail.html(&format!(
                "<table role=presentation><tr><td>{}</td></tr><tr><td style='font-size:11px;color:#888'>{word}, 1 Main Street</td></tr></table>",
                paragraphs.join("</td></tr><tr><td>").replace("\n\n", "<br><br>")
            )),
        }
    }
}

fn secret_mails() -> Vec<Mail> {
    let mut filler = Filler { random: Random::new(7), number: 0 };
    let mut mails = Vec::new();
    while mails.len() < 180 {
        let (subject, before, after) = CODES[mails.len() % CODES.len()];
        let code = filler.code();
        let parts = [filler.fill(before, &code), filler.fill(after, &code)];
        let subject = filler.fill(subject, &code);
        mails.push(filler.mail(&subject, &parts));
    }
    while mails.len() < 300 {
        let (subject, before, label, after) = LINKS[mails.len() % LINKS.len()];
        let link = match filler.number.is_multiple_of(3) {
            true => filler.fill("<a href='{u}'>LABEL</a>", "").replace("LABEL", &filler.fill(label, "")),
            false => filler.fill("{u}", ""),
        };
        let is_html = !(filler.number + 1).is_multiple_of(3);
        let link = if is_html { link } else { filler.fill("{u}", "") };
        let parts = [filler.fill(before, ""), link, filler.fill(after, "")];
        let subject = filler.fill(subject, "");
        mails.push(filler.mail(&subject, &parts));
    }
    mails
}

fn ordinary_mails() -> Vec<Mail> {
    let mut filler = Filler { random: Random::new(11), number: 1000 };
    let all = (0..300).map(|n| TALK[n % TALK.len()]);
    all.map(|(subject, text)| {
        let (subject, text) = (filler.fill(subject, ""), filler.fill(text, ""));
        filler.mail(&subject, &[text])
    })
    .collect()
}

#[test]
fn three_hundred_mails_with_secrets_are_all_known() {
    let missed: Vec<_> = secret_mails()
        .iter()
        .map(|mail| parse::message(&mail.bytes(), &DateHints::default()))
        .filter(|message| message.secret.is_none())
        .map(|message| (message.subject, message.text))
        .collect();

    assert!(missed.is_empty(), "{} of 300: {missed:#?}", missed.len());
}

#[test]
fn of_three_hundred_mails_about_secrets_at_most_one_in_a_hundred_is_withheld() {
    let withheld: Vec<_> = ordinary_mails()
        .iter()
        .map(|mail| parse::message(&mail.bytes(), &DateHints::default()))
        .filter(|message| message.secret.is_some())
        .map(|message| (message.subject, message.text))
        .collect();

    assert!(withheld.len() <= 3, "{}: {withheld:#?}", withheld.len());
}

#[test]
fn no_way_of_reading_shows_a_mail_with_a_secret_to_an_assistant() {
    let secrets: Vec<Vec<u8>> = secret_mails().iter().map(Mail::bytes).collect();
    let ordinary: Vec<Vec<u8>> = ordinary_mails().iter().map(Mail::bytes).collect();
    let world = World::holding(&mboxrd(secrets.iter().chain(&ordinary)));
    let mut assistant = archive(&world, Audience::Assistant);
    let mut person = archive(&world, Audience::Person);
    let page = Page { limit: 1000, offset: 0 };

    assert_eq!(person.count("", None).unwrap(), 600);
    assert_eq!(assistant.search(&Question::of("", page)).unwrap().withheld, 300);
    for number in 0..300 {
        let word = format!("marker{number}");
        let key = person.matching(&word, None).unwrap()[0];
        let item = &person.search(&Question::of(&word, page)).unwrap().items[0];
        assert_eq!(assistant.count(&word, None).unwrap(), 0, "{word}");
        assert!(assistant.search(&Question::of(&word, page)).unwrap().items.is_empty(), "{word}");
        assert!(
            assistant.resolve(&item.id).is_err()
                && assistant.resolve(&format!("{word}@service.example")).is_err()
        );
        assert!(assistant.read(key).is_err() && assistant.reading(key).is_err(), "{word}");
        assert!(assistant.thread_of(key).unwrap().is_empty(), "{word}");
        assert!(assistant.raw(key).is_err() && assistant.stored_placements(key).unwrap().is_empty());
    }
    let listed = assistant.search(&Question::of("", page)).unwrap();
    assert_eq!((listed.total, listed.items.len()), (300, 300));
    assert!(listed.items.iter().all(|item| item.message_id.as_deref().unwrap() > "marker1000"));
    let figures = assistant.figures(1000).unwrap();
    assert_eq!((figures.messages, figures.senders.len()), (300, 300));
    let views = ["emails", "attachments", "threads"].map(|view| {
        let sql = format!("SELECT count(*) AS n FROM {view}");
        let asked = call(1, "db.execute_sql_query", &json!({ "sql_query": sql }));
        told(&ask(&mut world.command(&["db", "mcp", "--quiet"]), &[asked])[&1])["rows"][0]["n"]
            .as_i64()
            .unwrap()
    });
    assert_eq!(views, [300, 0, 300]);
}

#[test]
fn the_owners_lists_withhold_and_a_changed_rule_judges_stored_mail_anew() {
    let mails = [
        Mail::new("From the clinic").from("Dr <doc@clinic.example>").bytes(),
        Mail::new("Labelled").labelled("Private,Inbox").bytes(),
        Mail::new("Plain").bytes(),
    ];
    let world = World::holding(&mboxrd(&mails));
    let shown = || archive(&world, Audience::Assistant).count("", None).unwrap();
    let judge = |rules: &str| {
        let config = world.write("config.toml", rules);
        world.json(&["--config", config.to_str().unwrap(), "shield", "apply"])["changed"].as_u64().unwrap()
    };

    assert_eq!(shown(), 3);
    assert_eq!((judge("[shield]\nsenders = [\"clinic.example\"]\nlabels = [\"private\"]"), shown()), (2, 1));
    assert_eq!((judge("[shield]\nsenders = [\"clinic.example\"]\nlabels = [\"private\"]"), shown()), (0, 1));
    assert_eq!((judge("[shield]\naccounts = [\"ada@example.org\"]"), shown()), (1, 0));
    assert_eq!((judge("[shield]\non = false\naccounts = [\"ada@example.org\"]"), shown()), (3, 3));
    world.assert_sound();
}

#[test]
fn a_message_is_judged_anew_when_it_comes_into_a_listed_account() {
    let world = World::new();
    let config = world.write("config.toml", "[shield]\naccounts = [\"private@example.org\"]");
    let file = world.write("mail.eml", Mail::new("Seen twice").bytes());
    let import = |account: &str| {
        let arguments =
            ["--config", config.to_str().unwrap(), "import", file.to_str().unwrap(), "--account", account];
        world.json(&arguments)
    };
    let shown = || archive(&world, Audience::Assistant).count("", None).unwrap();

    import("public@example.org");
    assert_eq!(shown(), 1);
    import("private@example.org");

    assert_eq!(shown(), 0);
    world.assert_sound();
}

#[test]
fn shield_test_says_why() {
    let world = World::holding(&mboxrd([
        &Mail::new("Your code").body("Your verification code is 482913.").bytes(),
        &Mail::new("Lunch").body("At noon?").bytes(),
    ]));
    let id = |query: &str| world.json(&["search", query])["results"][0]["id"].as_str().unwrap().to_owned();

    let secret = world.json(&["shield", "test", &id("subject:code")]);
    let lunch = world.json(&["shield", "test", &id("subject:lunch")]);

    assert_eq!(secret["withheld"], true);
    assert_eq!(secret["reasons"][0], "it carries a one-time code");
    assert_eq!(
        (&lunch["withheld"], lunch["reasons"].as_array().unwrap().len()),
        (&serde_json::json!(false), 0)
    );
}

#[test]
fn a_wrong_configuration_stops_the_start() {
    let world = World::new();
    let config = world.write("config.toml", "[sheild]\non = true");

    let error = world.failure(&["--config", config.to_str().unwrap(), "count", ""]);

    assert_eq!(error["code"], "bad_config");
    assert!(error["message"].as_str().unwrap().contains("sheild"), "{error}");
}

/// Mail that was written before anybody looked at what the model had learned, with codes and links written out. The
/// bounds are what it reached when it was tried (`BENCHMARKS.md`), and a little more.
#[test]
fn wordings_of_strangers_are_judged_within_bounds() {
    for (name, missed_at_most, withheld_at_most) in [("strangers", 6, 2), ("fresh", 5, 1)] {
        let path = format!("{}/benches/shield_samples/held_out/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let held_out = std::fs::read_to_string(path).expect("the samples are there");
        let mails = held_out.lines().map(|line| {
            let mut parts = line.splitn(3, " | ");
            let mut next = || parts.next().expect("a line is a kind, a subject and a text");
            (next() != "other", next(), next().replace(" / ", "\n\n"))
        });

        let (secrets, others): (Vec<_>, Vec<_>) = mails.partition(|(is_secret, ..)| *is_secret);
        let withheld = |(_, subject, text): &&(bool, &str, String)| {
            mailkeep::parse::shield::secret(subject, text).is_some()
        };
        let missed: Vec<_> = secrets.iter().filter(|mail| !withheld(mail)).collect();
        let wrongly: Vec<_> = others.iter().filter(withheld).collect();

        assert!(secrets.len() >= 60 && others.len() >= 60);
        assert!(missed.len() <= missed_at_most, "{name}: {missed:#?}");
        assert!(wrongly.len() <= withheld_at_most, "{name}: {wrongly:#?}");
    }
}
