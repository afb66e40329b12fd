//! Searches that mean less than they seem to, or more: they are answered as meant, or refused, and never with
//! everything.

use std::collections::BTreeSet;

use mailkeep::index::{Effort, Indexer};
use mailkeep::model::Audience;
use mailkeep::query::{Page, Question};
use mailkeep::store::{Reader, Store};

use crate::reads_safely::audience::archive;
use crate::world::mail::mboxrd;
use crate::world::{Mail, World, answer, told};

fn letters() -> Vec<Mail> {
    let letter = |subject: &str, body: &str| Mail::new(subject).body(body);
    vec![
        letter("Umlaut", "Herr Müller wohnt in der Großen Straße."),
        letter("Decomposed", "Herr Mu\u{308}ller wohnt hier."),
        letter("Spelt out", "Herr Mueller wohnt in der Grossen Strasse."),
        letter("Plain", "Mr Muller lives in the street, and du is due."),
        letter("Price", "It costs 100 € a month, or €90 in cash.").from("Jürgen Köhler <jk@koehler.example>"),
        letter("Dollar", "It costs $ 100 a month."),
        letter("Party", "We did it 🎉🎉 → celebrate § 5"),
        letter("Languages", "C++ and C# are not C."),
        letter("Only C", "c is a letter, and so is d."),
        letter("Unix", "Then fork() and dev->driver, then a.b() in /usr/local/bin."),
        letter("Apart", "alpha one two three four beta"),
        letter("Beside", "beta alpha"),
        letter("Invoices", "The invoices were invoiced.").attach("Report-2026.pdf", "application/pdf", b"x"),
        letter("Inventory", "An inventory of everything."),
    ]
}

fn world() -> World {
    World::holding(&mboxrd(&letters().iter().map(Mail::bytes).collect::<Vec<_>>()))
}

const MEANINGS: &[(&str, &[&str])] = &[
    ("Müller", &["Umlaut", "Decomposed", "Spelt out", "Plain"]),
    ("mueller", &["Umlaut", "Decomposed", "Spelt out"]),
    ("muller", &["Umlaut", "Decomposed", "Plain"]),
    ("\"Herr Müller\"", &["Umlaut", "Decomposed", "Spelt out"]),
    ("\"Herr Mueller wohnt\"", &["Umlaut", "Decomposed", "Spelt out"]),
    ("body:Müll*", &["Umlaut", "Decomposed", "Spelt out", "Plain"]),
    ("strasse", &["Umlaut", "Spelt out"]),
    ("Straße", &["Umlaut", "Spelt out"]),
    ("\"großen strasse\"", &["Umlaut", "Spelt out"]),
    ("due", &["Plain"]),
    ("du", &["Plain"]),
    ("from:köhler", &["Price"]),
    ("from:koehler", &["Price"]),
    ("from:kohler", &["Price"]),
    ("from:\"Juergen Koehler\"", &["Price"]),
    ("from:kö*", &["Price"]),
    ("€", &["Price"]),
    ("100€", &["Price"]),
    ("\"100 €\"", &["Price"]),
    ("€90", &["Price"]),
    ("€100", &[]),
    ("\"costs 100\"", &["Price", "Dollar"]),
    ("$", &["Dollar"]),
    ("$100", &["Dollar"]),
    ("€ OR $", &["Price", "Dollar"]),
    ("costs -€", &["Dollar"]),
    ("🎉", &["Party"]),
    ("→ §", &["Party"]),
    ("§5", &["Party"]),
    ("C++", &["Languages"]),
    ("c#", &["Languages"]),
    ("c", &["Languages", "Only C"]),
    ("\"C++ and\"", &["Languages"]),
    ("fork()", &["Unix"]),
    ("dev->driver", &["Unix"]),
    ("a.b()", &["Unix"]),
    ("/usr/local/bin", &["Unix"]),
    ("usr/local", &["Unix"]),
    ("alpha AROUND 5 beta", &["Apart", "Beside"]),
    ("alpha AROUND 4 beta", &["Beside"]),
    ("beta AROUND 5 alpha", &["Apart", "Beside"]),
    ("\"alpha AROUND 5 beta\"", &["Apart"]),
    ("\"alpha AROUND 6 beta\"", &["Apart"]),
    ("\"beta AROUND 1 alpha\"", &["Beside"]),
    ("\"alpha AROUND 1 beta\"", &[]),
    ("-alpha AROUND 4 beta subject:(apart OR beside)", &["Apart"]),
    ("inv*", &["Invoices", "Inventory"]),
    ("invoi*", &["Invoices"]),
    ("subject:inv* -inventory", &["Invoices"]),
    ("filename:rep*", &["Invoices"]),
    ("filename:report-20*", &["Invoices"]),
    ("from:stone.exa* inv*", &["Invoices", "Inventory"]),
    ("zzz*", &[]),
    ("{inventory fork()}", &["Inventory", "Unix"]),
    ("costs & month", &["Price", "Dollar"]),
    ("costs -\"a month\"", &[]),
    ("costs -from:koehler.example", &["Dollar"]),
];

