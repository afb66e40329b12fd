//! Asks every question of the `db` tools in process, without the cost of a protocol: p50 and p99 a question and home.
//!
//! `cargo bench --profile dist --bench statistics -- [--rounds N] HOME...` with homes of growing size, as `benches/growth` makes them.

use std::time::Instant;

use mailkeep::clock::Clock;
use mailkeep::home::Home;
use mailkeep::index::attachment_text::Extractor;
use mailkeep::query::analytics::{
    AnsweredBy, Attachments, AwaitingReply, Bounds, Db, Filter, FullQuery, GroupBy, Grouped, ItemType,
    Largest, MatchMode, Order, Period, Similarity, SizeCategory, Span, Turn,
};
use mailkeep::query::{Archive, QueryError};

type Ask = Box<dyn Fn(&mut Db<'_>) -> Result<usize, QueryError>>;
type Question = (&'static str, Ask);

const BOUNDS: Bounds = Bounds { account: None, max_limit: 1000, raw: true };

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench").peekable();
    let rounds = match arguments.peek().map(String::as_str) {
        Some("--rounds") => arguments.by_ref().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20),
        _ => 20,
    };
    let homes: Vec<String> = arguments.collect();
    let mut archives: Vec<Archive> = homes.iter().map(|home| open(home)).collect();
    let totals =
        archives.iter_mut().map(|archive| archive.db(BOUNDS).count(&Filter::default()).expect("a count"));
    let totals: Vec<String> = totals.map(|total| format!("{total} messages")).collect();
    println!("| question, p50 / p99 ms | {} |", totals.join(" | "));
    println!("|---|{}", "---:|".repeat(homes.len()));
    for (name, ask) in questions() {
        let cells = archives.iter_mut().map(|archive| measure(archive, &ask, rounds)).collect::<Vec<_>>();
        println!("| {name} | {} |", cells.join(" | "));
    }
    println!("\nprivate memory at the end: {} MB", private_memory() >> 10);
}

fn open(home: &str) -> Archive {
    let home = Home::at(home);
    Archive::open(
        &home,
        mailkeep::model::Audience::Assistant,
        Clock::system(),
        Extractor::new(env!("CARGO_BIN_EXE_mailkeep").into()),
    )
    .expect("the home can be opened")
}

