//! Whom a text written for people means: qmail, exim, sendmail, Exchange, Notes and the many that write their own.
//! Nothing is known of their forms: addresses count by where they stand and by what is said near them.

use super::super::visible_text::prefix;
use super::phrases::{self, Wording};
use super::signs::{self, Signs};
use super::{Action, MOST, Recipient};

/// So much of a line is searched for a reason.
const LONGEST_REASON: usize = 2000;
/// So many lines belong to one address at most.
const LONGEST_RUN: usize = 8;
/// So many lines of a notice are looked at.
const MOST_LINES: usize = 4000;

/// How surely an address in a text is meant; the surest in a text count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Whoever the report came to, or whom it says to ask.
    Bystander,
    /// In a line that tells of the message (`To:`, `Cc:`).
    Told,
    Mentioned,
    /// At the start of a line, or beside a reason.
    Meant,
}

struct Candidate {
    rank: Rank,
    line: usize,
    recipient: Recipient,
}

/// The recipients that a notice names, each once. X-Failed-Recipients says more surely than any text who is meant.
pub(super) fn recipients(notice: &str, signs: &Signs, overall: Action) -> Vec<Recipient> {
    let found = candidates(notice, signs, overall);
    if !signs.failed.is_empty() {
        return signs
            .failed
            .iter()
            .take(MOST)
            .map(|address| failed(address, &found, notice, overall))
            .collect();
    }
    let best = found.iter().map(|candidate| candidate.rank).max();
    let mut recipients: Vec<Recipient> = Vec::new();
    for candidate in found.into_iter().filter(|candidate| Some(candidate.rank) == best) {
        match recipients.iter().position(|known| is_same(known, &candidate.recipient)) {
            Some(known) => recipients[known].learn(candidate.recipient),
            None => recipients.push(candidate.recipient),
        }
    }
    if let [only] = recipients.as_mut_slice() {
        only.learn(nobody(notice, overall));
    }
    recipients
}

/// What a notice says that names nobody.
pub(super) fn nobody(notice: &str, action: Action) -> Recipient {
    Recipient {
        original: None,
        address: None,
        action,
        status: phrases::refusal_in(notice),
        diagnostic: phrases::first_telling_line(notice),
    }
}

fn failed(address: &str, found: &[Candidate], notice: &str, overall: Action) -> Recipient {
    let is_it = |candidate: &&Candidate| {
        candidate.recipient.address.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(address))
    };
    let mut recipient = Recipient {
        original: None,
        address: Some(address.to_owned()),
        action: overall,
        status: None,
        diagnostic: String::new(),
    };
    found.iter().filter(is_it).for_each(|candidate| recipient.learn(candidate.recipient.clone()));
    recipient.learn(nobody(notice, overall));
    recipient
}

fn is_same(one: &Recipient, other: &Recipient) -> bool {
    match (&one.address, &other.address) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => false,
    }
}

impl Recipient {
    /// Adds what another mention of the same address says.
    fn learn(&mut self, other: Self) {
        self.status = self.status.take().or(other.status);
        self.original = self.original.take().or(other.original);
        if self.diagnostic.is_empty() {
            self.diagnostic = other.diagnostic;
        }
    }
}

fn candidates(notice: &str, signs: &Signs, overall: Action) -> Vec<Candidate> {
    let lines: Vec<&str> = notice.lines().take(MOST_LINES).collect();
    let mut section = None;
    let mut found: Vec<Candidate> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let here = addresses(line);
        if here.is_empty() {
            section = heading(line, overall).or(section);
        }
        for address in here.into_iter().take(MOST - found.len().min(MOST)) {
            if let (true, Some(last)) = (tells_origin(&line[..address.start]), found.last_mut()) {
                last.recipient.original = Some(address.text.to_owned());
                continue;
            }
            let Some(rank) = rank(&lines, number, &address, signs) else { continue };
            found.push(Candidate {
                rank,
                line: number,
                recipient: bare(address.text, section.unwrap_or(overall)),
            });
        }
    }
    explain(&mut found, &lines);
    found
}

/// Whether the address that follows is the one that the last one was made from: an alias, a list, a forward.
fn tells_origin(before: &str) -> bool {
    let before = before.to_lowercase();
    ["generated from", "expanded from", "forwarded from", "ultimately generated from"]
        .into_iter()
        .any(|words| before.contains(words))
}

fn bare(address: &str, action: Action) -> Recipient {
    Recipient {
        original: None,
        address: Some(address.to_owned()),
        action,
        status: None,
        diagnostic: String::new(),
    }
}

/// What a line says of the addresses that follow it, where a text has a list for each fate. A list of errors in a notice
/// that goes on trying is one of those that are tried.
fn heading(line: &str, overall: Action) -> Option<Action> {
    let lower = prefix(line, LONGEST_REASON).to_lowercase();
    if !lower.contains("following") || !lower.contains("address") && !lower.contains("recipient") {
        return None;
    }
    match Wording::of("", &lower) {
        Wording::Silent => None,
        Wording::Failed => Some(overall),
        wording => Some(wording.action()),
    }
}