fn assert_meanings(world: &World) {
    for (query, expected) in MEANINGS {
        let found: BTreeSet<_> = world.found(query).into_iter().collect();
        let expected: BTreeSet<_> = expected.iter().map(|subject| (*subject).to_owned()).collect();
        assert_eq!(found, expected, "search: {query}");
    }
}

#[test]
fn words_signs_and_names_are_found_as_people_mean_them() {
    assert_meanings(&world());
}

#[test]
fn the_tail_that_is_not_indexed_yet_gives_the_same_answers() {
    let world = World::holding(&mboxrd(&[Mail::new("First").bytes()]));
    let reader = Reader::open(&world.home().join("mail.db")).unwrap();
    let other = Indexer::try_open(&world.home().join("text"), &reader, Effort::Gentle).unwrap().unwrap();
    let file = world.write("more.mbox", mboxrd(&letters().iter().map(Mail::bytes).collect::<Vec<_>>()));

    world.import(&file);

    assert_eq!(world.json(&["status"])["not_indexed"], letters().len());
    assert_meanings(&world);
    drop(other);
}

#[test]
fn signs_that_cannot_be_looked_for_are_refused_by_every_command() {
    let world = world();
    let target = world.path("out.mbox");
    let to = target.to_str().unwrap();

    for query in [
        "->",
        "!!!",
        "...",
        "from:->",
        "\"--\"",
        "in:inbox ???",
        "-!!!",
        "-in:trash &",
        "inbox OR |",
        "{a !}",
    ] {
        for command in [&["search"][..], &["count"], &["export", "--to", to], &["forget", "--yes"]] {
            let failure = world.failure(&[command, &["--", query]].concat());
            assert_eq!(failure["code"], "bad_query", "{command:?} {query}: {failure}");
            assert!(failure["hint"].as_str().unwrap().contains("write a word"), "{failure}");
        }
    }
    assert!(!target.exists());
    assert_eq!(world.failure(&["forget", "--yes", "*"])["code"], "no_query");
    assert_eq!(world.count(""), letters().len() as u64);
}

#[test]
fn a_beginning_that_half_of_all_words_have_is_refused() {
    let world = world();

    for query in ["a*", "from:*", "subject:x*", "filename:1*", "ü*"] {
        assert_eq!(world.failure(&["count", query])["code"], "bad_query", "{query}");
    }
    assert_eq!(world.count("üb* OR 東*"), 0);
}

#[test]
fn a_beginning_in_a_phrase_that_too_many_words_have_says_so() {
    let words: Vec<_> = (0..17_000).map(|number| format!("zz{number:05}")).collect();
    let world =
        World::holding(&mboxrd(&[Mail::new("Many").body(&format!("hello {}", words.join("\n"))).bytes()]));

    assert_eq!(world.count("zz*"), 1);
    assert_eq!(world.count("hello.zz000*"), 1);
    let failure = world.failure(&["count", "hello.zz*"]);
    assert_eq!(failure["code"], "too_broad", "{failure}");
}

