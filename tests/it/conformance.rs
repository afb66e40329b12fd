//! The pages about the requirement documents name tests that there are, and leave no requirement out.

use std::collections::BTreeSet;
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

/// All source text below a directory.
fn sources(directory: &Path, all: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            all.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

/// Whether a path stands for a file of ours; in rooms of `src` the ending is left out.
fn ends_in_a_file(name: &str) -> bool {
    let root = Path::new(ROOT);
    let source = root.join("src").join(name);
    root.join(name).exists() || source.is_dir() || source.with_extension("rs").exists()
}

/// Whether a path stands for a test, or for a group of them, as `cargo test --test it` names them.
fn is_in_a_module(name: &str) -> bool {
    let Some((module, last)) = name.rsplit_once("::") else { return false };
    let file = Path::new(ROOT).join("tests/it").join(module.replace("::", "/"));
    let text = [file.with_extension("rs"), file.join("mod.rs")]
        .into_iter()
        .find_map(|file| fs::read_to_string(file).ok());
    text.is_some_and(|text| text.contains(&format!("fn {last}(")) || text.contains(&format!("mod {last};")))
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
fn what_is_called_met_names_a_test_that_there_is() {
    let mut code = String::new();
    sources(&Path::new(ROOT).join("src"), &mut code);
    sources(&Path::new(ROOT).join("tests"), &mut code);

    for row in DOCUMENTS.iter().flat_map(|(document, page, _)| rows(document, page)) {
        let shown_by: Vec<&str> = row[3].split('`').skip(1).step_by(2).collect();
        assert!(!row[2].starts_with("PASS") || !shown_by.is_empty(), "{row:?}");
        for name in shown_by {
            let is_there =
                ends_in_a_file(name) || is_in_a_module(name) || code.contains(&format!("fn {name}("));
            assert!(is_there, "there is no test {name}: {row:?}");
        }
    }
}
