//! What is written is found, and what is damaged, erased or half written is not.

use std::fs;
use std::path::Path;

use super::{ModelInfo, RecordHead, Rows, VectorWriter, file, record_size};
use crate::index::IndexError;
use crate::index::vectors::{Manifest, Near, Vectors};
use crate::model::MessageKey;

const DIMENSIONS: usize = 384;

fn model(name: &str) -> ModelInfo {
    ModelInfo { id: name.to_owned(), sha256: name.to_owned() }
}

fn open(directory: &Path) -> VectorWriter {
    VectorWriter::try_open(directory, "store", &model("one")).unwrap().unwrap()
}

/// A vector that is like those of near seeds, and of length 1.
fn vector(seed: usize) -> Vec<f32> {
    let raw: Vec<f32> =
        (0..DIMENSIONS).map(|at| ((at + 1) as f32 * (1.0 + seed as f32 / 100.0)).sin()).collect();
    let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.iter().map(|x| x / length).collect()
}

fn add(writer: &mut VectorWriter, message: usize, ordinal: u16, of: u16) {
    let head = RecordHead { message: MessageKey(message as i64), start: 1, end: 9, ordinal, of };
    writer.add(&head, &vector(message * 10 + usize::from(ordinal))).unwrap();
}

fn search(directory: &Path, seed: usize, wanted: usize) -> Result<Vec<Near>, IndexError> {
    let mut vectors = Vectors::open(directory)?.unwrap();
    vectors.load()?;
    vectors.nearest(&vector(seed), wanted, |_| true)
}

fn found(directory: &Path, seed: usize, wanted: usize) -> Vec<i64> {
    search(directory, seed, wanted).unwrap().into_iter().map(|near| near.message.0).collect()
}

fn filled(directory: &Path, messages: usize) -> VectorWriter {
    let mut writer = open(directory);
    (1..=messages).for_each(|message| add(&mut writer, message, 0, 1));
    writer.commit(7, Some(3.0)).unwrap();
    writer
}

#[test]
fn the_nearest_are_those_of_an_exact_comparison_in_the_same_order() {
    let directory = tempfile::tempdir().unwrap();
    filled(directory.path(), 500);
    let asked = vector(1234);
    let nearness = |message: usize| vector(message * 10).iter().zip(&asked).map(|(a, b)| a * b).sum::<f32>();
    let mut exact: Vec<usize> = (1..=500).collect();
    exact.sort_by(|a, b| nearness(*b).total_cmp(&nearness(*a)));

    let near = search(directory.path(), 1234, 20).unwrap();

    let expected: Vec<i64> = exact[..20].iter().map(|message| *message as i64).collect();
    assert_eq!(near.iter().map(|near| near.message.0).collect::<Vec<_>>()[..5], expected[..5]);
    assert!((near[0].score - nearness(exact[0])).abs() < 0.003);
    assert_eq!(near[0].passages[0].range, 1..9);
}

#[test]
fn only_what_is_allowed_is_found_and_each_message_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = open(directory.path());
    for message in 1..=20 {
        (0..4).for_each(|ordinal| add(&mut writer, message, ordinal, 4));
    }
    writer.commit(1, None).unwrap();
    let mut vectors = Vectors::open(directory.path()).unwrap().unwrap();
    vectors.load().unwrap();

    let near = vectors.nearest(&vector(100), 50, |message| message.0 % 2 == 1).unwrap();

    assert_eq!(near.len(), 10);
    assert!(near.iter().all(|near| near.message.0 % 2 == 1 && near.passages.len() == 3));
    assert!(near.iter().all(|near| near.passages.is_sorted_by(|a, b| a.score >= b.score)));
}

