//! The tests' double of the Gmail API, by itself, so that other people's clients can be run against it. The refresh
//! token is `1//refresh`.
//!
//! `cargo run --example gmail_double -- --messages 20` prints the URL and serves until it is killed.

#[expect(dead_code, clippy::unwrap_used, reason = "it belongs to the tests, which use the rest")]
#[path = "../tests/it/world/gmail/mod.rs"]
mod gmail;
#[expect(dead_code, clippy::unwrap_used, reason = "it belongs to the tests, which use the rest")]
#[path = "../tests/it/world/random.rs"]
mod random;

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser;

/// Serves a double of the Gmail API.
#[derive(Parser)]
struct Arguments {
    /// Address and port to listen on; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// How many messages the mailbox holds.
    #[arg(long, default_value_t = 0)]
    messages: usize,

    /// How long a minute of the quota is, in milliseconds.
    #[arg(long, default_value_t = 60_000)]
    minute: u64,

    /// Units of the quota in such a minute.
    #[arg(long, default_value_t = 6_000)]
    units: u64,
}

fn main() -> std::io::Result<()> {
    let arguments = Arguments::parse();
    let minute = Duration::from_millis(arguments.minute);
    let double = gmail::GmailDouble::listen("ada@example.org", minute, arguments.listen);
    double.google().quota.limit = arguments.units;
    let mut mutator = gmail::Mutator::new(1);
    for _ in 0..arguments.messages {
        mutator.deliver(&mut double.google().mailbox);
    }
    writeln!(std::io::stdout(), "http://127.0.0.1:{}", double.port)?;
    loop {
        std::thread::park();
    }
}
