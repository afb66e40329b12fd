//! A change as a unified diff, as `patch` reads it.

use std::path::Path;

use super::document::lines::Difference;

/// How many unchanged lines stand around a change.
const CONTEXT: usize = 3;

/// What would change in a file. One hunk: an entry stands in one place.
pub(super) fn unified(file: &Path, before: &str, after: &str) -> String {
    let difference = Difference::between(before, after);
    let (gone, come) = (difference.gone(), difference.come());
    let above = &difference.before[difference.head.saturating_sub(CONTEXT)..difference.head];
    let end = difference.before.len() - difference.tail;
    let below = &difference.before[end..(end + CONTEXT).min(difference.before.len())];
    let start = difference.head - above.len();
    let around = above.len() + below.len();
    let old_name = if before.is_empty() { "/dev/null".to_owned() } else { file.display().to_string() };
    let mut out = format!("--- {old_name}\n+++ {}\n", file.display());
    let (old, new) = (range(start, around + gone.len()), range(start, around + come.len()));
    out.push_str(&format!("@@ -{old} +{new} @@\n"));
    for (sign, lines) in [(' ', above), ('-', gone), ('+', come), (' ', below)] {
        lines.iter().for_each(|line| push_line(&mut out, sign, line));
    }
    out
}

/// An empty range is named by the line before it.
fn range(start: usize, length: usize) -> String {
    format!("{},{length}", if length == 0 { start } else { start + 1 })
}

fn push_line(out: &mut String, sign: char, line: &str) {
    out.push(sign);
    out.push_str(line);
    if !line.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::unified;

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let diff = unified(Path::new("f"), "1\n2\n3\n4\n5\n6\n7\n8", "1\n2\n3\n4\nnew\n6\n7\n8");

        let expected =
            "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+new\n 6\n 7\n 8\n\\ No newline at end of file\n";
        assert_eq!(diff, expected);
    }

    #[test]
    fn a_new_file_comes_from_nothing() {
        assert_eq!(unified(Path::new("f"), "", "a\n"), "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
    }
}
