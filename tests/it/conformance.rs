//! The page about the requirement documents names tests that there are, and leaves no requirement out.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// How many requirements document 000 was cut into.
const REQUIREMENTS: usize = 177;

fn page() -> String {
    fs::read_to_string(Path::new(ROOT).join("docs/conformance.md")).unwrap()
}

/// The cells of each row of the page's tables.
fn rows(page: &str) -> Vec<Vec<String>> {
    let lines = page.lines().filter(|line| line.starts_with("| 000-"));
    lines
        .map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// The numbers that a cell such as `000-001 to 000-003, 000-009` stands for.
fn numbers(cell: &str) -> Vec<usize> {
    let number = |text: &str| text.trim().strip_prefix("000-").unwrap().parse::<usize>().unwrap();
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

#[test]
fn every_requirement_stands_there_once() {
    let found: Vec<usize> = rows(&page()).iter().flat_map(|row| numbers(&row[0])).collect();

    let once: BTreeSet<usize> = found.iter().copied().collect();
    assert_eq!(once, (1..=REQUIREMENTS).collect());
    assert_eq!(found.len(), REQUIREMENTS);
}

#[test]
fn what_is_called_met_names_a_test_that_there_is() {
    let mut code = String::new();
    sources(&Path::new(ROOT).join("src"), &mut code);
    sources(&Path::new(ROOT).join("tests"), &mut code);

    for row in rows(&page()) {
        let shown_by: Vec<&str> =
            row[3].split('`').skip(1).step_by(2).filter(|name| !name.contains('/')).collect();
        assert!(!row[2].starts_with("PASS") || !shown_by.is_empty(), "{row:?}");
        for name in shown_by {
            assert!(code.contains(&format!("fn {name}(")), "there is no test {name}");
        }
    }
}
