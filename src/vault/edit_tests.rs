//! Frontmatter of every shape that people write: read, written back, changed key by key.

use serde_json::json;

use super::{Note, VaultPath, Yaml};

/// One entry of a frontmatter each, as people write them.
const SHAPES: [&str; 64] = [
    "plain: text",
    "spaced:    far away",
    "with spaces in key: yes",
    "quoted: \"double \\\"inner\\\" \\u00e9\"",
    "single: 'it''s'",
    "colon: 'a: b'",
    "url: https://example.org:8080/a?b=c#d",
    "time: 12:30",
    "hash: 'not # a comment'",
    "commented: value # and why",
    "only_comment: # nothing yet",
    "empty:",
    "tilde: ~",
    "null_word: null",
    "yes_word: yes",
    "on_word: On",
    "truth: true",
    "lie: False",
    "number: 42",
    "negative: -7",
    "zero_padded: 007",
    "float: 1.50",
    "exponent: 6.02e23",
    "hex: 0xFF",
    "octal: 0o17",
    "infinite: .inf",
    "no_number: .nan",
    "large: 123456789012345678901234567890",
    "underscored: 1_000",
    "date: 2026-02-24",
    "moment: 2026-02-24T10:30:00+01:00",
    "blank_moment: 2026-02-24 10:30",
    "week: 2026-W09",
    "version: 1.2.3",
    "phone: +49 170 1234567",
    "flow_list: [a, b, \"c d\"]",
    "flow_numbers: [1, 2.5, true, null]",
    "empty_list: []",
    "empty_map: {}",
    "flow_map: {a: 1, b: {c: [d]}}",
    "flow_lines: [\n  one,\n  two,\n]",
    "block_list:\n  - one\n  - two # second",
    "flat_list:\n- one\n- two",
    "list_of_maps:\n  - name: Ada\n    mail: ada@example.org\n  - name: Bob",
    "nested_list:\n  - - 1\n    - 2\n  - [3]",
    "block_map:\n  inner: 1\n  other:\n    deep: x",
    "with_comment_inside:\n  # about it\n  - a\n\n  - b",
    "literal: |\n  line one\n    indented\n\n  # no comment\n  last",
    "literal_strip: |-\n  stripped",
    "literal_keep: |+\n  kept\n",
    "folded: >\n  words that\n  go on",
    "folded_strip: >-\n  a: b\n  - c",
    "many_lines: words that\n  go on here",
    "quoted_lines: \"one\n  two\"",
    "\"quoted key\": 1",
    "'single key': 2",
    "key:with:colons: 3",
    "123: number as key",
    "ключ: значение",
    "タグ: [日本語, 🎉]",
    "emoji: ❤️ 👩‍👧",
    "tag_list: [\"#work\", '#home']",
    "wiki: \"[[Some Note|alias]]\"",
    "tagged: !!str 5",
];

