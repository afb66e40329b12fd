//! YAML in block style, edited line by line. What is written in flow style is left to the person.

use std::ops::Range;

use serde_json::Value;

use super::{BYTE_ORDER_MARK, Fresh, Refusal};

const STEP: usize = 2;

pub(super) fn value(text: &str) -> Result<Value, Refusal> {
    let body = text.trim_start_matches(BYTE_ORDER_MARK);
    serde_saphyr::from_str(body).map_err(|error| {
        let number = |number| usize::try_from(number).unwrap_or(usize::MAX);
        let place = error.location().map(|place| (number(place.line()), number(place.column())));
        let message = error.without_snippet().to_string();
        Refusal { message: message.lines().next().unwrap_or_default().to_owned(), place }
    })
}

pub(super) fn set(text: &str, path: &[&str], fresh: &Fresh) -> Result<String, Refusal> {
    let page = Page::of(text);
    let mut block = page.whole();
    for (depth, key) in path.iter().enumerate() {
        let rest = &path[depth + 1..];
        let Some(found) = page.find(&block, key) else {
            let written = page.written(key, &fresh.below(rest), block.indent);
            return Ok(page.replaced(block.lines.end..block.lines.end, &written));
        };
        if rest.is_empty() {
            return Ok(page.replaced(found, &page.written(key, fresh, block.indent)));
        }
        match page.inside(&found, block.indent) {
            Some(inner) => block = inner,
            None if page.is_empty_value(found.start) => {
                let written = page.written(key, &fresh.below(rest), block.indent);
                return Ok(page.replaced(found, &written));
            }
            None => return Err(page.flow_style(found.start, key)),
        }
    }
    Ok(text.to_owned())
}

pub(super) fn remove(text: &str, path: &[&str]) -> Result<Option<String>, Refusal> {
    let page = Page::of(text);
    let mut block = page.whole();
    let mut parent = None;
    for (depth, key) in path.iter().enumerate() {
        let Some(found) = page.find(&block, key) else {
            return Err(page.flow_style(parent.unwrap_or(0), key));
        };
        if depth + 1 == path.len() {
            return Ok(Some(page.without(&block, found, parent)));
        }
        let inner = page.inside(&found, block.indent);
        block = inner.ok_or_else(|| page.flow_style(found.start, key))?;
        parent = Some(found.start);
    }
    Ok(None)
}

/// The lines of a document.
struct Page<'a> {
    mark: &'a str,
    lines: Vec<&'a str>,
    newline: &'static str,
}

/// The lines of a mapping and how far its keys are indented.
struct Block {
    lines: Range<usize>,
    indent: usize,
}

impl<'a> Page<'a> {
    fn of(text: &'a str) -> Self {
        let body = text.trim_start_matches(BYTE_ORDER_MARK);
        Self {
            mark: &text[..text.len() - body.len()],
            lines: body.split_inclusive('\n').collect(),
            newline: if body.contains("\r\n") { "\r\n" } else { "\n" },
        }
    }

    fn whole(&self) -> Block {
        Block { lines: 0..self.lines.len(), indent: 0 }
    }

    /// The lines of a key and of its value.
    fn find(&self, block: &Block, key: &str) -> Option<Range<usize>> {
        let mut range = block.lines.clone();
        let start = range.find(|line| {
            indent(self.lines[*line]) == block.indent && after_key(self.lines[*line], key).is_some()
        })?;
        let is_next = |line: &usize| ends_value(self.lines[*line], block.indent);
        let next = (start + 1..block.lines.end).find(is_next).unwrap_or(block.lines.end);
        let belongs = |line: &usize| {
            let text = self.lines[*line];
            is_content(text) || (!text.trim().is_empty() && indent(text) > block.indent)
        };
        let last = (start..next).rfind(belongs).unwrap_or(start);
        Some(start..last + 1)
    }

    /// The mapping below a key, when it is written in lines of its own.
    fn inside(&self, found: &Range<usize>, outer: usize) -> Option<Block> {
        let lines = found.start + 1..found.end;
        let first = lines.clone().find(|line| is_content(self.lines[*line]))?;
        let indent = indent(self.lines[first]);
        let is_mapping = indent > outer && !self.lines[first].trim_start().starts_with(['-', '{', '[']);
        is_mapping.then_some(Block { lines, indent })
    }

