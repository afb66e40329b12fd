//! The bundle and the registry's file say what the program is.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::PROGRAM;
use crate::world::{skipped, told};

fn packaging(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging").join(name)
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_descriptions_have_the_version_and_licence_of_the_program() {
    let (manifest, server) = (read(&packaging("manifest.json")), read(&packaging("server.json")));

    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(server["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["license"], env!("CARGO_PKG_LICENSE"));
    assert_eq!(manifest["name"], env!("CARGO_PKG_NAME"));
}

#[test]
fn the_registry_takes_the_name_and_the_description() {
    let server = read(&packaging("server.json"));

    let (namespace, name) = server["name"].as_str().unwrap().split_once('/').unwrap();
    assert_eq!(name, env!("CARGO_PKG_NAME"));
    assert!(namespace.contains('.') && !namespace.contains('/'));
    assert!((1..=100).contains(&server["description"].as_str().unwrap().chars().count()));
}

/// Packs a small program that runs the real one: a debug build would take long to compress.
fn packed(directory: &Path, more: &[&str]) -> Option<Output> {
    let program = directory.join("program");
    fs::write(&program, format!("#!/bin/sh\nexec '{PROGRAM}' \"$@\"\n")).unwrap();
    let mut command = Command::new(packaging("make_mcpb"));
    command.arg("--binary").arg(&program).arg("--out").arg(directory).args(more).env("MCPB", "");
    command.output().ok()
}

#[test]
fn the_bundle_holds_a_program_that_runs() {
    let directory = tempfile::tempdir().unwrap();
    let Some(output) = packed(directory.path(), &[]) else {
        return skipped("the_bundle_holds_a_program_that_runs", "no python3 here");
    };
    assert!(output.status.success(), "{}", told(&output));
    let bundle = String::from_utf8(output.stdout).unwrap().lines().next().unwrap().to_owned();

    let unpacked = directory.path().join("unpacked");
    zip::ZipArchive::new(File::open(bundle).unwrap()).unwrap().extract(&unpacked).unwrap();
    let manifest = read(&unpacked.join("manifest.json"));
    let entry = unpacked.join(manifest["server"]["entry_point"].as_str().unwrap());

    assert_eq!(manifest["server"]["mcp_config"]["args"], json!(["mcp"]));
    assert_eq!(fs::metadata(&entry).unwrap().permissions().mode() & 0o111, 0o111);
    let version = Command::new(entry).arg("--version").output().unwrap();
    assert_eq!(version.stdout, format!("mailkeep {}\n", env!("CARGO_PKG_VERSION")).into_bytes());
}

#[test]
fn the_registrys_file_names_the_bundle_and_its_hash() {
    let directory = tempfile::tempdir().unwrap();
    let url = "https://example.org/mailkeep.mcpb";
    let Some(output) = packed(directory.path(), &["--url", url]) else {
        return skipped("the_registrys_file_names_the_bundle_and_its_hash", "no python3 here");
    };
    assert!(output.status.success(), "{}", told(&output));
    let told = String::from_utf8(output.stdout).unwrap();

    let server = read(&directory.path().join("server.json"));

    let package = &server["packages"][0];
    let hash = mailkeep::model::ContentHash::of(&fs::read(told.lines().next().unwrap()).unwrap()).to_hex();
    assert_eq!(package["fileSha256"], hash);
    assert_eq!(package["identifier"], url);
    assert_eq!(package["registryType"], "mcpb");
    assert_eq!(package["transport"], json!({ "type": "stdio" }));
}