/// Gives each candidate the lines up to where another address is named as its reason.
fn explain(found: &mut [Candidate], lines: &[&str]) {
    for index in (0..found.len()).rev() {
        let (candidate, later) = found[index..].split_first_mut().expect("the index is inside");
        let next =
            later.iter().take(LONGEST_RUN).find(|other| !is_same(&other.recipient, &candidate.recipient));
        let end = next
            .map_or(lines.len(), |other| other.line)
            .clamp(candidate.line + 1, candidate.line + LONGEST_RUN);
        let text = reason(
            &lines[candidate.line..end.min(lines.len())],
            candidate.recipient.address.as_deref().unwrap_or_default(),
        );
        candidate.recipient.status = phrases::refusal_in(&text);
        candidate.recipient.diagnostic = phrases::shown(&text);
    }
}

/// What stands behind the address and in the lines below it, up to a blank line that ends the words.
fn reason(lines: &[&str], address: &str) -> String {
    let Some((first, rest)) = lines.split_first() else { return String::new() };
    let behind = first.find(address).map_or(*first, |at| &first[at + address.len()..]);
    let mut text = behind.trim_matches(['>', ':', ' ', '"', '\'', ')', '\t']).to_owned();
    for line in rest {
        if line.trim().is_empty() || line.trim().starts_with("--") {
            if text.is_empty() { continue } else { break }
        }
        text.push(' ');
        text.push_str(line.trim());
    }
    text.trim().to_owned()
}

fn rank(lines: &[&str], number: usize, address: &Found<'_>, signs: &Signs) -> Option<Rank> {
    let line = lines[number];
    let label = line.trim_start().split(':').next().unwrap_or_default().trim().to_lowercase();
    if matches!(label.as_str(), "from" | "sender" | "reply-to" | "return-path" | "message-id" | "x-sender") {
        return None;
    }
    let leads = line[..address.start]
        .trim_matches(['<', '"', '\'', '*', '-', '>', '|', '(', '[', '•', ' ', '\t'])
        .is_empty();
    let is_own = signs.own.iter().any(|own| own.eq_ignore_ascii_case(address.text));
    if is_own || !leads && signs::is_keeper(address.text) {
        return Some(Rank::Bystander);
    }
    if matches!(label.as_str(), "to" | "cc" | "bcc" | "subject" | "an" | "à" | "a" | "para" | "宛先") {
        return Some(Rank::Told);
    }
    let meant =
        leads || is_labelled(&line[..address.start]) || gives_reason(line) || follows_colon(lines, number);
    Some(if meant || next_gives_reason(lines, number) { Rank::Meant } else { Rank::Mentioned })
}

fn is_labelled(before: &str) -> bool {
    let before = before.to_lowercase();
    ["recipient", "rcpt", "address", "mailbox", "user", "deliver", "empfänger", "destinat", "получател"]
        .into_iter()
        .any(|word| before.contains(word))
}

fn gives_reason(line: &str) -> bool {
    let line = prefix(line, LONGEST_REASON);
    phrases::has_code(line) || Wording::of("", line) != Wording::Silent
}

fn follows_colon(lines: &[&str], number: usize) -> bool {
    let before = lines[..number].iter().rev().take(4).find(|line| !line.trim().is_empty());
    before.is_some_and(|line| line.trim_end().ends_with([':', '：']))
}

fn next_gives_reason(lines: &[&str], number: usize) -> bool {
    lines[number + 1..]
        .iter()
        .take(3)
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| gives_reason(line))
}

/// An address in a line.
struct Found<'l> {
    text: &'l str,
    start: usize,
}

/// So many addresses of one line are looked at, and so long may one be.
const MOST_IN_LINE: usize = 50;
const LONGEST_ADDRESS: usize = 320;

fn addresses(line: &str) -> Vec<Found<'_>> {
    let mut found: Vec<Found<'_>> = Vec::new();
    let mut free_from = 0;
    for at in memchr::memchr_iter(b'@', line.as_bytes()) {
        if found.len() == MOST_IN_LINE || at < free_from {
            continue;
        }
        if let Some(address) = address_around(line, at, free_from) {
            free_from = address.start + address.text.len();
            found.push(address);
        }
    }
    found
}

/// The address around an `@`; nothing for what stands in a link or an id.
fn address_around(line: &str, at: usize, free_from: usize) -> Option<Found<'_>> {
    let floor = line.ceil_char_boundary(at.saturating_sub(LONGEST_ADDRESS).max(free_from));
    let start = local_start(&line[floor..at])? + floor;
    let after = &line[at + 1..];
    let domain = after.len()
        - after.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_')).len();
    let domain = after[..domain.min(LONGEST_ADDRESS)].trim_end_matches(['.', '-', '_']).len();
    let text = line.get(start..at + 1 + domain)?;
    (domain > 0 && start < at && !text.contains("//")).then_some(Found { text, start })
}

fn local_start(before: &str) -> Option<usize> {
    if let Some(quoted) = before.strip_suffix('"') {
        return quoted.rfind('"');
    }
    let is_local = |c: char| c.is_alphanumeric() || "!#$%&*+/=?^_`{|}~.-'".contains(c);
    let local = before
        .rfind(|c: char| !is_local(c))
        .map_or(before, |end| &before[before.ceil_char_boundary(end + 1)..]);
    let local = LABELS.iter().find_map(|label| without_label(local, label)).unwrap_or(local);
    Some(before.len() - local.trim_start_matches(['\'', '`', '.', '*', '=', '/', '|', '-']).len())
}

/// What some systems write before an address without a blank.
const LABELS: [&str; 3] = ["smtp=", "rfc822=", "to="];

fn without_label<'l>(local: &'l str, label: &str) -> Option<&'l str> {
    let (start, rest) = local.split_at_checked(label.len())?;
    start.eq_ignore_ascii_case(label).then_some(rest)
}
