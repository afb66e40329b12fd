//! The editor's promises: on layouts people use, and on documents made by chance.

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::super::{Format, Fresh, Refusal};

const PATH: [&str; 2] = ["servers", "mailkeep"];

fn entry() -> Fresh {
    let members = [("command", json!("/bin/mailkeep")), ("args", json!(["mcp", "--profile"]))];
    Fresh::Object(members.map(|(key, value)| (key.to_owned(), Fresh::Plain(value))).into())
}

fn set(text: &str) -> String {
    Format::Json.set(text, &PATH, &entry()).unwrap()
}

fn removed(text: &str) -> String {
    Format::Json.remove(text, &PATH).unwrap().unwrap()
}

fn refused(text: &str) -> Refusal {
    Format::Json.set(text, &PATH, &entry()).unwrap_err()
}

const FRESH: &str = r#"{
  "servers": {
    "mailkeep": {
      "command": "/bin/mailkeep",
      "args": ["mcp", "--profile"]
    }
  }
}
"#;

#[test]
fn an_empty_file_becomes_a_whole_document() {
    assert_eq!(set(""), FRESH);
    assert_eq!(set("\n \n"), FRESH);
    assert_eq!(set("{}\n"), FRESH);
    assert_eq!(set("\u{feff}"), format!("\u{feff}{FRESH}"));
    assert_eq!(set("// mine"), format!("// mine\n{FRESH}"));
    assert_eq!(set("// mine\r\n"), format!("// mine\r\n{}", FRESH.replace('\n', "\r\n")));
}

#[test]
fn a_member_goes_behind_the_comments_of_the_last_one() {
    let text = "{\n\t// top\n\t\"servers\": {\n\t\t\"a\": {} // first\n\t\t// \"b\": {}\n\t},\n\t\"x\": 1, // last\n}\n";

    let connected = set(text);

    let expected = "{\n\t// top\n\t\"servers\": {\n\t\t\"a\": {}, // first\n\t\t// \"b\": {}\n\t\t\"mailkeep\": \
                    {\n\t\t\t\"command\": \"/bin/mailkeep\",\n\t\t\t\"args\": [\"mcp\", \
                    \"--profile\"]\n\t\t}\n\t},\n\t\"x\": 1, // last\n}\n";
    assert_eq!(connected, expected);
    assert_eq!(removed(&connected), text);
}

#[test]
fn a_trailing_comma_stays_a_trailing_comma() {
    let text = "{\n    \"servers\": {\n        \"a\": 1,\n    },\n}";

    let connected = set(text);

    assert!(connected.contains("        },\n    },\n}"), "{connected}");
    assert_eq!(removed(&connected), text);
}

