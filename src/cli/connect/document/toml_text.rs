//! TOML, edited by `toml_edit`. That library writes every line end anew, so its result is only taken where it
//! differs: the lines around a change stay as they are.

use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table, TableLike, TomlError};

use super::lines::Difference;
use super::{BYTE_ORDER_MARK, Fresh, Refusal};

pub(super) fn value(text: &str) -> Result<Value, Refusal> {
    document(text)?;
    toml::from_str(body(text)).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        Refusal::at(body(text), start, error.message())
    })
}

pub(super) fn set(text: &str, path: &[&str], fresh: &Fresh) -> Result<String, Refusal> {
    let mut document = document(text)?;
    let needs_gap = !document.is_empty();
    let Some((last, way)) = path.split_last() else { return Ok(text.to_owned()) };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for key in way {
        let mut missing = Table::new();
        missing.set_implicit(true);
        let item = table.entry(key).or_insert(Item::Table(missing));
        table = item.as_table_like_mut().ok_or_else(|| Refusal::no_mapping(Some(key)))?;
    }
    put(table, last, item(fresh, needs_gap));
    Ok(spliced(text, &document.to_string()))
}

pub(super) fn remove(text: &str, path: &[&str]) -> Result<Option<String>, Refusal> {
    let mut document = document(text)?;
    let Some((last, way)) = path.split_last() else { return Ok(None) };
    let start: Option<&mut dyn TableLike> = Some(document.as_table_mut());
    let parent = way.iter().fold(start, |table, key| table?.get_mut(key)?.as_table_like_mut());
    let removed = parent.and_then(|table| table.remove(last));
    Ok(removed.map(|_| spliced(text, &document.to_string())))
}

fn body(text: &str) -> &str {
    text.trim_start_matches(BYTE_ORDER_MARK)
}

fn document(text: &str) -> Result<DocumentMut, Refusal> {
    body(text).replace("\r\n", "\n").parse().map_err(|error: TomlError| {
        let start = error.span().map_or(0, |span| span.start);
        Refusal::at(&body(text).replace("\r\n", "\n"), start, error.message().replace('\n', ", "))
    })
}

/// Puts an item in; a value that was there leaves its comments and blanks to the new one.
fn put(table: &mut dyn TableLike, key: &str, mut item: Item) {
    let old = table.get(key).and_then(Item::as_value);
    if let (Some(old), Some(new)) = (old, item.as_value_mut()) {
        *new.decor_mut() = old.decor().clone();
    }
    match table.get_mut(key) {
        Some(place) => *place = item,
        None => {
            table.insert(key, item);
        }
    }
}

fn item(fresh: &Fresh, needs_gap: bool) -> Item {
    match fresh {
        Fresh::Object(members) => {
            let mut table = Table::new();
            table.decor_mut().set_prefix(if needs_gap { "\n" } else { "" });
            for (key, fresh) in members {
                table.insert(key, item(fresh, true));
            }
            Item::Table(table)
        }
        Fresh::Plain(value) => toml_edit::value(plain(value)),
    }
}

fn plain(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::Array(items) => items.iter().map(plain).collect::<toml_edit::Array>().into(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key, plain(value))).collect::<toml_edit::InlineTable>().into()
        }
        other => other.as_str().unwrap_or_default().into(),
    }
}

/// The text with the lines that were changed, and with the comments that stood above something removed.
fn spliced(text: &str, changed: &str) -> String {
    let body = body(text);
    let mark = &text[..text.len() - body.len()];
    let plain = body.replace("\r\n", "\n");
    let difference = Difference::between(&plain, changed);
    let newline = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<_> = body.split_inclusive('\n').collect();
    let (head, tail) = (&lines[..difference.head], &lines[lines.len() - difference.tail..]);
    let come = difference.come().concat().replace('\n', newline);
    let kept = if come.is_empty() {
        comments_above(&lines[head.len()..lines.len() - tail.len()])
    } else {
        Vec::new()
    };
    [mark, &head.concat(), &kept.concat(), &come, &tail.concat()].concat()
}