#[test]
fn what_was_not_committed_does_not_count_and_is_written_over() {
    let directory = tempfile::tempdir().unwrap();
    drop(filled(directory.path(), 5));
    let path = file::path(directory.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend([7; 1000]);
    fs::write(&path, bytes).unwrap();

    let mut writer = open(directory.path());
    assert_eq!((writer.first().len(), writer.damaged()), (5, 0));
    add(&mut writer, 6, 0, 1);
    writer.commit(8, None).unwrap();

    assert_eq!(found(directory.path(), 60, 1), [6]);
    assert_eq!(fs::metadata(&path).unwrap().len(), 6 * record_size(DIMENSIONS) as u64);
}

#[test]
fn a_damaged_byte_is_an_error_for_readers_and_costs_one_message() {
    for at in [0, 4, 9, 17, 25, 40, 400] {
        let directory = tempfile::tempdir().unwrap();
        drop(filled(directory.path(), 5));
        let path = file::path(directory.path(), 1);
        let mut bytes = fs::read(&path).unwrap();
        bytes[2 * record_size(DIMENSIONS) + at] ^= 0x55;
        fs::write(&path, bytes).unwrap();

        let refused = search(directory.path(), 30, 5);

        assert!(matches!(refused, Err(IndexError::VectorsDamaged { .. })), "byte {at}");
        let mut writer = open(directory.path());
        writer.commit(0, None).unwrap();
        assert_eq!((writer.damaged(), writer.first().len()), (1, 4), "byte {at}");
        assert!(!writer.first().contains(MessageKey(3)));
        drop(writer);
        assert_eq!(found(directory.path(), 30, 5).len(), 4);
    }
}

#[test]
fn a_file_that_was_cut_off_loses_only_its_end() {
    let directory = tempfile::tempdir().unwrap();
    drop(filled(directory.path(), 5));
    let path = file::path(directory.path(), 1);
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(3 * record_size(DIMENSIONS) as u64 + 100)
        .unwrap();

    assert!(matches!(search(directory.path(), 30, 5), Err(IndexError::VectorsDamaged { .. })));

    let mut writer = open(directory.path());
    writer.commit(0, None).unwrap();
    assert_eq!((writer.damaged(), writer.first().len()), (2, 3));
}

#[test]
fn a_passage_in_the_middle_that_is_lost_takes_the_message_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = open(directory.path());
    (0..3).for_each(|ordinal| add(&mut writer, 1, ordinal, 3));
    add(&mut writer, 2, 0, 1);
    writer.commit(1, None).unwrap();
    drop(writer);
    let path = file::path(directory.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes[record_size(DIMENSIONS) + 50] ^= 1;
    fs::write(&path, bytes).unwrap();

    let writer = open(directory.path());

    assert_eq!(writer.first().iter().collect::<Vec<_>>(), [MessageKey(2)]);
    assert_eq!(writer.missing(), 0);
}

#[test]
fn what_is_erased_leaves_no_trace_and_readers_that_had_it_do_not_find_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = filled(directory.path(), 5);
    let mut vectors = Vectors::open(directory.path()).unwrap().unwrap();
    vectors.load().unwrap();

    writer.erase(&Rows::from_iter([MessageKey(3)])).unwrap();

    let near = vectors.nearest(&vector(30), 5, |_| true).unwrap();
    assert_eq!(near.len(), 4);
    let size = record_size(DIMENSIONS);
    let bytes = fs::read(file::path(directory.path(), 1)).unwrap();
    assert!(bytes[2 * size..3 * size].iter().all(|byte| *byte == 0));
    assert!(!writer.first().contains(MessageKey(3)));
}

#[test]
fn a_message_whose_passages_are_not_all_there_is_known_as_unfinished() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = open(directory.path());
    add(&mut writer, 1, 0, 3);
    add(&mut writer, 2, 0, 1);
    writer.commit(1, None).unwrap();
    drop(writer);

    let mut writer = open(directory.path());

    assert_eq!((writer.unfinished(MessageKey(1)), writer.unfinished(MessageKey(2))), (Some((1, 3)), None));
    assert_eq!(writer.missing(), 2);
    (1..3).for_each(|ordinal| add(&mut writer, 1, ordinal, 3));
    assert_eq!((writer.unfinished(MessageKey(1)), writer.missing()), (None, 0));
}

#[test]
fn vectors_of_another_model_or_store_are_given_up() {
    for (store, name) in [("store", "other"), ("elsewhere", "one")] {
        let directory = tempfile::tempdir().unwrap();
        drop(filled(directory.path(), 5));

        let writer = VectorWriter::try_open(directory.path(), store, &model(name)).unwrap().unwrap();

        assert!(writer.first().is_empty());
        assert!(!file::path(directory.path(), 1).exists());
    }
}

#[test]
fn a_second_writer_waits_for_its_turn() {
    let directory = tempfile::tempdir().unwrap();
    let first = open(directory.path());

    let second = VectorWriter::try_open(directory.path(), "store", &model("one")).unwrap();
    assert!(second.is_none());
    drop(first);

    assert!(VectorWriter::try_open(directory.path(), "store", &model("one")).unwrap().is_some());
}

#[test]
fn a_reader_follows_what_is_added_and_what_begins_anew() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = filled(directory.path(), 3);
    let mut vectors = Vectors::open(directory.path()).unwrap().unwrap();
    vectors.load().unwrap();
    add(&mut writer, 4, 0, 1);
    writer.commit(9, None).unwrap();

    assert!(vectors.refresh().unwrap());
    vectors.load().unwrap();
    assert_eq!(vectors.nearest(&vector(40), 1, |_| true).unwrap()[0].message, MessageKey(4));
    drop(writer);
    let mut writer = VectorWriter::start_over(directory.path(), "store", &model("one")).unwrap().unwrap();
    add(&mut writer, 9, 0, 1);
    writer.commit(9, None).unwrap();

    assert!(vectors.refresh().unwrap());
    vectors.load().unwrap();
    assert_eq!(vectors.nearest(&vector(40), 10, |_| true).unwrap().len(), 1);
    assert!(!vectors.refresh().unwrap());
}

