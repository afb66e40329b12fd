//! The map holds: who may use whom, how long a file may be, and that no test file is forgotten.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What each folder of `src` may use beside itself: a whole folder, or one room of it (`folder::room`). Everything is
/// open to `cli`.
const MAY_USE: [(&str, &[&str]); 18] = [
    ("model", &[]),
    ("wire", &[]),
    ("account", &["wire", "store"]),
    ("source", &["wire", "account"]),
    ("parse", &[]),
    ("store", &[]),
    ("index", &["store", "parse"]),
    ("sync", &["source", "account", "parse", "store", "index"]),
    ("labels", &["store"]),
    ("query", &["store", "index", "parse"]),
    ("drafts", &["store", "parse"]),
    ("vault", &[]),
    ("audit", &["store"]),
    ("outbox", &["wire", "account", "store", "parse", "drafts", "audit"]),
    // It proposes, and tells of a move: who said yes is judged behind the folder's door.
    (
        "orchestrator",
        &["wire", "sync", "query", "vault", "audit", "outbox::propose", "outbox::approval::folder"],
    ),
    // Only the door through which something is proposed: no tool and no protocol can approve or send.
    ("tools", &["query", "drafts", "labels", "vault", "outbox::propose"]),
    ("server", &["tools", "outbox::propose", "audit"]),
    ("web", &["query", "drafts", "labels", "outbox", "account", "audit"]),
];
/// Open to all.
const OPEN: [&str; 8] =
    ["model", "clock", "crash_point", "secret", "text_safety", "home", "figures", "local_time"];
const LONGEST_FILE: usize = 600;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files below a directory, in the order of their names.
fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        match entry.unwrap().path() {
            path if path.is_dir() => files.extend(rust_files(&path)),
            path if path.extension().is_some_and(|ending| ending == "rs") => files.push(path),
            _ => {}
        }
    }
    files.sort();
    files
}

/// A file of `src`, its place in the map, and its lines without tests and comments.
struct Source {
    name: String,
    folder: String,
    lines: Vec<String>,
}

fn sources() -> Vec<Source> {
    let src = root().join("src");
    rust_files(&src).iter().filter(|path| !is_test_file(path)).map(|path| read_source(&src, path)).collect()
}

/// Tests in a file of their own: `tests.rs`, and what a parent declares under `#[cfg(test)]`.
fn is_test_file(path: &Path) -> bool {
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let parents = [path.with_file_name("mod.rs"), path.parent().unwrap().with_extension("rs")];
    let declaration = format!("#[cfg(test)]\nmod {stem};");
    stem == "tests"
        || parents
            .iter()
            .filter_map(|parent| fs::read_to_string(parent).ok())
            .any(|text| text.contains(&declaration))
}

fn read_source(src: &Path, path: &Path) -> Source {
    let inner = path.strip_prefix(src).unwrap();
    let first = inner.components().next().unwrap().as_os_str().to_str().unwrap();
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    Source {
        name: inner.display().to_string(),
        folder: first.trim_end_matches(".rs").to_owned(),
        lines: code.lines().map(str::to_owned).collect(),
    }
}

/// The code without comments.
fn code(source: &Source) -> impl Iterator<Item = &String> {
    source.lines.iter().filter(|line| !line.trim_start().starts_with("//"))
}

fn is_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | ':')
}

/// The paths that the code names behind `crate::`.
fn used(source: &Source) -> BTreeSet<String> {
    code(source)
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| rest.chars().take_while(|c| is_path(*c)).collect::<String>())
        .map(|path| path.trim_end_matches(':').to_owned())
        .collect()
}

fn folder_of(path: &str) -> &str {
    path.split("::").next().unwrap()
}

/// Whether a path is what a row of the map names, or inside it.
fn is_inside(path: &str, room: &str) -> bool {
    path.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn allowed(folder: &str) -> Vec<&'static str> {
    let own = MAY_USE.iter().find(|(name, _)| *name == folder);
    own.map_or(&[][..], |(_, uses)| *uses).iter().chain(&OPEN).copied().collect()
}

#[test]
fn a_folder_uses_only_what_the_map_allows() {
    let wrong: Vec<_> = sources()
        .iter()
        .filter(|source| source.folder != "cli")
        .flat_map(|source| {
            let allowed = allowed(&source.folder);
            used(source)
                .into_iter()
                .filter(|path| folder_of(path) != source.folder)
                .filter(|path| !allowed.iter().any(|room| is_inside(path, room)))
                .map(|path| format!("{} uses {path}", source.name))
                .collect::<Vec<_>>()
        })
        .collect();

    assert_eq!(wrong, [""; 0]);
}

#[test]
fn what_is_open_to_all_uses_nothing_of_ours() {
    let wrong: Vec<_> = sources()
        .iter()
        .filter(|source| OPEN.contains(&source.folder.as_str()))
        .filter(|source| used(source).iter().any(|path| !OPEN.contains(&folder_of(path))))
        .map(|source| source.name.clone())
        .collect();

    assert_eq!(wrong, [""; 0]);
}

