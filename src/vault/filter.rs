//! `field:value`, asked of a frontmatter.

use crate::vault::Yaml;

/// A wish about one key of the frontmatter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter(String);

impl Filter {
    /// Reads `field:value`; `None` when there is no colon behind a field.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        text.find(':').filter(|colon| *colon > 0).map(|_| Self(text.to_owned()))
    }

    /// Whether a frontmatter has it. A key may hold colons itself, so its own name decides where the value begins.
    #[must_use]
    pub fn matches(&self, frontmatter: &[(String, Yaml)]) -> bool {
        frontmatter.iter().any(|(key, value)| self.wanted(key).is_some_and(|wanted| is(value, wanted)))
    }

    /// The value that is asked for, if this is the key.
    fn wanted(&self, key: &str) -> Option<&str> {
        self.0.strip_prefix(key)?.trim_start().strip_prefix(':').map(str::trim)
    }
}

/// Whether a value is the one that was written down, or a list that holds it.
fn is(value: &Yaml, wanted: &str) -> bool {
    match value {
        Yaml::Null => matches!(wanted, "" | "null" | "~"),
        Yaml::Bool(value) => wanted.parse() == Ok(*value),
        Yaml::Number(number) => {
            number.to_string() == wanted || number.as_f64().is_some_and(|one| wanted.parse() == Ok(one))
        }
        Yaml::Text(text) => text.trim() == wanted || text.trim() == unquoted(wanted),
        Yaml::List(items) if items.is_empty() => matches!(wanted, "" | "[]"),
        Yaml::List(items) => items.iter().any(|item| is(item, wanted)),
        Yaml::Map(entries) => entries.is_empty() && matches!(wanted, "" | "{}"),
    }
}

fn unquoted(text: &str) -> &str {
    let inner = |mark| text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::Filter;
    use crate::vault::Yaml;

    #[test]
    fn every_kind_of_value_can_be_asked_for() {
        let text = "status: pending\nurl: https://a.example:80/x\nnumber: 42\nratio: 1.50\ndone: false\n\
                    due: 2026-02-24\nat: 2026-02-24T10:30:00Z\ntags: [mail, 7, true, \"a: b\"]\nempty:\n\
                    \"odd:key\": x\nanswer: yes\nnone: []\nquoted: \"true\"\n";
        let frontmatter = Yaml::mapping(text).unwrap();
        let matches = |filter: &str| Filter::new(filter).unwrap().matches(&frontmatter);

        for filter in [
            "status:pending",
            "status: pending",
            " status : pending ",
            "status:\"pending\"",
            "url:https://a.example:80/x",
            "number:42",
            "number:42.0",
            "ratio:1.5",
            "ratio:1.50",
            "done:false",
            "due:2026-02-24",
            "at:2026-02-24T10:30:00Z",
            "tags:mail",
            "tags:7",
            "tags:true",
            "tags:a: b",
            "empty:",
            "empty:null",
            "odd:key:x",
            "answer:yes",
            "none:",
            "quoted:true",
        ] {
            assert!(matches(filter), "{filter}");
        }
        for filter in [
            "status:done",
            "status:pendin",
            "Status:pending",
            "stat:us",
            "number:4",
            "done:true",
            "tags:mai",
            "tags:",
            "due:2026-02",
            "absent:x",
            "absent:",
            "odd:x",
            "status:",
        ] {
            assert!(!matches(filter), "{filter}");
        }
        assert_eq!((Filter::new("pending"), Filter::new(":x")), (None, None));
    }
}