    /// Whether a key has nothing behind it, or an empty mapping.
    fn is_empty_value(&self, line: usize) -> bool {
        let (_, value) = self.lines[line].split_once(':').unwrap_or_default();
        let value = value.split(" #").next().unwrap_or_default().trim();
        matches!(value, "" | "{}" | "{ }" | "null" | "~") || value.starts_with('#')
    }

    fn flow_style(&self, line: usize, key: &str) -> Refusal {
        let message = format!("`{key}` is written in flow style, with braces, and cannot be changed here");
        Refusal { message, place: Some((line + 1, 1)) }
    }

    fn written(&self, key: &str, fresh: &Fresh, indent: usize) -> String {
        let (blanks, newline, key) = (" ".repeat(indent), self.newline, quoted_key(key));
        match fresh {
            Fresh::Plain(value) => format!("{blanks}{key}: {}{newline}", spaced(value)),
            Fresh::Object(members) if members.is_empty() => format!("{blanks}{key}: {{}}{newline}"),
            Fresh::Object(members) => {
                members.iter().fold(format!("{blanks}{key}:{newline}"), |text, member| {
                    text + &self.written(&member.0, &member.1, indent + STEP)
                })
            }
        }
    }

    fn replaced(&self, range: Range<usize>, written: &str) -> String {
        let before = self.lines[..range.start].concat();
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { self.newline };
        [self.mark, &before, gap, written, &self.lines[range.end..].concat()].concat()
    }

    /// The text without these lines; a mapping that loses its last key becomes an empty one.
    fn without(&self, block: &Block, found: Range<usize>, parent: Option<usize>) -> String {
        let mut others = block.lines.clone().filter(|line| !found.contains(line));
        let is_last = !others.any(|line| is_content(self.lines[line]));
        let mut lines = self.lines.clone();
        let emptied = parent.filter(|_| is_last).map(|parent| (parent, with_empty_mapping(lines[parent])));
        if let Some((parent, line)) = &emptied {
            lines[*parent] = line;
        }
        lines.drain(found);
        [self.mark, &lines.concat()].concat()
    }
}

