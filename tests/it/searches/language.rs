//! Every operator and rule of the search language, on letters made for them.

use std::collections::BTreeSet;

use mailkeep::query::language::OPERATORS;

use super::letterbox;
use crate::world::{World, answer, list};

/// Asserts which letters a search finds, in any order.
fn assert_finds(world: &World, table: &[(&str, &[&str])]) {
    for (query, expected) in table {
        let found: BTreeSet<_> = world.found(query).into_iter().collect();
        let expected: BTreeSet<_> = expected.iter().map(|subject| (*subject).to_owned()).collect();
        assert_eq!(found, expected, "search: {query}");
        assert_eq!(world.count(query), expected.len() as u64, "count: {query}");
    }
}

const BUDGET: &[&str] = &["Budget meeting", "Re: Budget meeting"];

#[test]
fn people_are_found_by_name_and_address() {
    let world = letterbox();

    assert_finds(
        &world,
        &[
            ("from:lovelace", &["Budget meeting"]),
            ("from:\"Ada Lovelace\"", &["Budget meeting"]),
            ("from:\"Ada analytical\"", &[]),
            ("from:ada.lovelace@analytical.example", &["Budget meeting"]),
            ("from:analytical.example", &["Budget meeting"]),
            ("from:meeting", &[]),
            ("from:(lovelace OR babbage)", BUDGET),
            ("to:charles", &["Budget meeting"]),
            ("to:mary", &["Budget meeting"]),
            ("to:archive-robot", &["Budget meeting"]),
            ("cc:somerville", &["Budget meeting"]),
            ("cc:charles", &[]),
            ("bcc:vault.example", &["Budget meeting"]),
            ("bcc:mary", &[]),
        ],
    );
}

#[test]
fn subject_and_body_are_looked_at_apart() {
    let world = letterbox();

    assert_finds(
        &world,
        &[
            ("subject:budget", BUDGET),
            ("body:budget", &[]),
            ("body:engine", &["Budget meeting"]),
            ("subject:engine", &[]),
            ("subject:(budget meetings)", BUDGET),
            ("body:\"punched cards\"", &["Re: Budget meeting"]),
        ],
    );
}

#[test]
fn states_labels_mailboxes_and_accounts_filter() {
    let world = letterbox();

    assert_finds(
        &world,
        &[
            ("is:starred", &["Budget meeting"]),
            ("is:replied", &["Replied"]),
            ("is:draft", &["Unfinished"]),
            ("is:read", &["Budget meeting", "Replied", "Unfinished"]),
            ("is:unread in:plans", &["Planned"]),
            ("label:travel", &["Budget meeting"]),
            ("label:trave", &[]),
            ("in:Work/Plans", &["Planned"]),
            ("in:drafts", &["Unfinished"]),
            ("in:nowhere", &[]),
            ("account:second@example.org", &["Elsewhere"]),
            ("-account:ada@example.org", &["Elsewhere"]),
            ("list:announce.lists.example.org", &["Announcement"]),
            ("list:lists.example.org", &["Announcement"]),
            ("list:release", &[]),
        ],
    );
}

#[test]
fn ids_find_messages_and_threads() {
    let world = letterbox();
    let shown = world.json(&["show", "Budget.meeting@test.example"]);
    let by_number = format!("thread:{}", shown["thread"].as_str().unwrap());
    let by_message = format!("thread:{}", shown["id"].as_str().unwrap());

    assert_finds(
        &world,
        &[
            ("rfc822msgid:Budget.meeting@test.example", &["Budget meeting"]),
            ("rfc822msgid:<Budget.meeting@test.example>", &["Budget meeting"]),
            ("rfc822msgid:nobody@test.example", &[]),
            (&by_number, BUDGET),
            (&by_message, BUDGET),
            ("thread:Re..Budget.meeting@test.example", BUDGET),
        ],
    );
    assert_eq!(list(&world.json(&["show", "--thread", "Budget.meeting@test.example"])["messages"]).len(), 2);
}

#[test]
fn sizes_and_ages_filter() {
    let world = letterbox();

    assert_finds(
        &world,
        &[
            ("larger:100k", &["Large"]),
            ("larger:1M", &[]),
            ("smaller:100k subject:large", &[]),
            ("newer_than:1d", &["Yesterday"]),
            ("older_than:20y", &["Long ago"]),
            ("newer_than:17h", &[]),
            ("newer_than:18h", &["Yesterday"]),
            ("on:yesterday", &["Yesterday"]),
            ("on:2000", &["Long ago"]),
            ("before:2000-03-03", &[]),
            ("before:2000-03-04", &["Long ago"]),
            ("after:2026-06-14", &["Yesterday"]),
            ("after:2026-06-15", &[]),
            ("on:2026-01-05..2026-01-06", &["Budget meeting", "Re: Budget meeting", "Cards punched"]),
        ],
    );
}

#[test]
fn days_are_days_of_the_process_s_time_zone() {
    let world = letterbox();
    let late = |zone: &str, day: &str| {
        let mut command = world.command(&["--json", "count", "subject:late", day]);
        answer(command.env("TZ", zone))["count"].as_u64().unwrap()
    };

    assert_eq!(late("UTC", "on:2026-02-01"), 1);
    assert_eq!(late("UTC", "before:2026-02-01"), 0);
    assert_eq!(late("America/New_York", "on:2026-02-01"), 0);
    assert_eq!(late("America/New_York", "on:2026-01-31"), 1);
    assert_eq!(late("America/New_York", "before:2026-02-01"), 1);
    assert_eq!(late("Asia/Tokyo", "after:2026-02-01"), 1);
}

