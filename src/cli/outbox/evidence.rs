//! What the archive knows about an item, as the terminal tells it: a few words behind each recipient, a line for each
//! thing to be careful about.

use serde_json::{Value, json};

use crate::audit::CallLog;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, counted_are};
use crate::cli::local_time::local_time;
use crate::clock::Clock;
use crate::outbox::evidence::{Evidence, Likeness, LookAlike, ReadBefore, Recipient, Sources, Thread};
use crate::outbox::revisions::{self, DiffLine, LineChange, RevisionDiff};
use crate::query::{Archive, iso_date};
use crate::store::{Item, Reader};
use crate::text_safety::plain_line;

/// How many strangers are named.
const STRANGERS: usize = 5;

/// Gathers it.
pub(super) fn of(item: &Item, archive: &mut Archive, context: &Context) -> Result<Evidence, Failure> {
    let reader = Reader::open(&context.home.store())?;
    let calls = CallLog::at(context.home.calls());
    // What cannot be searched for is a fact less.
    let mut mentions = |address: &str| archive.mentions(address).ok().flatten();
    let now = context.clock.now().as_second();
    Ok(Evidence::of(&mut Sources { reader: &reader, calls: &calls, mentions: &mut mentions, now }, item)?)
}

/// The same for scripts; times as everywhere.
pub(super) fn json(evidence: &Evidence) -> Value {
    let mut value = json!(evidence);
    with_dates(&mut value);
    value
}

