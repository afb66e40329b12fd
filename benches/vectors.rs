//! Looks for the nearest among many vectors, in process: time, memory, and how many of the nearest an exact comparison
//! of all of them would also name.
//!
//! `cargo bench --bench vectors -- [COUNT]`, a million by default. The vectors are made up: 2,000 clusters with noise.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use mailkeep::index::embedder::ModelInfo;
use mailkeep::index::vectors::{RecordHead, VectorWriter, Vectors};
use mailkeep::model::MessageKey;

const DIMENSIONS: usize = 384;
const WANTED: usize = 100;
const QUESTIONS: u64 = 50;
const COMPARED: u64 = 3;

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let count = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1_000_000);
    let directory = tempfile::tempdir().expect("a place for the vectors");
    write(directory.path(), count);
    let mut vectors = Vectors::open(directory.path()).expect("they can be opened").expect("they are there");
    let begin = Instant::now();
    vectors.load().expect("they are sound");
    let loaded = begin.elapsed();
    let nearest = |asked: &[f32]| vectors.nearest(asked, WANTED, |_| true).expect("they are sound");
    let mut times: Vec<Duration> = (0..QUESTIONS)
        .map(|question| {
            let asked = vector(count + question * 37);
            let begin = Instant::now();
            assert_eq!(nearest(&asked).len(), WANTED);
            begin.elapsed()
        })
        .collect();
    times.sort();
    let memory = resident();
    let same: usize = (0..COMPARED)
        .map(|question| {
            let asked = vector(count + question * 37);
            let found: HashSet<i64> = nearest(&asked).iter().map(|near| near.message.0).collect();
            exact(&asked, count).filter(|key| found.contains(key)).count()
        })
        .sum();
    println!(
        "| vectors | reading the sketches | top {WANTED}, p50 / p99 / best | resident | of the exact top {WANTED} |"
    );
    println!("|---:|---:|---:|---:|---:|");
    let ms = |time: &Duration| format!("{:.1}", time.as_secs_f64() * 1000.0);
    println!(
        "| {count} | {} ms | {} / {} / {} ms | {} MB | {:.1} % |",
        ms(&loaded),
        ms(&times[times.len() / 2]),
        ms(&times[times.len() - 1]),
        ms(&times[0]),
        memory >> 10,
        same as f64 / COMPARED as f64,
    );
}

fn write(directory: &std::path::Path, count: u64) {
    let model = ModelInfo { id: "made up".to_owned(), sha256: String::new() };
    let mut writer =
        VectorWriter::try_open(directory, "none", &model).expect("it can be written").expect("nobody else");
    for number in 1..=count {
        let message = MessageKey(number.cast_signed());
        let head = RecordHead { message, start: 0, end: 9, ordinal: 0, of: 1 };
        writer.add(&head, &vector(number)).expect("it fits");
        if number % 50_000 == 0 {
            writer.commit(1, None).expect("there is space");
        }
    }
    writer.commit(1, None).expect("there is space");
}

/// The nearest by comparing all.
fn exact(asked: &[f32], count: u64) -> impl Iterator<Item = i64> {
    let nearness = |number: u64| vector(number).iter().zip(asked).map(|(a, b)| a * b).sum::<f32>();
    let mut all: Vec<(f32, i64)> =
        (1..=count).map(|number| (nearness(number), number.cast_signed())).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().take(WANTED).map(|(_, key)| key)
}

/// A vector near the centre of its cluster, always the same for the same number.
fn vector(number: u64) -> Vec<f32> {
    let (mut centre, mut noise) =
        (Noise((number % 2000) * 7919 + 13), Noise(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1));
    let raw: Vec<f32> = (0..DIMENSIONS).map(|_| centre.next() * 0.8 + noise.next()).collect();
    let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.iter().map(|x| x / length).collect()
}

/// Numbers around zero, most of them small.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f32 {
        let mut sum = 0.0;
        for _ in 0..4 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            sum += (self.0 >> 40) as f32 / (1_u64 << 24) as f32;
        }
        sum - 2.0
    }
}

/// Kilobytes, as the system counts them.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