fn note(text: &str) -> Note {
    Note::parse(VaultPath::new("a.md").unwrap(), text.as_bytes().to_vec())
        .unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Frontmatters of two to six entries each, in every style of line ends, comments and bodies.
fn samples() -> Vec<String> {
    let bodies = [
        "",
        "Body\n",
        "\nBody\n\n---\nnot the end\n",
        "no final line end",
        "---\nrule\n---\n",
        "tab\tand \u{a0}\n",
    ];
    let between = ["", "# a comment\n", "\n", "\n# two\n# lines\n\n"];
    (0..520)
        .map(|number| {
            let count = 2 + number % 5;
            let shapes: Vec<_> =
                (0..count).map(|place| SHAPES[(number * 7 + place * 13) % SHAPES.len()]).collect();
            let mut yaml = String::new();
            let mut seen = Vec::new();
            for (place, shape) in shapes.iter().enumerate().filter(|(_, shape)| {
                let is_new = !seen.contains(*shape);
                seen.push(**shape);
                is_new
            }) {
                yaml.push_str(between[(number + place) % between.len()]);
                yaml.push_str(shape);
                yaml.push('\n');
            }
            let text = format!("---\n{yaml}---\n{}", bodies[number % bodies.len()]);
            let text = if number % 3 == 1 { text.replace('\n', "\r\n") } else { text };
            if number % 4 == 3 { format!("\u{feff}{text}") } else { text }
        })
        .collect()
}

#[test]
fn what_is_not_changed_keeps_every_byte() {
    let samples = samples();
    assert!(samples.len() >= 500);
    for text in samples {
        let mut same = note(&text);
        let frontmatter = same.frontmatter().to_vec();
        let body = same.body().to_owned();

        same.set_all(&frontmatter).unwrap();
        same.set_body(&body);

        assert_eq!(same.text(), text);
    }
}

/// What one change may touch: the lines of the key, and nothing before and behind them.
#[test]
fn a_changed_key_leaves_every_other_entry_and_comment() {
    for text in samples() {
        let before = note(&text);
        for (key, _) in before.frontmatter() {
            for value in [json!("done"), json!(["x", {"y": 1}]), json!(null), json!("a: b # c\nd")] {
                let mut changed = before.clone();

                changed.set(key, &value).unwrap_or_else(|error| panic!("{error} in {text}"));

                assert_eq!(changed.get(key), Some(&Yaml::from(&value)), "{text}");
                let others = |note: &Note| {
                    note.frontmatter().iter().filter(|(name, _)| name != key).cloned().collect::<Vec<_>>()
                };
                let read_again = note(changed.text());
                assert_eq!(others(&read_again), others(&before), "{text} became {}", changed.text());
                assert_eq!(read_again.body(), before.body());
                let comments = |text: &str| {
                    text.lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
                };
                assert_eq!(comments(changed.text()), comments(&text), "{text} became {}", changed.text());
                assert_eq!(changed.text().starts_with('\u{feff}'), text.starts_with('\u{feff}'));
                if text.contains("\r\n") {
                    assert!(!changed.text().replace("\r\n", "").contains('\n'), "{:?}", changed.text());
                }
            }
        }
    }
}

#[test]
fn a_new_key_comes_behind_the_others() {
    for text in samples() {
        let mut changed = note(&text);

        changed.set("fresh", "x").unwrap();

        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        assert_eq!(changed.text().replacen(&format!("fresh: x{newline}"), "", 1), text);
    }
}

#[test]
fn one_value_changes_in_its_line() {
    for (text, key, value, expected) in [
        (
            "---\nstatus: pending # why\nb: 1\n---\nx",
            "status",
            json!("done"),
            "---\nstatus: done # why\nb: 1\n---\nx",
        ),
        ("---\nstatus:   'pending'   \n---\n", "status", json!("done"), "---\nstatus:   done   \n---\n"),
        ("---\nstatus: # later\n---\n", "status", json!(3), "---\nstatus: 3 # later\n---\n"),
        (
            "---\ntags:\n  - a\n\n# next\nb: 1\n---\n",
            "tags",
            json!("x"),
            "---\ntags: x\n\n# next\nb: 1\n---\n",
        ),
        (
            "---\ntags: [a] # t\nb: 1\n---\n",
            "tags",
            json!(["x", "z"]),
            "---\ntags: # t\n  - x\n  - z\nb: 1\n---\n",
        ),
        ("---\na: 1\n---\n", "a", json!(null), "---\na:\n---\n"),
        ("---\n{a: 1, b: 2}\n---\n", "b", json!("x"), "---\n{a: 1, b: \"x\"}\n---\n"),
        ("---\n{a: 1}\n---\n", "b", json!([1]), "---\n{\"b\": [1], a: 1}\n---\n"),
        ("---\n  a: 1\n  b: 2\n---\n", "c", json!(3), "---\n  a: 1\n  b: 2\n  c: 3\n---\n"),
        ("---\n# only a comment\n---\n", "a", json!(1), "---\n# only a comment\na: 1\n---\n"),
        ("---\n---\nx", "a", json!(1), "---\na: 1\n---\nx"),
        ("body only", "a", json!(true), "---\na: true\n---\nbody only"),
        ("\u{feff}body\r\n", "a", json!(true), "\u{feff}---\r\na: true\r\n---\r\nbody\r\n"),
        ("---\na: 1\n---", "a", json!(2), "---\na: 2\n---"),
    ] {
        let mut changed = note(text);

        changed.set(key, &value).unwrap();

        assert_eq!(changed.text(), expected);
    }
}

#[test]
fn values_are_written_as_obsidian_writes_them() {
    let mut fresh = Note::new(VaultPath::new("a.md").unwrap());

    for (key, value) in [
        ("status", json!("pending")),
        ("due", json!("2026-02-24")),
        ("tags", json!(["mail", "a: b", "007", ""])),
        ("from", json!("Ada <ada@example.org>")),
        ("subject", json!("Re: hello")),
        ("count", json!(3)),
        ("yes", json!("no")),
        ("people", json!([{"age": 36, "name": "Ada"}, []])),
        ("nothing", json!(null)),
    ] {
        fresh.set(key, &value).unwrap();
    }
    fresh.set_body("Hello");

    assert_eq!(
        fresh.text(),
        "---\nstatus: pending\ndue: 2026-02-24\ntags:\n  - mail\n  - \"a: b\"\n  - \"007\"\n  - \"\"\nfrom: Ada \
         <ada@example.org>\nsubject: \"Re: hello\"\ncount: 3\n\"yes\": \"no\"\npeople:\n  - age: 36\n    name: Ada\n  - \
         []\nnothing:\n---\nHello"
    );
}

#[test]
fn every_body_comes_back_as_it_was_written() {
    for body in [
        "",
        "x",
        "\n",
        "---\n",
        "---\na: 1\n---\nb",
        "---",
        "\u{feff}x",
        "\u{feff}---\na: 1\n---\n",
        "a\r\nb",
        "----\n---\n",
    ] {
        for keys in [0, 1] {
            for old in ["", "old", "---\nz: 1\n---", "\u{feff}---\r\n---\r\nold", "\u{feff}old"] {
                let mut written = note(old);
                if keys == 1 {
                    written.set("k", "v").unwrap();
                }

                written.set_body(body);

                let again = note(written.text());
                assert_eq!((again.body(), again.frontmatter()), (body, written.frontmatter()), "{old:?}");
            }
        }
    }
}

#[rustfmt::skip]
const TEXTS: &[&str] = &[
    "", " ", "a", " a", "a ", "#a", "a #b", "a: b", "a:", "- a", "? a", "@a", "`a", "%a", "&a",
    "*a", "!a", "|", ">", "[a", "{a", "a]", "null", "~", "true", "Yes", "NO", "1", "-1", "+1",
    "0x1", "1e3", "1.", ".5", ".inf", "1_0", "12:30", "0o7", "2026-02-24", "2026-02-30", "a\nb",
    "a\r\nb", "\ta", "a\tb", "\u{85}", "\u{2028}", "\u{feff}", "\u{0}", "\u{7f}", "é", "🎉", "\"",
    "'", "\\", "---", "...", "=", "<<", "y", "\u{200b}", "\u{e0041}", "a,b", "(a)", "/etc", "50%",
    "a\\nb",
];

#[test]
fn values_of_every_kind_come_back() {
    for text in TEXTS {
        let mut written = Note::new(VaultPath::new("a.md").unwrap());
        let value = json!({ "k": text, "list": [text, [text]], "map": { "inner": text } });
        let entries: Vec<_> =
            value.as_object().unwrap().iter().map(|(key, value)| (key.clone(), Yaml::from(value))).collect();

        written.set_all(&entries).unwrap_or_else(|error| panic!("{error} for {text:?}"));
        written.set(text, "as key").ok();

        let again = note(written.text());
        assert_eq!(again.get("list"), Some(&Yaml::from(&json!([text, [text]]))), "{}", written.text());
        assert_eq!(again.get("map"), Some(&Yaml::from(&json!({ "inner": text }))));
    }
}

#[test]
fn yaml_that_is_broken_is_told_with_its_line() {
    for (text, line) in [
        ("---\na: [1\nb: 2\n---\nbody", 3),
        ("---\nok: 1\na: b: c\n---\n", 3),
        ("---\na: 1\na: 2\n---\n", 3),
        ("---\n- a\n- b\n---\n", 2),
        ("---\njust words\n---\n", 2),
        ("---\na: \"open\n---\n", 2),
        ("---\ndate: {{date}}\n---\n", 2),
        ("---\na: *nobody\n---\n", 2),
    ] {
        let error = Note::parse(VaultPath::root(), text.as_bytes().to_vec()).unwrap_err();
        let super::VaultError::Unreadable { line: found, .. } = &error else { panic!("{error}") };
        assert_eq!(error.code(), "parse_error");
        assert!(found.is_some_and(|found| found.abs_diff(line) <= 1), "{text:?}: {found:?}");
    }
    let latin = Note::parse(VaultPath::root(), b"---\na: 1\n---\ncaf\xe9".to_vec()).unwrap_err();
    assert_eq!(latin.code(), "parse_error");
}

#[test]
fn a_key_that_others_lean_on_is_not_changed_behind_their_back() {
    let mut leaning = note("---\na: &x 1\nb: *x\n---\n");

    let changed = leaning.set("a", 2).map(|()| leaning.text().to_owned());

    match changed {
        Ok(text) => assert_eq!(note(&text).get("b"), Some(&Yaml::from(1)), "{text}"),
        Err(error) => assert_eq!(error.code(), "note_entangled"),
    }
    assert!(note("---\nbase: &b {x: 1}\nown:\n  <<: *b\n---\n").get("own").is_some());
}

#[test]
fn a_bomb_of_aliases_is_refused() {
    let mut yaml = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for number in 1..20 {
        let last = format!("*a{}", number - 1);
        yaml.push_str(&format!("a{number}: &a{number} [{}]\n", [last.as_str(); 9].join(", ")));
    }

    let error = Note::parse(VaultPath::root(), format!("---\n{yaml}---\n").into_bytes()).unwrap_err();

    assert_eq!(error.code(), "parse_error");
}