#[test]
fn unquoted_words_match_their_stems_and_quoted_ones_exactly() {
    let world = letterbox();

    assert_finds(
        &world,
        &[
            ("meet", BUDGET),
            ("meetings", BUDGET),
            ("\"meet\"", &["Re: Budget meeting"]),
            ("\"meetings\"", &[]),
            ("\"punched cards\"", &["Re: Budget meeting"]),
            ("punch card", &["Re: Budget meeting", "Cards punched"]),
            ("\"cards punched\"", &["Cards punched"]),
            ("MEETING budget", BUDGET),
        ],
    );
}

#[test]
fn accents_fold_and_underscores_are_letters() {
    let world = letterbox();

    assert_finds(
        &world,
        &[
            ("cafe", &["Café résumé"]),
            ("café", &["Café résumé"]),
            ("RÉSUMÉ", &["Café résumé"]),
            ("zurich facade", &["Café résumé"]),
            ("strassencafe", &["Café résumé"]),
            ("max_open_files", &["Identifiers"]),
            ("open_files", &[]),
            ("\"open files\"", &[]),
            ("foo.bar", &["Identifiers"]),
            ("e-mail", &["Identifiers"]),
        ],
    );
}

#[test]
fn scripts_without_spaces_match_inside_their_text() {
    let world = letterbox();

    assert_finds(
        &world,
        &[
            ("東京", &["Tokyo"]),
            ("京都", &["Tokyo"]),
            ("会議", &["Tokyo"]),
            ("東京都の会議", &["Tokyo"]),
            ("東議", &[]),
            ("大阪", &[]),
            ("สวัสดี", &["Thai"]),
            ("ต้อนรับ", &["Thai"]),
            ("ลาก่อน", &[]),
        ],
    );
}

#[test]
fn words_combine_with_or_not_and_parentheses() {
    let world = letterbox();

    assert_finds(
        &world,
        &[
            ("engine OR release", &["Budget meeting", "Announcement"]),
            ("budget -engine", &["Re: Budget meeting"]),
            ("budget NOT engine", &["Re: Budget meeting"]),
            ("budget -(engine OR cards)", &[]),
            ("(engine OR release) from:lovelace", &["Budget meeting"]),
            ("subject:budget engine OR cards", BUDGET),
            ("(subject:budget engine) OR subject:tokyo", &["Budget meeting", "Tokyo"]),
            ("-in:inbox", &["Unfinished", "Planned"]),
        ],
    );
}

#[test]
fn bare_words_look_at_people_subject_and_visible_body() {
    let world = letterbox();

    assert_finds(
        &world,
        &[
            ("lovelace", BUDGET),
            ("babbage", BUDGET),
            ("somerville", &["Budget meeting"]),
            ("vault", &[]),
            ("tokyo", &["Tokyo"]),
            ("shown", &["Hidden"]),
            ("concealed", &[]),
            ("announcements", &["Announcement"]),
        ],
    );
}

#[test]
fn every_operator_in_the_help_is_understood() {
    let world = letterbox();
    let help = String::from_utf8(world.run(&["search", "--help"]).stdout).unwrap();

    for operator in OPERATORS {
        assert!(help.contains(operator.example.split(' ').next().unwrap()), "{}", operator.name);
        world.count(operator.example);
    }
}

#[test]
fn the_documents_list_every_operator_as_the_help_does() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let guides = std::fs::read_dir(root.join("docs")).unwrap().map(|file| file.unwrap().path());
    let pages = guides.filter(|file| file.extension().is_some_and(|ending| ending == "md"));
    let text: String =
        pages.chain([root.join("README.md")]).map(|file| std::fs::read_to_string(file).unwrap()).collect();

    for operator in OPERATORS {
        let row = format!("| `{}:` | {} | `{}` |", operator.name, operator.summary, operator.example);
        assert!(text.contains(&row), "no row in README.md or docs: {row}");
    }
}

#[test]
fn every_name_of_the_design_s_grammar_works() {
    let world = letterbox();
    let queries = "from:a to:a cc:a bcc:a subject:a body:a label:a in:a is:unread is:read is:starred is:replied \
        is:draft has:attachment filename:a type:a attachment:a before:2024 after:2024 on:2024 older_than:7d \
        newer_than:7d larger:2M smaller:2M rfc822msgid:a@b thread:1 list:a account:a";

    for query in queries.split_whitespace() {
        world.count(query);
    }
}

#[test]
fn an_operator_that_does_not_exist_is_an_error_that_names_the_nearest() {
    let world = letterbox();

    for (query, meant) in [("form:ada", "from"), ("subjct:x", "subject"), ("folder:x", "in")] {
        let failure = world.failure(&["search", query]);

        let said = format!("{} {}", failure["message"], failure["hint"]);
        assert_eq!(failure["code"], "bad_query");
        assert!(said.contains(&format!("`{meant}:")), "{said}");
    }
}

#[test]
fn an_account_that_does_not_exist_is_an_error_that_names_those_there_are() {
    let world = letterbox();

    let failure = world.failure(&["search", "--account", "nobody@example.org", "x"]);

    assert_eq!(failure["code"], "unknown_account");
    assert!(failure["hint"].as_str().unwrap().contains("second@example.org"));
}