#[test]
fn from_me_and_to_me_are_the_accounts_that_are_searched() {
    let world = World::new();
    let letter = |subject: &str, from: &str, to: &str| Mail::new(subject).from(from).with("To", to).bytes();
    let home = [
        letter("Out", "Ada <ada@home.example>", "bob@stone.example"),
        letter("In", "bob@stone.example", "Ada <ADA@home.example>"),
        letter("Across", "Ada <ada@home.example>", "ada@work.example"),
        letter("Namesake", "ada@home.example.org.example", "bob@stone.example, ada@elsewhere.example"),
    ];
    let work = [letter("Work out", "ada@work.example", "boss@work.example")];
    world.import_as(&world.write("home.mbox", mboxrd(&home)), "ada@home.example");
    world.import_as(&world.write("work.mbox", mboxrd(&work)), "ada@work.example");
    let found = |query: &str| world.found(query).into_iter().collect::<BTreeSet<_>>();
    let subjects = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect::<BTreeSet<_>>();

    assert_eq!(found("from:me -subject:namesake"), subjects(&["Out", "Across", "Work out"]));
    assert_eq!(found("to:me"), subjects(&["In", "Across"]));
    assert_eq!(found("from:me to:ME -subject:namesake"), subjects(&["Across"]));
    assert_eq!(found("account:ada@home.example to:me"), subjects(&["In"]));
    assert_eq!(found("account:ada@work.example from:me"), subjects(&["Work out"]));
    assert_eq!(found("-from:me -subject:namesake"), subjects(&["In"]));
    assert_eq!(found("from:\"me\""), subjects(&[]));
    let one = world.json(&["count", "--account", "ada@home.example", "to:me"]);
    assert_eq!(one["count"], 1);
}

#[test]
fn labels_and_states_of_gmail_are_found_by_its_names() {
    let labelled = |subject: &str, labels: &str| Mail::new(subject).labelled(labels).bytes();
    let mails = [
        labelled("Offer", "Inbox,Category Promotions,Opened"),
        labelled("Weighty", "Inbox,Important,Unread"),
        labelled("Trip", "Inbox,Opened,Travel Plans/Rome"),
        labelled("Star", "Starred,Archived,Opened"),
    ];
    let world = World::holding(&mboxrd(&mails));
    let found = |query: &str| world.found(query).into_iter().collect::<BTreeSet<_>>();
    let subjects = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect::<BTreeSet<_>>();

    for (query, expected) in [
        ("category:promotions", &["Offer"][..]),
        ("category:social", &[]),
        ("is:important", &["Weighty"]),
        ("label:important", &["Weighty"]),
        ("label:unread", &["Weighty"]),
        ("label:starred", &["Star"]),
        ("label:travel-plans-rome", &["Trip"]),
        ("label:\"Travel Plans/Rome\"", &["Trip"]),
        ("has:userlabels", &["Trip"]),
        ("has:nouserlabels", &["Offer", "Weighty", "Star"]),
        ("{label:starred category:promotions}", &["Star", "Offer"]),
    ] {
        assert_eq!(found(query), subjects(expected), "{query}");
    }
    assert_eq!(world.count("label:inbox"), world.count("in:inbox"));
    let quiet = world.run(&["search", "label:unread"]);
    assert!(!told(&quiet).contains("there is no label"), "{}", told(&quiet));
}