fn measure(
    archive: &mut Archive,
    ask: &dyn Fn(&mut Db<'_>) -> Result<usize, QueryError>,
    rounds: usize,
) -> String {
    let mut times: Vec<f64> = Vec::new();
    let mut found = 0;
    for _ in 0..rounds {
        let started = Instant::now();
        found = ask(&mut archive.db(BOUNDS)).expect("the question is valid");
        times.push(started.elapsed().as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    format!("{:.2} / {:.2} ({found})", at(0.5), at(0.99))
}

fn filter(change: impl Fn(&mut Filter)) -> Filter {
    let mut filter = Filter::default();
    change(&mut filter);
    filter
}

fn listed(filter: Filter) -> Ask {
    Box::new(move |db| Ok(db.filter(&filter, Order::DateDesc, 100)?.len()))
}

fn counted(filter: Filter) -> Ask {
    Box::new(move |db| Ok(usize::try_from(db.count(&filter)?).unwrap_or_default()))
}

fn year() -> Option<Span> {
    Span::of("2019").ok()
}

fn questions() -> Vec<Question> {
    let mut all = lists();
    all.extend(statistics());
    all.extend(texts());
    all
}

fn lists() -> Vec<Question> {
    let text = |word: &str| Some(word.to_owned());
    vec![
        ("list_earliest_emails", Box::new(|db| Ok(db.list_earliest(100)?.len()))),
        (
            "get_email_full, id",
            Box::new(|db| {
                db.full(&FullQuery { id: Some("5000".to_owned()), ..FullQuery::default() }).map(|_| 1)
            }),
        ),
        ("filter_emails, nothing", listed(Filter::default())),
        ("filter_emails, mailbox", listed(filter(|f| f.mailbox = text("INBOX")))),
        ("filter_emails, year", listed(filter(|f| f.span = year()))),
        ("filter_emails, from_domain", listed(filter(|f| f.from_domain = text("@fabide.example.com")))),
        ("filter_emails, from_contains few", listed(filter(|f| f.from_contains = text("kodani9")))),
        ("filter_emails, from_contains many", listed(filter(|f| f.from_contains = text("example")))),
        (
            "filter_emails, subject_contains none",
            listed(filter(|f| f.subject_contains = text("no such subject"))),
        ),
        ("filter_emails, subject_contains few", listed(filter(|f| f.subject_contains = text("organise")))),
        ("filter_emails, subject_contains many", listed(filter(|f| f.subject_contains = text("re:")))),
        ("count_emails, nothing", counted(Filter::default())),
        ("count_emails, year", counted(filter(|f| f.span = year()))),
        ("count_emails, from_contains many", counted(filter(|f| f.from_contains = text("example")))),
        ("count_emails, subject_contains many", counted(filter(|f| f.subject_contains = text("re:")))),
        (
            "count_emails, subject_contains many, year",
            counted(filter(|f| {
                f.subject_contains = text("re:");
                f.span = year();
            })),
        ),
        ("get_emails_with_attachments", Box::new(|db| Ok(db.with_attachments(None, Span::ALL, 100)?.len()))),
        ("get_email_thread", Box::new(|db| Ok(db.thread("1", Order::DateAsc)?.len()))),
        (
            "get_largest_emails",
            Box::new(|db| Ok(db.largest(&Largest { limit: 5, ..Largest::default() })?.len())),
        ),
        (
            "get_largest_emails, without, domain",
            Box::new(|db| {
                let domain = Some("fabide.example.com".to_owned());
                let asked = Largest {
                    limit: 5,
                    attachments: Attachments::Without,
                    from_domain: domain,
                    mailbox: None,
                };
                Ok(db.largest(&asked)?.len())
            }),
        ),
        ("get_emails_by_size_range, medium", Box::new(|db| Ok(db.of_size(SizeCategory::Medium, 100)?.len()))),
    ]
}

fn statistics() -> Vec<Question> {
    vec![
        ("get_email_stats", Box::new(|db| Ok(db.stats(10)?.top_senders.len()))),
        ("get_top_senders", Box::new(|db| Ok(db.top_senders(20, None)?.len()))),
        ("get_top_senders, mailbox", Box::new(|db| Ok(db.top_senders(20, Some("INBOX"))?.len()))),
        ("get_top_domains", Box::new(|db| Ok(db.top_domains(20)?.len()))),
        ("get_mailbox_stats", Box::new(|db| Ok(db.mailbox_stats()?.len()))),
        (
            "get_emails_by_date_range",
            Box::new(|db| Ok(db.by_date_range(Period::Monthly, Span::ALL, 50)?.len())),
        ),
        ("get_email_activity_heatmap", Box::new(|db| Ok(db.heatmap(Span::ALL)?.len()))),
        ("get_response_time_stats", Box::new(|db| Ok(db.response_times(AnsweredBy::Any, 50)?.len()))),
        (
            "get_email_frequency_by_sender, all",
            Box::new(|db| Ok(db.frequency(None, Period::Monthly, 50)?.len())),
        ),
        (
            "get_email_frequency_by_sender, one",
            Box::new(|db| Ok(db.frequency(Some("kodani97@"), Period::Yearly, 50)?.len())),
        ),
        ("get_seasonal_trends", Box::new(|db| Ok(db.seasonal(10)?.len()))),
        ("get_duplicate_emails, subject", Box::new(|db| Ok(db.duplicates(Similarity::Subject, 100)?.len()))),
        (
            "get_duplicate_emails, message_id",
            Box::new(|db| Ok(db.duplicates(Similarity::MessageId, 100)?.len())),
        ),
        ("email_stats, weekday and hour", grouped(GroupBy::WeekdayHour, Span::ALL)),
        ("email_stats, sender, month", grouped(GroupBy::Sender, Span::of("2019-05").unwrap_or(Span::ALL))),
        (
            "awaiting_reply",
            Box::new(|db| {
                let asked = AwaitingReply {
                    turn: Turn::Me,
                    days: 3,
                    most_days: 2000,
                    limit: 20,
                    offset: 0,
                    automatic: false,
                };
                Ok(db.awaiting_reply(&asked)?.len())
            }),
        ),
    ]
}

fn grouped(by: GroupBy, span: Span) -> Ask {
    Box::new(move |db| Ok(db.grouped(&Grouped { by, mailbox: None, span, limit: 50 })?.len()))
}

fn texts() -> Vec<Question> {
    vec![
        ("search_emails", Box::new(|db| Ok(db.search("invoice budget", &[], 100)?.rows.len()))),
        (
            "search_emails, subject",
            Box::new(|db| Ok(db.search("invoice", &[ItemType::Subject], 100)?.rows.len())),
        ),
        (
            "get_emails_by_keywords",
            Box::new(|db| {
                let words = ["invoice".to_owned(), "budget".to_owned()];
                Ok(db.by_keywords(&words, MatchMode::All, 100)?.len())
            }),
        ),
        (
            "search_email_headers",
            Box::new(|db| Ok(db.search_headers("^User-Agent: Bench/8", 100)?.rows.len())),
        ),
        (
            "execute_sql_query, group by mailbox",
            Box::new(|db| {
                Ok(db.execute_sql("SELECT day, sum(count) FROM daily_counts GROUP BY 1", 1000)?.rows.len())
            }),
        ),
    ]
}

/// Kilobytes.
fn private_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
