//! The pages about the requirement documents name tests that there are, and leave no requirement out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// A document, the page about it, and how many requirements it was cut into.
const DOCUMENTS: [(&str, &str, usize); 5] = [
    ("000", "docs/conformance.md", 177),
    ("001", "docs/conformance-leaving.md", 36),
    ("002", "docs/conformance-leaving.md", 55),
    ("003", "docs/conformance-003.md", 194),
    ("004", "docs/conformance-leaving.md", 65),
];

/// The cells of each row of a page's tables about a document.
fn rows(document: &str, page: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(Path::new(ROOT).join(page)).unwrap();
    let start = format!("| {document}-");
    let lines = text.lines().filter(|line| line.starts_with(&start));
    lines
        .map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// The numbers that a cell such as `000-001 to 000-003, 000-009` stands for.
fn numbers(document: &str, cell: &str) -> Vec<usize> {
    let before = format!("{document}-");
    let number = |text: &str| text.trim().strip_prefix(&before).unwrap().parse::<usize>().unwrap();
    let of_range = |range: &str| match range.split_once(" to ") {
        Some((first, last)) => (number(first)..=number(last)).collect(),
        None => vec![number(range)],
    };
    cell.split(',').flat_map(of_range).collect()
}

/// All source text below a directory, each file under its path without the ending.
fn sources(directory: &Path, all: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let name = path.strip_prefix(ROOT).unwrap().with_extension("");
            all.insert(name.display().to_string(), fs::read_to_string(&path).unwrap());
        }
    }
}

/// The tests that there are.
struct Tests {
    files: BTreeMap<String, String>,
}

impl Tests {
    fn read() -> Self {
        let mut files = BTreeMap::new();
        sources(&Path::new(ROOT).join("src"), &mut files);
        sources(&Path::new(ROOT).join("tests"), &mut files);
        files.retain(|_, text| text.contains("#[test]"));
        Self { files }
    }

    /// Whether a name stands for a test, for a group of them as `cargo test --test it` names them, or for a room of `src`
    /// that has its own.
    fn have(&self, name: &str) -> bool {
        let path = name.trim_end_matches(".rs").replace("::", "/");
        let is_group = |file: &String| {
            [path.clone(), format!("tests/it/{path}"), format!("src/{path}")]
                .iter()
                .any(|group| file == group || file.starts_with(&format!("{group}/")))
        };
        let last = name.rsplit("::").next().unwrap_or(name);
        self.files.keys().any(is_group) || self.files.values().any(|text| is_test(text, last))
    }
}

/// Whether a function of this name stands in a file as a test.
fn is_test(text: &str, name: &str) -> bool {
    let before = text.split(&format!("fn {name}(")).next().filter(|before| before.len() < text.len());
    let last_item = before.and_then(|before| before.rsplit("\n\n").next());
    last_item.is_some_and(|attributes| attributes.contains("#[test]"))
}

/// What a cell names between backticks.
fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_requirement_stands_there_once() {
    for (document, page, requirements) in DOCUMENTS {
        let found: Vec<usize> =
            rows(document, page).iter().flat_map(|row| numbers(document, &row[0])).collect();

        let once: BTreeSet<usize> = found.iter().copied().collect();
        assert_eq!(once, (1..=requirements).collect(), "{document}");
        assert_eq!(found.len(), requirements, "{document}");
    }
}

#[test]
fn what_is_called_met_names_a_test_that_there_is_and_what_differs_says_why() {
    let tests = Tests::read();

    for row in DOCUMENTS.iter().flat_map(|(document, page, _)| rows(document, page)) {
        let (state, shown_by) = (&row[2], names(&row[3]));
        if let Some(why) = state.strip_prefix("DIFFERS: ") {
            assert!(why.len() > 3, "{row:?}");
        } else {
            let met = state.strip_prefix("PASS").is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
            assert!(met, "{row:?}");
            let is_measured = state.starts_with("PASS, measured") && row[3].contains("BENCHMARKS");
            assert!(is_measured || shown_by.iter().any(|name| tests.have(name)), "no test: {row:?}");
        }
        for name in shown_by {
            assert!(tests.have(name) || Path::new(ROOT).join(name).exists(), "there is no {name}: {row:?}");
        }
    }
}