#[test]
fn a_date_that_can_be_read_in_two_ways_is_read_as_the_locale_says_and_told() {
    let letter = |day: &str| Mail::new(day).date(&format!("{day} 2024 10:00:00 +0000")).bytes();
    let world = World::holding(&mboxrd(&[letter("10 Mar"), letter("3 Oct")]));
    let asked = |locale: &str| {
        let mut command = world.command(&["search", "on:3/10/2024"]);
        let output =
            command.env_remove("LC_ALL").env("LC_TIME", locale).env("LANG", "fr_FR").output().unwrap();
        told(&output)
    };

    let (american, german) = (asked("en_US.UTF-8"), asked("de_DE.UTF-8"));

    assert!(american.contains("10 Mar") && !american.contains("3 Oct"), "{american}");
    assert!(american.contains("note: `3/10/2024` is read as 2024-03-10, the month first"), "{american}");
    assert!(german.contains("3 Oct") && !german.contains("10 Mar"), "{german}");
    assert!(german.contains("the other day is 2024-03-10"), "{german}");
}

#[test]
fn what_may_have_been_meant_is_said_where_nothing_is_found() {
    let world = world();
    let said = |command: &str, query: &str| told(&world.run(&[command, query]));

    assert!(said("search", "inventary").contains("did you mean `inventory`?"));
    assert!(said("count", "subject:umluat").contains("did you mean `subject:umlaut`?"));
    assert!(said("search", "from:koehlr").contains("did you mean `from:koehler`?"));
    assert!(said("search", "alpha inventory").contains("no message has all these words; with some of them"));
    assert!(said("count", "alpha inventory").contains("each of these words is found"));
    assert!(said("search", "in:nowhere").contains("there is no mailbox `nowhere`; there are: INBOX"));
    assert!(!said("search", "xylophone").contains("did you mean"));
    assert!(!said("search", "inventory").contains("note:"));
    for (misleading, query) in [("`for`", "fort"), ("mulled", "Möller"), ("OR", "from:nobody to:nobody")] {
        assert!(!said("count", query).contains(misleading), "{}", said("count", query));
    }
    for query in ["deliveredto:me", "deliveredto:bob@stone.example"] {
        assert!(!said("search", query).contains("no account"), "{}", said("search", query));
    }
    assert!(said("count", "budget last week").contains("on:\"last week\""));
    let json = answer(&mut world.command(&["--json", "search", "inventary"]));
    assert_eq!(json["notes"][0], "no message has `inventary`; did you mean `inventory`?");
}

#[test]
fn an_assistant_is_not_told_words_that_only_a_withheld_message_has() {
    let world = World::holding(&mboxrd(&[
        Mail::new("Secret").body("the passphrase is xenophobia").bytes(),
        Mail::new("Other").body("nothing").bytes(),
    ]));
    let question = Question::of("xenophobio", Page { limit: 5, offset: 0 });
    let before = archive(&world, Audience::Assistant).search(&question).unwrap().notes;
    let key = archive(&world, Audience::Person).matching("xenophobia", None).unwrap()[0];
    let mut store = Store::open(&world.home().join("mail.db")).unwrap();
    let mut transaction = store.begin().unwrap();
    transaction.withhold(key, true).unwrap();
    transaction.commit().unwrap();

    let after = archive(&world, Audience::Assistant).search(&question).unwrap().notes;

    assert_eq!(before, ["no message has `xenophobio`; did you mean `xenophobia`?"]);
    assert_eq!(after, [""; 0]);
}

#[test]
fn an_index_of_another_layout_is_built_again_by_itself() {
    let world = world();
    let meta = world.home().join("text/meta.json");
    let before = std::fs::read_to_string(&meta).unwrap();
    let older = before
        .replace("\"payload\": \"3 ", "\"payload\": \"2 ")
        .replace("\"payload\":\"3 ", "\"payload\":\"2 ");
    assert_ne!(before, older);
    std::fs::write(&meta, older).unwrap();

    assert_meanings(&world);
    world.import(&world.write("new.eml", Mail::new("New").bytes()));

    assert!(std::fs::read_to_string(&meta).unwrap().contains("\"3 "));
    assert_eq!(world.json(&["status"])["not_indexed"], 0);
    assert_meanings(&world);
    world.assert_sound();
}