#[test]
fn a_file_of_which_most_is_erased_is_written_anew() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = filled(directory.path(), 1_500);
    writer.erase(&(1..=1_200).map(MessageKey).collect()).unwrap();
    drop(writer);

    let writer = open(directory.path());

    assert_eq!((writer.manifest().records, writer.first().len()), (300, 300));
    drop(writer);
    assert_eq!(found(directory.path(), 13_000, 1), [1_300]);
}

#[test]
fn a_manifest_that_cannot_be_read_is_a_state_and_is_begun_anew() {
    let directory = tempfile::tempdir().unwrap();
    drop(filled(directory.path(), 5));
    fs::write(directory.path().join("manifest.json"), b"{\"layout\":").unwrap();

    assert!(matches!(Manifest::read(directory.path()), Err(IndexError::VectorsDamaged { .. })));

    assert!(open(directory.path()).first().is_empty());
}

#[test]
fn a_message_without_words_is_done_and_never_found() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = filled(directory.path(), 2);
    writer.add_nothing(MessageKey(3)).unwrap();
    writer.commit(1, None).unwrap();

    assert!(writer.first().contains(MessageKey(3)));
    assert_eq!(found(directory.path(), 30, 10).len(), 2);
}

#[test]
fn a_flipped_byte_never_gives_a_wrong_neighbour_also_to_who_had_read_the_file_before() {
    let directory = tempfile::tempdir().unwrap();
    let writer = filled(directory.path(), 20);
    let path = file::path(directory.path(), writer.manifest().file);
    let whole = fs::read(&path).unwrap();
    let mut known = Vectors::open(directory.path()).unwrap().unwrap();
    known.load().unwrap();
    let ask = |vectors: &Vectors| vectors.nearest(&vector(70), 20, |_| true);
    let right = ask(&known).unwrap();
    let size = record_size(DIMENSIONS);

    for at in 0..size {
        let mut bytes = whole.clone();
        bytes[6 * size + at] ^= 0x10;
        fs::write(&path, &bytes).unwrap();

        let mut fresh = Vectors::open(directory.path()).unwrap().unwrap();
        assert!(matches!(fresh.load(), Err(IndexError::VectorsDamaged { .. })), "byte {at}");
        assert!(matches!(ask(&known), Err(IndexError::VectorsDamaged { .. })), "byte {at}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(ask(&known).unwrap(), right);
}

#[test]
fn a_flipped_byte_of_the_manifest_is_noticed_or_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    filled(directory.path(), 5);
    let path = directory.path().join("manifest.json");
    let (whole, before) = (fs::read(&path).unwrap(), Manifest::read(directory.path()).unwrap());

    for (at, bit) in (0..whole.len()).flat_map(|at| [(at, 1), (at, 2), (at, 0x80)]) {
        let mut bytes = whole.clone();
        bytes[at] ^= bit;
        fs::write(&path, &bytes).unwrap();

        match Manifest::read(directory.path()) {
            Ok(found) => assert_eq!(found, before, "byte {at}"),
            Err(error) => assert!(matches!(error, IndexError::VectorsDamaged { .. }), "byte {at}: {error}"),
        }
    }
}

#[test]
fn a_manifest_that_promises_more_than_there_is_is_a_state_and_takes_no_memory() {
    let directory = tempfile::tempdir().unwrap();
    filled(directory.path(), 5);
    let path = directory.path().join("manifest.json");
    let kept: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();

    for (key, value) in [
        ("records", u64::MAX),
        ("records", 1 << 60),
        ("records", 6),
        ("dimensions", u64::MAX),
        ("dimensions", 1 << 40),
        ("dimensions", 383),
        ("dimensions", 0),
        ("file", 77),
    ] {
        let mut told = kept.clone();
        told.as_object_mut().unwrap().remove("checksum");
        told[key] = value.into();
        fs::write(&path, told.to_string()).unwrap();

        let refused = search(directory.path(), 10, 5);

        assert!(matches!(refused, Err(IndexError::VectorsDamaged { .. })), "{key} {value}: {refused:?}");
    }
}

#[test]
fn a_model_whose_vectors_are_too_long_to_be_compared_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let head = RecordHead { message: MessageKey(1), start: 0, end: 1, ordinal: 0, of: 1 };

    let refused = open(directory.path()).add(&head, &vec![0.1; 5_000]);

    assert!(matches!(refused, Err(IndexError::Model { .. })), "{refused:?}");
}