fn with_dates(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_i64().filter(|_| matches!(name.as_str(), "at" | "last")) {
                    Some(epoch) => *value = json!(iso_date(epoch)),
                    None => with_dates(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(with_dates),
        _ => {}
    }
}

/// Who a recipient is to the owner.
pub(super) fn history(it: &Recipient, clock: &Clock) -> String {
    let last = it.last.map(|last| local_time(&iso_date(last), clock));
    match last {
        _ if !it.is_examined => "[not looked up]".to_owned(),
        _ if it.is_own => "[your own address]".to_owned(),
        Some(last) => {
            let first = if it.is_first_contact { ", you never wrote to it" } else { "" };
            format!("[{} from them, {} to them, last {last}{first}]", it.from_them, it.to_them)
        }
        None => "[new: no mail from or to this address]".to_owned(),
    }
}

/// What to be careful about, a line each.
pub(super) fn warnings(evidence: &Evidence, clock: &Clock) -> Vec<String> {
    let mut lines: Vec<String> = evidence.recipients.all().flat_map(|it| of_recipient(it, clock)).collect();
    lines.extend(evidence.thread.iter().flat_map(|thread| of_thread(thread, clock)));
    lines.extend(
        evidence.says_attached.iter().map(|line| format!("nothing is attached, and the text says `{line}`")),
    );
    if evidence.unseen > 0 {
        let many = counted(evidence.unseen, "character");
        lines.push(format!("it takes along {many} that nobody can see, and that are left out here"));
    }
    lines
}

fn of_recipient(it: &Recipient, clock: &Clock) -> Vec<String> {
    let at = |epoch: i64| local_time(&iso_date(epoch), clock);
    let address = &it.address;
    let alike = it.look_alike.iter().map(|known| format!("`{address}` {}", likeness(known)));
    let seen = it.only_seen_in.iter().map(|seen| match seen.messages {
        1 => format!("`{address}` was seen only inside message {}", seen.message),
        more => format!("`{address}` was only seen inside {more} messages, the newest is {}", seen.message),
    });
    let bounced = it.bounced.iter().map(|bounce| {
        let detail = bounce.detail.as_deref().map(|it| format!(": {it}")).unwrap_or_default();
        format!("`{address}` did not get what you sent before ({}){detail}", at(bounce.at))
    });
    let away = it
        .auto_reply
        .iter()
        .map(|reply| format!("`{address}` answered by a program on {}: {}", at(reply.at), reply.subject));
    alike.chain(seen).chain(bounced).chain(away).collect()
}

fn likeness(known: &LookAlike) -> String {
    let whom = if known.name.is_empty() {
        format!("`{}`", known.address)
    } else {
        format!("{} <{}>", known.name, known.address)
    };
    match known.likeness {
        Likeness::SameLook => format!("only looks like {whom}, whom you know: its letters are others"),
        Likeness::OneLetter => format!("is one letter away from {whom}, whom you know"),
        Likeness::OtherEnding => format!("ends otherwise than {whom}, whom you know"),
        Likeness::Domain => format!("is at a domain that looks like that of {whom}, whom you know"),
        Likeness::SameName => format!("has the name of somebody you know at another address, {whom}"),
    }
}

fn of_thread(thread: &Thread, clock: &Clock) -> Vec<String> {
    let at = |epoch: i64| local_time(&iso_date(epoch), clock);
    let mut lines = Vec::new();
    if let Some(newest) = thread.newest.first() {
        let more = if thread.is_more { "at least " } else { "" };
        let newer = counted_are(thread.newer as u64, "message");
        lines.push(format!(
            "{more}{newer} newer in the thread, the last from `{}`, {}",
            newest.from,
            at(newest.at)
        ));
    }
    if let Some(own) = &thread.answered_by_owner {
        lines.push(format!("you wrote in the thread since, {}: {}", at(own.at), own.subject));
    }
    lines.extend(
        thread.other_answers.iter().map(|it| format!("another answer to it is {}: {}", it.state, it.id)),
    );
    lines
}

/// What assistants read in the day before, strangers first: what they read may have asked for this.
pub(super) fn read_before(read: &ReadBefore) -> Option<String> {
    if read.is_unknown {
        return Some("unknown: the log of what assistants read cannot be read".to_owned());
    }
    if read.total == 0 {
        return None;
    }
    let strangers = read.messages.iter().filter(|it| it.is_stranger);
    let named: Vec<_> =
        strangers.take(STRANGERS).map(|it| format!("`{}` ({})", it.from, it.message)).collect();
    let named = match read.strangers {
        0 => "none from strangers".to_owned(),
        some => format!("{some} from strangers: {}", named.join(", ")),
    };
    Some(format!("{}, {named}", counted(read.total, "message")))
}

/// What is different from what the person saw last, in lines.
pub(super) fn changes(item: &Item, context: &Context) -> Result<Vec<String>, Failure> {
    let reader = Reader::open(&context.home.store())?;
    let diff = revisions::since_last_seen(&reader, item)?;
    Ok(diff.map(|diff| told(&diff, "you saw")).unwrap_or_default())
}

/// What the owner changed, in lines.
pub(super) fn by_owner(diff: &RevisionDiff) -> Vec<String> {
    told(diff, "it was proposed as")
}

fn told(diff: &RevisionDiff, what: &str) -> Vec<String> {
    let mut lines = vec![format!("Changed since {what} revision {}:", diff.from_revision)];
    for change in &diff.fields {
        lines.push(plain_line(&format!(
            "  {}: `{}` instead of `{}`",
            change.field, change.after, change.before
        )));
    }
    for list in &diff.lists {
        lines.extend(list.added.iter().map(|it| plain_line(&format!("  {}: + {it}", list.field))));
        lines.extend(list.removed.iter().map(|it| plain_line(&format!("  {}: - {it}", list.field))));
    }
    lines.extend(diff.body.iter().map(|line| plain_line(&margin(line))));
    if diff.more_lines > 0 {
        lines.push(format!("  {} more", counted(diff.more_lines, "line")));
    }
    if diff.html_changed {
        lines.push("  the HTML is another".to_owned());
    }
    lines
}

/// A line of a text, so marked that it cannot pass for one of ours.
fn margin(line: &DiffLine) -> String {
    let text: String = line.pieces.iter().map(|piece| piece.text.as_str()).collect();
    match line.change {
        LineChange::Same => format!("  |   {text}"),
        LineChange::Added => format!("  | + {text}"),
        LineChange::Removed => format!("  | - {text}"),
        LineChange::Skipped => format!("  ~ {text} lines are the same"),
    }
}