#[test]
fn a_document_on_one_line_stays_on_one_line() {
    let member = r#""mailkeep":{"command":"/bin/mailkeep","args":["mcp","--profile"]}"#;
    assert_eq!(set(r#"{"servers":{"a":1}}"#), format!(r#"{{"servers":{{"a":1,{member}}}}}"#));
    assert_eq!(set(r#"{"servers":{}}"#), format!(r#"{{"servers":{{{member}}}}}"#));
    assert_eq!(set(r#"{"a":1}"#), format!(r#"{{"a":1,"servers":{{{member}}}}}"#));

    let spaced = r#""mailkeep": {"command": "/bin/mailkeep", "args": ["mcp", "--profile"]}"#;
    assert_eq!(set(r#"{ "servers": { "a": 1 } }"#), format!(r#"{{ "servers": {{ "a": 1, {spaced} }} }}"#));
}

#[test]
fn comments_in_an_empty_object_stay() {
    let connected = set("{\n  \"servers\": {\n    // none yet\n  }\n}\n");

    assert!(
        connected.starts_with("{\n  \"servers\": {\n    // none yet\n    \"mailkeep\": {\n"),
        "{connected}"
    );
    assert_eq!(removed(&connected), "{\n  \"servers\": {\n    // none yet\n  }\n}\n");
}

#[test]
fn comments_beside_a_removed_member_stay() {
    let text = "{\"servers\": {\n  \"mailkeep\": 1 /* a */, // b\n  \"x\": 2 }}";
    assert_eq!(removed(text), "{\"servers\": {\n  /* a */ // b\n  \"x\": 2 }}");

    let text = "{\"servers\": {\"x\": 1, // a\n\"mailkeep\": 2 }}";
    assert_eq!(removed(text), "{\"servers\": {\"x\": 1 // a\n }}");
}

#[test]
fn of_two_members_with_one_name_the_last_is_changed_and_both_are_removed() {
    let text = r#"{"servers": {"mailkeep": {"command": "a"}, "b": 1, "mailkeep": {"command": "c"}}}"#;

    let path = [PATH[0], PATH[1], "command"];
    let changed = Format::Json.set(text, &path, &Fresh::Plain(json!("new"))).unwrap();

    assert_eq!(changed, text.replace("\"c\"", "\"new\""));
    assert_eq!(removed(text), r#"{"servers": {"b": 1}}"#);
}

#[test]
fn half_a_surrogate_pair_and_odd_keys_are_no_obstacle() {
    let text =
        "{\"history\": [\"cut \\ud83d\", \"\u{1f600} }\\\"{ // no\"], \"\\u0073ervers\": {\"a\": 1.5e3}}";

    let connected = set(text);

    assert!(connected.contains("\"a\": 1.5e3, \"mailkeep\": {"), "{connected}");
    assert_eq!(removed(&connected), text);
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    let place = |text: &str| refused(text).place.unwrap();
    assert_eq!(place("{\n  \"a\": 1\n  \"b\": 2\n}"), (3, 3));
    assert_eq!(place("\u{feff}{'a': 1}"), (1, 2));
    assert_eq!(place("{\"ä\": \"unfinished\n}"), (1, 18));
    assert_eq!(place("{\"a\": 1} x"), (1, 10));
    assert_eq!(place("{\"a\": tru}"), (1, 7));
    assert_eq!(place("{\"a\": /* 1}"), (1, 7));
    assert_eq!(place("{\"a\":"), (1, 6));
    assert_eq!(place("{,}"), (1, 2));
    assert_eq!(place("[1,,2]"), (1, 4));
    assert_eq!(place("{\"a\": \"\\x\"}"), (1, 8));
}

#[test]
fn what_is_no_object_is_refused() {
    assert!(refused("[]").message.contains("the document"));
    assert!(refused("{\"servers\": []}").message.contains("`servers`"));
    assert!(refused("{\"servers\": null}").message.contains("`servers`"));
}

#[test]
fn nesting_without_end_is_refused() {
    let deep = "[".repeat(1_000_000);
    assert!(refused(&deep).message.contains("levels"));
    assert!(refused(&"{\"a\":".repeat(100_000)).message.contains("levels"));
}

#[test]
fn removing_what_is_not_there_is_nothing() {
    assert_eq!(Format::Json.remove("{\"servers\": {\"a\": 1}}", &PATH).unwrap(), None);
    assert_eq!(Format::Json.remove("{\"servers\": 3}", &PATH).unwrap(), None);
    assert_eq!(Format::Json.remove("", &PATH).unwrap(), None);
}

/// Writes documents by chance: any blanks and comments anywhere, trailing commas, any nesting.
struct Author {
    state: u64,
    text: String,
    comments: Vec<String>,
    newline: &'static str,
}

impl Author {
    fn document(seed: u64, servers: &[&str]) -> Self {
        let newline = if seed.is_multiple_of(3) { "\r\n" } else { "\n" };
        let mut author = Self { state: seed | 1, text: String::new(), comments: Vec::new(), newline };
        author.text.push_str(if seed.is_multiple_of(5) { "\u{feff}" } else { "" });
        author.blank();
        author.members(&[("before", None), ("servers", Some(servers)), ("after", None)], 0);
        author.blank();
        author
    }

    fn below(&mut self, end: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % end
    }

    fn blank(&mut self) {
        let newline = self.newline;
        match self.below(9) {
            0 => self.text.push(' '),
            1 => self.text.push_str(&format!("{newline}  ")),
            2 => self.text.push_str(&format!("  {newline}\t")),
            3 => self.comment("/*", "*/"),
            4 => self.comment("//", newline),
            _ => {}
        }
    }

    fn comment(&mut self, open: &str, close: &str) {
        let comment = format!("{open} {} \"}}, {{: ", self.comments.len());
        self.text.push_str(&comment);
        self.text.push_str(close);
        self.comments.push(comment);
    }

    fn members(&mut self, members: &[(&str, Option<&[&str]>)], depth: u64) {
        self.text.push('{');
        for (position, (key, inner)) in members.iter().enumerate() {
            self.blank();
            self.text.push_str(&Value::from(*key).to_string());
            self.blank();
            self.text.push(':');
            self.blank();
            match inner {
                Some(names) => {
                    let names: Vec<_> = names.iter().map(|name| (*name, None)).collect();
                    self.members(&names, depth + 1);
                }
                None => self.value(depth + 1),
            }
            self.blank();
            let is_last = position + 1 == members.len();
            if !is_last || self.below(3) == 0 {
                self.text.push(',');
                self.blank();
            }
        }
        self.blank();
        self.text.push('}');
    }

    fn value(&mut self, depth: u64) {
        match self.below(if depth > 3 { 3 } else { 5 }) {
            0 => self.text.push_str("-1.5e-3"),
            1 => self.text.push_str("\"q\\\" \\u00e9 // }\""),
            2 => self.text.push_str("null"),
            3 => self.members(&[("a", None), ("b b", None)], depth),
            _ => {
                self.text.push('[');
                self.value(depth + 1);
                self.blank();
                self.text.push(']');
            }
        }
    }
}

/// The text without blanks, which a change may touch next to itself.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn what_is_put_in_comes_out_and_leaves_every_byte(seed in any::<u64>()) {
        let author = Author::document(seed, &["x", "y"]);

        let connected = set(&author.text);

        prop_assert_eq!(removed(&connected), author.text);
    }

    #[test]
    fn an_object_without_members_keeps_its_comments(seed in any::<u64>()) {
        let author = Author::document(seed, &[]);

        let connected = set(&author.text);

        let entry = squeezed(r#""mailkeep":{"command":"/bin/mailkeep","args":["mcp","--profile"]}"#);
        prop_assert_eq!(squeezed(&connected).replace(&entry, ""), squeezed(&author.text));
        prop_assert_eq!(squeezed(&removed(&connected)), squeezed(&author.text));
    }

    #[test]
    fn a_member_is_removed_from_any_place_and_comments_around_it_stay(seed in any::<u64>(), place in 0_usize..3) {
        let mut names = vec!["x", "y"];
        names.insert(place, "mailkeep");
        let author = Author::document(seed, &names);

        let shorter = removed(&author.text);

        let spans = super::scan::document(&author.text).unwrap().unwrap();
        let servers = &spans.members().unwrap()[1].value;
        let member = &servers.members().unwrap()[place];
        let own = &author.text[member.start..member.value.span.end];
        let kept = author.comments.iter().filter(|comment| !own.contains(comment.as_str()));
        for comment in kept {
            prop_assert!(shorter.contains(comment.as_str()), "{} is gone from {}", comment, shorter);
        }
    }

    #[test]
    fn a_changed_value_leaves_every_other_byte(seed in any::<u64>(), place in 0_usize..3) {
        let mut names = vec!["x", "y"];
        names.insert(place, "mailkeep");
        let author = Author::document(seed, &names);

        let changed = Format::Json.set(&author.text, &PATH, &Fresh::Plain(json!("fresh"))).unwrap();

        let spans = super::scan::document(&author.text).unwrap().unwrap();
        let old = spans.members().unwrap()[1].value.members().unwrap()[place].value.span.clone();
        prop_assert_eq!(changed, format!("{}\"fresh\"{}", &author.text[..old.start], &author.text[old.end..]));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\":,/*a1\\\\ \n\u{feff}é]{0,40}") {
        let _ = Format::Json.set(&text, &PATH, &entry());
        let _ = Format::Json.remove(&text, &PATH);
    }
}
