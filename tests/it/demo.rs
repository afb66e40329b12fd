//! The demonstration works by itself, shows something, and can be repeated.

use crate::world::{World, list, told};

#[test]
fn the_demonstration_shows_hits_for_every_search_and_the_figures() {
    let world = World::new();

    let output = world.run(&["demo", "--once"]);

    let shown = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(output.status.success(), "{}", told(&output));
    assert!(shown.matches("$ mailkeep search").count() >= 3, "{shown}");
    assert!(!shown.contains("no messages match"), "{shown}");
    assert!(shown.contains("$ mailkeep stats"), "{shown}");
    assert!(shown.contains("What to do next:"), "{shown}");
}

#[test]
fn the_demonstration_can_be_repeated_and_stores_nothing_twice() {
    let world = World::new();
    world.run(&["demo", "--once"]);
    let before = world.hashes();

    let again = world.run(&["demo", "--once"]);

    assert!(again.status.success());
    assert!(String::from_utf8_lossy(&again.stdout).contains("already there"));
    assert_eq!(world.hashes(), before);
    world.assert_sound();
}

#[test]
fn scripts_get_the_demonstration_as_json() {
    let world = World::new();

    let shown = world.json(&["demo", "--once"]);

    assert_eq!(shown["home"], world.home().to_str().unwrap());
    assert_eq!(shown["stats"]["messages"], world.count(""));
    assert!(list(&shown["searches"]).iter().all(|search| search["total"].as_u64() > Some(0)), "{shown}");
}
