//! How long the bundled model takes for questions and passages of several lengths, in process, on one thread.
//!
//! `cargo bench --bench embedder`. Processor time of all threads, which a busy machine changes less than the clock.

use std::fs;
use std::time::Instant;

use mailkeep::index::embedder::{Embedder, MiniLm};

const WORDS: [&str; 8] = ["bridge", "report", "about", "new", "the", "water", "meeting", "tuesday"];
const REPEATS: usize = 60;

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    let begin = processor_ms();
    let model = MiniLm::bundled().expect("it is sound");
    println!("loaded in {:.1} ms of processor time\n", processor_ms() - begin);
    println!("| words | processor ms, p50 / best | by the clock, p50 / best | a second of processor time |");
    println!("|---:|---:|---:|---:|");
    for count in [1, 4, 8, 16, 30, 60, 126] {
        let text = WORDS.iter().cycle().take(count).copied().collect::<Vec<_>>().join(" ");
        let mut taken: Vec<(f64, f64)> = (0..REPEATS).map(|_| once(&model, &text)).collect();
        taken.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut clock: Vec<f64> = taken.iter().map(|(_, clock)| *clock).collect();
        clock.sort_by(f64::total_cmp);
        let (middle, best) = (taken[REPEATS / 2].0, taken[0].0);
        println!(
            "| {count} | {middle:.2} / {best:.2} | {:.2} / {:.2} | {:.0} |",
            clock[REPEATS / 2],
            clock[0],
            1000.0 / middle
        );
    }
}

/// Milliseconds of the processor and of the clock that one text takes.
fn once(model: &MiniLm, text: &str) -> (f64, f64) {
    let (processor, clock) = (processor_ms(), Instant::now());
    model.embed_query(text).expect("it is sound");
    (processor_ms() - processor, clock.elapsed().as_secs_f64() * 1000.0)
}

/// What all threads have taken so far.
fn processor_ms() -> f64 {
    let threads = fs::read_dir("/proc/self/task").expect("this is Linux").flatten();
    let taken = threads.filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok());
    taken.filter_map(|line| line.split(' ').next()?.parse::<f64>().ok()).sum::<f64>() / 1e6
}
