//! Messages of other projects' test suites, where the machine has them.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of the shared corpus in the order of their names; none when it is not on this machine.
pub(crate) fn odd_messages() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/mime");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => collect(&path, files),
            path => files.push(path),
        }
    }
}
