//! Searches a home in process, without the cost of starting a program: p50 and p99 a query.
//!
//! `cargo bench --profile dist --bench in_process -- HOME [--rounds N] QUERY...`

use std::time::Instant;

use mailkeep::clock::Clock;
use mailkeep::home::Home;
use mailkeep::index::attachment_text::Extractor;
use mailkeep::model::Audience;
use mailkeep::query::{Archive, Page, Question};

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench").peekable();
    let Some(home) = arguments.next().map(Home::at) else {
        println!("usage: cargo bench --profile dist --bench in_process -- HOME [--rounds N] QUERY...");
        return;
    };
    let rounds = match arguments.peek().map(String::as_str) {
        Some("--rounds") => arguments.by_ref().nth(1).and_then(|n| n.parse().ok()).unwrap_or(50),
        _ => 50,
    };
    let extractor = Extractor::new(env!("CARGO_BIN_EXE_mailkeep").into());
    let mut archive =
        Archive::open(&home, Audience::Person, Clock::system(), extractor).expect("the home can be opened");
    println!("{:>10} {:>9} {:>9}  query", "hits", "p50 ms", "p99 ms");
    for query in arguments {
        let mut times: Vec<f64> = Vec::new();
        let mut total = 0;
        for _ in 0..rounds {
            let started = Instant::now();
            let answer = archive
                .search(&Question::of(&query, Page { limit: 50, offset: 0 }))
                .expect("the query is valid");
            times.push(started.elapsed().as_secs_f64() * 1000.0);
            total = answer.total;
        }
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
        println!("{total:>10} {:>9.3} {:>9.3}  {query}", at(0.5), at(0.99));
    }
}