/// The comments before the first line that says something, and the blank line that set the lines off.
fn comments_above<'a>(gone: &[&'a str]) -> Vec<&'a str> {
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    let above = gone.iter().take_while(|line| line.trim().is_empty() || is_comment(line)).count();
    let Some(last) = gone[..above].iter().rposition(is_comment) else { return Vec::new() };
    let gap = gone.last().filter(|line| line.trim().is_empty());
    gone[..=last].iter().chain(gap).copied().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert_eq, proptest};
    use proptest::sample::subsequence;
    use serde_json::json;

    use super::super::{Format, Fresh};

    const PATH: [&str; 2] = ["mcp_servers", "mailkeep"];

    fn entry() -> Fresh {
        let plain = |value| Fresh::Plain(value);
        let members = [("command", plain(json!("/bin/mailkeep"))), ("args", plain(json!(["mcp"])))];
        Fresh::Object(members.map(|(key, value)| (key.to_owned(), value)).into())
    }

    fn set(text: &str) -> String {
        Format::Toml.set(text, &PATH, &entry()).unwrap()
    }

    #[test]
    fn an_empty_file_gets_just_the_entry() {
        assert_eq!(set(""), "[mcp_servers.mailkeep]\ncommand = \"/bin/mailkeep\"\nargs = [\"mcp\"]\n");
    }

    #[test]
    fn an_entry_goes_in_and_out_without_a_trace() {
        let sample = "# top\nmodel = 'gpt' # mine\n\n[mcp_servers.other]\r\ncommand = \"x\"\n[tui]\nx = {a = 1,  b=2}\n# end\n";

        let connected = set(sample);

        assert_ne!(connected, sample);
        assert_eq!(Format::Toml.remove(&connected, &PATH).unwrap().unwrap(), sample);
    }

    #[test]
    fn line_ends_and_the_byte_order_mark_stay() {
        let connected = set("\u{feff}model = 'a'\r\n");

        assert!(
            connected.starts_with("\u{feff}model = 'a'\r\n\r\n[mcp_servers.mailkeep]\r\n"),
            "{connected:?}"
        );
    }

    #[test]
    fn comments_above_the_entry_outlive_it() {
        let text = "a = 1\n\n# about mail\n[mcp_servers.mailkeep]\ncommand = 'x'\n\n[b]\n";

        let removed = Format::Toml.remove(text, &PATH).unwrap().unwrap();

        assert_eq!(removed, "a = 1\n\n# about mail\n\n[b]\n");
    }

    #[test]
    fn a_value_is_changed_in_its_place() {
        let text = "[mcp_servers.mailkeep]\ncommand = 'old' # here\nenv = { A = '1' }\n";

        let path = [PATH[0], PATH[1], "command"];
        let changed = Format::Toml.set(text, &path, &Fresh::Plain(json!("new"))).unwrap();

        assert_eq!(changed, "[mcp_servers.mailkeep]\ncommand = \"new\" # here\nenv = { A = '1' }\n");
    }

    #[test]
    fn inline_and_dotted_tables_are_understood() {
        let inline = set("mcp_servers = { a = { command = 'x' } }\n");
        let dotted = set("mcp_servers.a.command = 'x'\n");

        assert!(inline.contains("/bin/mailkeep"), "{inline}");
        assert!(dotted.contains("/bin/mailkeep"), "{dotted}");
    }

    #[test]
    fn what_is_no_toml_is_refused_with_its_place() {
        let error = Format::Toml.set("a = 1\r\nb = \r\n", &PATH, &entry()).unwrap_err();

        assert_eq!(error.place, Some((2, 5)));
    }

    const PARTS: [&str; 8] = [
        "# a comment\n",
        "\n",
        "[mcp_servers.a]\ncommand = 'x' # why\nargs = [\n  'a', # first\n]\n",
        "[mcp_servers.a.env]\nK = \"v\"\n",
        "[tui]\n  theme   =   'dark'\n",
        "[[profiles]]\nname = \"\"\"\n[mcp_servers.mailkeep]\n\"\"\"\n",
        "[mcp_servers.b]\nurl = 'http://x'\n\n",
        "[projects.\"/a b\"]\ntrust = { level = 1,  x = [1,2] }\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn what_is_put_in_comes_out_and_leaves_every_byte(
            places in subsequence((0..PARTS.len()).collect::<Vec<_>>(), 1..PARTS.len()).prop_shuffle(),
            crlf in any::<bool>(),
        ) {
            let text: String = places.iter().map(|place| PARTS[*place]).collect();
            let text = if crlf { text.replace('\n', "\r\n") } else { text };

            prop_assert_eq!(Format::Toml.remove(&set(&text), &PATH).unwrap().unwrap(), text);
        }

        #[test]
        fn no_text_makes_it_panic(text in "(mcp_servers|mailkeep|[.=\\[\\]{}#'\" \n\r1a,]){0,30}") {
            let _ = Format::Toml.set(&text, &PATH, &entry());
            let _ = Format::Toml.remove(&text, &PATH);
        }
    }

    #[test]
    fn a_section_that_is_no_table_is_refused() {
        assert!(Format::Toml.set("mcp_servers = 3\n", &PATH, &entry()).is_err());
    }
}
