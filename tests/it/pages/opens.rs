//! `mailkeep open`, and what it gives to the program that it takes for a browser.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use mailkeep::model::Factor;
use mailkeep::outbox::approval::Proof;
use mailkeep::secret::Secret;

use super::{Site, command};
use crate::world::World;

/// Puts a browser into the PATH of a command that writes down what it is asked to show.
pub(super) fn with_browser(command: &mut Command, world: &World) {
    let (bin, seen) = (world.path("bin"), seen(world));
    std::fs::create_dir_all(&bin).unwrap();
    let browser = bin.join("xdg-open");
    std::fs::write(&browser, format!("#!/bin/sh\necho \"$1\" > {}\n", seen.display())).unwrap();
    std::fs::set_permissions(&browser, PermissionsExt::from_mode(0o755)).unwrap();
    command.env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()));
}

/// Where it writes it.
pub(super) fn seen(world: &World) -> PathBuf {
    world.path("seen")
}

/// What the browser is asked to show.
fn shown(site: &Site) -> String {
    let mut open = command(&site.world, &["open"]);
    with_browser(&mut open, &site.world);

    assert!(open.output().unwrap().status.success());

    written(&seen(&site.world))
}

fn set_pin(site: &Site) {
    site.approvals(Factor::Pin).set_pin(&Secret::new("271828".to_owned()), &Proof::click()).unwrap();
}

pub(super) fn written(file: &Path) -> String {
    for _ in 0..600 {
        match std::fs::read_to_string(file) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => std::thread::sleep(std::time::Duration::from_millis(50)),
        }
    }
    panic!("no browser was started");
}

#[test]
fn where_a_pin_counts_the_browser_gets_the_door_and_no_link() {
    let click = Site::new();
    let pin = Site::configured("[approval]\nfactor = \"pin\"\n");
    set_pin(&pin);

    let (let_in, asked) = (shown(&click), shown(&pin));

    assert!(let_in.starts_with(&format!("http://{}/open/", click.host())), "{let_in}");
    assert_eq!(asked, format!("http://{}/outbox", pin.host()));
}