fn with_empty_mapping(line: &str) -> String {
    let end = line.find(':').map_or(line.len(), |colon| colon + 1);
    format!("{} {{}}{}", &line[..end], &line[end..])
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_content(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

/// Whether a line comes after the value of a key that is indented this far. The dashes of a list may be
/// indented no further than its key.
fn ends_value(line: &str, key_indent: usize) -> bool {
    let is_item = indent(line) == key_indent && (line.trim() == "-" || line.trim_start().starts_with("- "));
    is_content(line) && indent(line) <= key_indent && !is_item
}

/// What stands behind a key and its colon, when the line begins with them.
fn after_key<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let line = line.trim();
    let spellings = [key.to_owned(), format!("\"{key}\""), format!("'{key}'")];
    let rest = spellings.iter().find_map(|spelling| line.strip_prefix(spelling.as_str()))?;
    let rest = rest.trim_start().strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(rest)
}

/// Keys that YAML would read as something else than text are quoted.
fn quoted_key(key: &str) -> String {
    const NOT_TEXT: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let plain = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && !NOT_TEXT.contains(&key.to_ascii_lowercase().as_str());
    if plain { key.to_owned() } else { format!("\"{key}\"") }
}

/// JSON is YAML too; lists get the blanks people write.
fn spaced(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
    use proptest::sample::subsequence;
    use serde_json::json;

    use super::super::{Format, Fresh};

    const PATH: [&str; 2] = ["extensions", "mailkeep"];
    const SAMPLE: &str = "# my goose\nGOOSE_MODEL: gpt # cheap\nextensions:\n  developer:\n    args:\n    - \
                          a\n    bundled: true\n\n  # the second\n  memory: {type: builtin}   # keep\n\n# \
                          last\nGOOSE_MODE: |\n  extensions:\n    mailkeep: no\n";

    fn entry() -> Fresh {
        let plain = |value| Fresh::Plain(value);
        let members = [("cmd", plain(json!("/a b/mail: keep"))), ("args", plain(json!(["mcp"])))];
        Fresh::Object(members.map(|(key, value)| (key.to_owned(), value)).into())
    }

    fn set(text: &str) -> String {
        Format::Yaml.set(text, &PATH, &entry()).unwrap()
    }

    fn removed(text: &str) -> String {
        Format::Yaml.remove(text, &PATH).unwrap().unwrap()
    }

    #[test]
    fn an_entry_goes_in_and_out_without_a_trace() {
        let connected = set(SAMPLE);

        assert!(
            connected
                .contains("  memory: {type: builtin}   # keep\n  mailkeep:\n    cmd: \"/a b/mail: keep\"\n")
        );
        assert_eq!(removed(&connected), SAMPLE);
    }

    #[test]
    fn every_way_to_have_no_extensions_is_understood() {
        for none in
            ["", "extensions:\n", "extensions: {}\n", "extensions: null # none\n", "A: 1", "# only words\n"]
        {
            let connected = set(none);
            assert!(connected.contains("extensions:\n  mailkeep:\n    cmd:"), "{none:?} gave {connected:?}");
        }
    }

    #[test]
    fn the_last_extension_leaves_an_empty_mapping() {
        assert_eq!(
            removed("extensions: # mine\n    mailkeep:\n        cmd: x\nA: 1\n"),
            "extensions: {} # mine\nA: 1\n"
        );
    }

    #[test]
    fn line_ends_and_the_byte_order_mark_stay() {
        let text = "\u{feff}A: 1\r\nextensions:\r\n  b:\r\n    cmd: x\r\n";

        let connected = set(text);

        assert!(!connected.replace("\r\n", "").contains('\n'));
        assert_eq!(removed(&connected), text);
    }

    #[test]
    fn a_value_is_changed_in_its_place() {
        let text =
            "extensions:\n  mailkeep:\n    args:\n    - old\n    - older\n    enabled: false # for now\n";

        let path = [PATH[0], PATH[1], "args"];
        let changed = Format::Yaml.set(text, &path, &Fresh::Plain(json!(["mcp"]))).unwrap();

        assert_eq!(changed, "extensions:\n  mailkeep:\n    args: [\"mcp\"]\n    enabled: false # for now\n");
    }

    #[test]
    fn flow_style_is_left_to_the_person() {
        let error = Format::Yaml.set("A: 1\nextensions: {a: {cmd: x}}\n", &PATH, &entry()).unwrap_err();

        assert_eq!(error.place, Some((2, 1)));
        assert!(error.message.contains("flow style"));
    }

    #[test]
    fn what_is_no_yaml_is_refused_with_its_place() {
        let error = Format::Yaml.set("A: 1\nB: [1, 2\nC: 3\n", &PATH, &entry()).unwrap_err();

        assert!(error.place.unwrap().0 >= 2, "{error:?}");
    }

    /// Lines that may stand between the entries of a mapping that is indented by two.
    const BETWEEN: [&str; 9] = [
        "",
        "\n",
        "  # about the next\n",
        "# at the left\n",
        "  block:\n    text: |\n      extensions:\n        mailkeep: x\n    more: 1\n",
        "  list:\n    args:\n    - a\n    - b: c\n      d: e\n",
        "  \"quoted\": 'it''s # not a comment'\n",
        "  flow: {a: [1, 2], b: {c: d}} # behind\n",
        "  long: one\n    two\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn what_is_put_in_comes_out_and_leaves_every_byte(
            places in subsequence((0..BETWEEN.len()).collect::<Vec<_>>(), 0..BETWEEN.len()),
            crlf in any::<bool>(),
            next in "(|B: 2\n|# end\n|\nB:\n- 1\n- 2\n)",
        ) {
            let between: String = places.iter().map(|place| BETWEEN[*place]).collect();
            let text = format!("A: 1\nextensions:\n  first: {{type: builtin}}\n{between}{next}");
            let text = if crlf { text.replace('\n', "\r\n") } else { text };

            prop_assert_eq!(removed(&set(&text)), text);
        }

        #[test]
        fn no_text_makes_it_panic(text in "(extensions|mailkeep|[:\\-{}\\[\\]#|'\" \n\ta&*]){0,30}") {
            let _ = Format::Yaml.set(&text, &PATH, &entry());
            let _ = Format::Yaml.remove(&text, &PATH);
        }
    }

    #[test]
    fn a_document_that_is_no_mapping_is_refused() {
        assert!(Format::Yaml.set("- a\n- b\n", &PATH, &entry()).is_err());
        assert!(Format::Yaml.set("A: 1\n---\nB: 2\n", &PATH, &entry()).is_err());
    }
}
