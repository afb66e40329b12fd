//! The fuzz targets' own inputs and a few thousand mutations of them, without a fuzzer.

#[path = "../../fuzz/bodies.rs"]
mod bodies;

use std::cell::Cell;
use std::fs;
use std::panic;
use std::path::Path;
use std::sync::Once;

use crate::world::random::Random;

thread_local! {
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// The parser catches its own panics and goes on; here they must come to light.
fn watch_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |information| {
            PANICKED.set(true);
            print(information);
        }));
    });
}

/// The saved inputs of a target, in the order of their names.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Cuts, repeats, joins and garbles.
fn mutate(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        let from = random.below(bytes.len() + 1);
        let until = (from + random.below(40)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(from..until)),
            1 => bytes.truncate(from.max(1)),
            2 => bytes.splice(from..from, bytes[from..until].to_vec()).for_each(drop),
            3 => {
                let other = &seeds[random.below(seeds.len())];
                let cut = random.below(other.len() + 1);
                bytes.splice(from.., other[cut..].iter().copied()).for_each(drop);
            }
            4 => bytes[from..until].iter_mut().take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            _ => {
                let special = [b'\n', b'\r', 0, b'"', b'(', b':', b'=', b'?', 0xff, b'-', b'>', b' '];
                bytes.insert(from, special[random.below(special.len())]);
            }
        }
    }
    bytes
}

fn assert_holds(target: &str, body: fn(&[u8]), mutations: usize) {
    watch_panics();
    let seeds = seeds(target);
    assert!(seeds.len() >= 5, "{target} has {} seeds", seeds.len());
    let mut random = Random::new(0x6d61_696c);
    let mutated = (0..mutations).map(|_| mutate(&seeds, &mut random));
    for input in seeds.iter().cloned().chain(mutated) {
        PANICKED.set(false);
        let outcome = panic::catch_unwind(|| body(&input));
        assert!(outcome.is_ok() && !PANICKED.get(), "{target} fails for b\"{}\"", input.escape_ascii());
    }
}

#[test]
fn any_bytes_are_a_message() {
    assert_holds("message", bodies::message, 3000);
}

#[test]
fn any_text_is_html() {
    assert_holds("visible_text", bodies::visible_text, 3000);
}

#[test]
fn any_bytes_are_a_header() {
    assert_holds("headers", bodies::headers, 3000);
}

#[test]
fn an_mbox_that_is_written_reads_back() {
    assert_holds("mbox", bodies::mbox, 2000);
}

#[test]
fn a_search_that_is_printed_reads_back() {
    assert_holds("query", bodies::query, 10_000);
}

#[test]
fn any_text_run_as_sql_tells_and_changes_nothing_it_must_not() {
    assert_holds("sql", bodies::sql, 3000);
}

#[test]
fn any_bytes_are_an_answer_of_a_server() {
    assert_holds("imap", bodies::imap, 10_000);
}