/// A door is where its folder is: whoever could take `wire` from `source` would not be seen on the map.
#[test]
fn no_folder_gives_out_what_belongs_to_another() {
    let gives = |line: &str| {
        let line = line.trim_start();
        let is_public = line.starts_with("pub") && (line.contains(" use ") || line.contains(" type "));
        let names = line.split("crate::").skip(1).filter_map(|rest| rest.split(|c| !is_path(c)).next());
        is_public.then(|| names.map(folder_of).map(str::to_owned).collect::<Vec<_>>())
    };

    let wrong: Vec<_> = sources()
        .iter()
        .flat_map(|source| {
            let given = code(source).filter_map(|line| gives(line)).flatten();
            let others = given.filter(|folder| *folder != source.folder);
            others.map(|folder| format!("{} gives out {folder}", source.name)).collect::<Vec<_>>()
        })
        .collect();

    assert_eq!(wrong, [""; 0]);
}

/// `super` stays inside the folder, so that `crate::` paths tell who uses whom.
#[test]
fn nobody_climbs_out_of_a_folder() {
    let climbs = |line: &String| {
        let most = (1..9).rev().find(|count| line.contains(&"super::".repeat(*count)));
        most.unwrap_or_default()
    };

    let wrong: Vec<_> = sources()
        .iter()
        .filter(|source| code(source).any(|line| climbs(line) >= depth(&source.name)))
        .map(|source| source.name.clone())
        .collect();

    assert_eq!(wrong, [""; 0]);
}

/// How many modules a file is below the crate, itself included.
fn depth(name: &str) -> usize {
    let name = name.trim_end_matches("/mod.rs");
    Path::new(name).components().count()
}

#[test]
fn every_folder_is_on_the_map() {
    let known: BTreeSet<_> =
        MAY_USE.iter().map(|(name, _)| *name).chain(["cli", "config"]).chain(OPEN).collect();
    let folders = fs::read_dir(root().join("src")).unwrap();

    let unknown: Vec<_> = folders
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| !known.contains(name.as_str()))
        .collect();

    assert_eq!(unknown, [""; 0]);
}

#[test]
fn no_use_names_several_folders_at_once() {
    let group = ["use crate::", "{"].concat();

    let wrong: Vec<_> = sources()
        .iter()
        .filter(|source| source.lines.iter().any(|line| line.contains(&group)))
        .map(|source| source.name.clone())
        .collect();

    assert_eq!(wrong, [""; 0]);
}

#[test]
fn no_file_is_too_long_to_be_read() {
    let others = ["tests", "examples"].into_iter().flat_map(|name| rust_files(&root().join(name)));
    let others = others.map(|path| {
        let length = fs::read_to_string(&path).unwrap().lines().count();
        (path.display().to_string(), length)
    });
    let code = sources().into_iter().map(|source| (source.name, source.lines.len()));

    let long: Vec<_> = code.chain(others).filter(|(_, length)| *length > LONGEST_FILE).collect();

    assert_eq!(long, []);
}

#[test]
fn no_test_file_is_forgotten() {
    let tests = root().join("tests/it");

    let forgotten: Vec<_> = rust_files(&tests)
        .into_iter()
        .filter(|path| *path != tests.join("main.rs") && !is_declared(&tests, path))
        .collect();

    assert_eq!(forgotten, [""; 0].map(PathBuf::from));
}

/// Whether the module above a file declares it.
fn is_declared(tests: &Path, path: &Path) -> bool {
    let own = match path.file_name().is_some_and(|name| name == "mod.rs") {
        true => path.parent().unwrap().to_owned(),
        false => path.with_extension(""),
    };
    let above = own.parent().unwrap();
    let parents = match above == tests {
        true => vec![tests.join("main.rs")],
        false => vec![above.join("mod.rs"), above.with_extension("rs")],
    };
    let name = own.file_name().unwrap().to_str().unwrap();
    parents
        .iter()
        .filter_map(|parent| fs::read_to_string(parent).ok())
        .any(|text| text.lines().any(|line| line.trim_start_matches("pub(crate) ") == format!("mod {name};")))
}

/// What the trial build leaves slow must not stay so in `dist`, which takes its list of crates over.
#[test]
fn what_people_install_is_optimised_to_the_end() {
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let profile = |name: &str| manifest["profile"][name].clone();
    let level =
        |crates: &toml::Value, name: &str| crates.get(name).and_then(|one| one["opt-level"].as_integer());
    let (trial, installed) = (profile("release")["package"].clone(), profile("dist")["package"].clone());

    assert_eq!(profile("dist")["opt-level"].as_integer(), Some(3));
    for name in trial.as_table().unwrap().keys() {
        let most = level(&trial, name).max(level(&installed, name));
        assert_eq!(most, Some(3), "`{name}` belongs under [profile.dist.package] with level 3");
    }
}
