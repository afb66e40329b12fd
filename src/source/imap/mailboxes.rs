//! Which mailboxes there are, and what has changed in one since we last looked. What a server says is taken for all
//! there is only where it adds up: a list that lacks something takes nothing away.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Flags, GONE_MAILBOX, GONE_NAMESAKE, UidSet};
use crate::source::SourceError;
use crate::source::imap::{Changes, ImapSource, flags};
use crate::text_safety::{brief, one_line};
use crate::wire::WireError;
use crate::wire::imap::{Fetched, Listed, MailboxStatus, Response, When};

/// A mailbox on the server.
#[derive(Debug, Clone)]
pub struct Remote {
    /// Its name as the server writes it.
    pub wire_name: String,
    /// Its name for people, levels separated by `/`.
    pub name: String,
    /// What it is for, where the server says so.
    pub role: Option<&'static str>,
    /// Its state, where the server told it.
    pub status: Option<MailboxStatus>,
}

/// The mailboxes on the server.
#[derive(Debug, Clone, Default)]
pub struct Remotes {
    /// Those that can be opened.
    pub mailboxes: Vec<Remote>,
    /// Names that were listed and cannot be mailboxes here, and why.
    pub problems: Vec<String>,
}

/// The messages of a mailbox.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Those that could be read, by uid.
    pub seen: Vec<FlagState>,
    /// Whether they are as many as the server says there are.
    pub is_whole: bool,
}

impl Listing {
    /// The messages, when nothing of the list was lost.
    fn whole(self) -> Option<Vec<FlagState>> {
        self.is_whole.then_some(self.seen)
    }
}

/// Where we stopped in a mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The server's UIDVALIDITY.
    pub uidvalidity: u32,
    /// The server's HIGHESTMODSEQ.
    pub modseq: Option<u64>,
}

/// A message in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagState {
    /// Its uid.
    pub uid: u32,
    /// Its flags.
    pub flags: Flags,
    /// Its keywords or labels.
    pub labels: Vec<String>,
}

/// A mailbox that was opened.
#[derive(Debug, Clone, Default)]
pub struct Opened {
    /// UIDVALIDITY.
    pub uidvalidity: u32,
    /// UIDNEXT.
    pub next_uid: u32,
    /// How many messages it has.
    pub exists: u32,
    /// HIGHESTMODSEQ, where the server has one.
    pub modseq: Option<u64>,
    /// What is new or has other flags since the cursor; `None` when only a full listing can tell.
    pub changed: Option<Vec<FlagState>>,
    /// What has gone since the cursor, where the server tells.
    pub vanished: UidSet,
}

const STATUS_ITEMS: &str = "MESSAGES UIDNEXT UIDVALIDITY";
/// The longest name of a mailbox, in bytes.
const LONGEST_NAME: usize = 1000;
/// How many messages may be listed beyond those that were announced, because mail keeps coming.
const NEWCOMERS: usize = 100_000;
/// How often a list that lacks something is asked for.
const LISTINGS: u32 = 2;

impl ImapSource {
    /// All mailboxes that can be opened, with their state: one round trip where the server can do that. The state of
    /// those that `will_be_opened` is not asked for.
    pub fn mailboxes(&mut self, will_be_opened: &BTreeSet<String>) -> Result<Remotes, SourceError> {
        let (mut listed, mut states, mut garbled) = (Vec::new(), Vec::new(), 0);
        let items = self.status_items();
        let at_once = self.client.can("LIST-STATUS") && will_be_opened.is_empty();
        let command = match (at_once, self.client.can("SPECIAL-USE")) {
            (true, true) => format!("LIST \"\" \"*\" RETURN (SPECIAL-USE STATUS ({items}))"),
            (true, false) => format!("LIST \"\" \"*\" RETURN (STATUS ({items}))"),
            (false, true) if self.client.can("LIST-EXTENDED") => {
                "LIST \"\" \"*\" RETURN (SPECIAL-USE)".to_owned()
            }
            _ => "LIST \"\" \"*\"".to_owned(),
        };
        self.client.run(&command, |response| match response {
            Response::List(mailbox) => listed.push(mailbox),
            Response::MailboxStatus(status) => states.push(status),
            Response::Garbled => garbled += 1,
            _ => {}
        })?;
        let mut problems = unlisted(&listed, &states);
        if garbled > 0 {
            problems.push(format!("{garbled} lines of the server's list of mailboxes cannot be read"));
        }
        listed.retain(|mailbox: &Listed| {
            !mailbox.attributes.iter().any(|a| a == "\\noselect" || a == "\\nonexistent")
        });
        problems.extend(drop_impossible(&mut listed));
        if !listed.iter().any(|mailbox| mailbox.wire_name.eq_ignore_ascii_case("inbox")) {
            return Err(self.protocol_error("its list of mailboxes has no INBOX"));
        }
        if !at_once {
            let unopened = listed.iter().filter(|mailbox| !will_be_opened.contains(&mailbox.wire_name));
            states = self.ask_states(&unopened.collect::<Vec<_>>())?;
        }
        Ok(Remotes { mailboxes: in_order(listed, states), problems })
    }

    /// Whether the server has a mailbox that its list left out; only a clear no counts as one.
    pub fn has_mailbox(&mut self, wire_name: &str) -> Result<bool, SourceError> {
        match self.message_count(wire_name) {
            Ok(_) => Ok(true),
            Err(SourceError::Wire(WireError::Refused { temporary: false, .. })) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// How many messages a mailbox has; `None` when the server does not say.
    pub fn message_count(&mut self, wire_name: &str) -> Result<Option<u32>, SourceError> {
        let mut count = None;
        self.client.run(&format!("STATUS {} (MESSAGES)", quoted(wire_name)), |response| match response {
            Response::MailboxStatus(status) if known_as(&status.wire_name) == known_as(wire_name) => {
                count = status.messages
            }
            _ => {}
        })?;
        Ok(count)
    }

    fn status_items(&self) -> String {
        let modseq = if self.capabilities.changes == Changes::None { "" } else { " HIGHESTMODSEQ" };
        format!("{STATUS_ITEMS}{modseq}")
    }

    /// Asks for the state of each mailbox, all at once; a refusal is no answer.
    fn ask_states(&mut self, listed: &[&Listed]) -> Result<Vec<MailboxStatus>, SourceError> {
        let items = self.status_items();
        let mut states = Vec::new();
        for group in listed.chunks(50) {
            let mut last = 0;
            for mailbox in group {
                last = self.client.send(&format!("STATUS {} ({items})", quoted(&mailbox.wire_name)))?;
            }
            loop {
                match self.client.read()? {
                    Response::Done(tag, ..) if tag == last => break,
                    Response::MailboxStatus(status) => states.push(status),
                    _ => {}
                }
            }
        }
        Ok(states)
    }

    /// Opens a mailbox for reading, and asks what has changed since the cursor where the server can tell.
    pub fn examine(&mut self, wire_name: &str, since: Option<Cursor>) -> Result<Opened, SourceError> {
        let modseq = since.and_then(|cursor| Some((cursor.uidvalidity, cursor.modseq?)));
        let parameter = match (self.capabilities.changes, modseq) {
            (Changes::QResync, Some((uidvalidity, modseq))) => format!(" (QRESYNC ({uidvalidity} {modseq}))"),
            (Changes::CondStore, _) => " (CONDSTORE)".to_owned(),
            _ => String::new(),
        };
        let mut opened = Opened::default();
        let (mut changed, mut garbled) = (BTreeMap::new(), false);
        self.open = None;
        self.client.forget_exists();
        self.client.run(&format!("EXAMINE {}{parameter}", quoted(wire_name)), |response| match response {
            Response::Fetch(message) => garbled |= !keep_seen(&mut changed, *message, NEWCOMERS),
            Response::Garbled => garbled = true,
            other => take_in(&mut opened, other),
        })?;
        opened.exists = self.client.exists().ok_or_else(|| {
            SourceError::incomplete("the server does not say how many messages it has".to_owned())
        })?;
        if opened.uidvalidity == 0 {
            return Err(SourceError::incomplete(
                "the server does not say what its uids belong to (UIDVALIDITY)",
            ));
        }
        self.open = Some((wire_name.to_owned(), opened.uidvalidity));
        let is_comparable = |(uidvalidity, before): &(u32, u64)| {
            *uidvalidity == opened.uidvalidity && opened.modseq.is_some_and(|modseq| modseq >= *before)
        };
        if let Some((_, modseq)) = modseq.filter(is_comparable) {
            opened.changed = match self.capabilities.changes {
                Changes::QResync if garbled || changed.len() > NEWCOMERS => None,
                Changes::QResync if !self.capabilities.gmail => Some(changed.into_values().collect()),
                Changes::None => None,
                _ => self.listing(&format!(" (CHANGEDSINCE {modseq})"))?.whole(),
            };
        }
        Ok(opened)
    }

    /// Makes sure that a mailbox is open, and still the one it was.
    pub fn reopen(&mut self, wire_name: &str, uidvalidity: u32) -> Result<(), SourceError> {
        if self.open.as_ref().is_some_and(|(name, valid)| name == wire_name && *valid == uidvalidity) {
            return Ok(());
        }
        let opened = self.examine(wire_name, None)?;
        if opened.uidvalidity == uidvalidity {
            return Ok(());
        }
        Err(self.protocol_error(format!("`{wire_name}` got new uids while it was read")))
    }

    /// All messages of the open mailbox, with their flags. A list that lacks something is asked for once more.
    pub fn list_all(&mut self, opened: &Opened) -> Result<Listing, SourceError> {
        let mut listing = Listing::default();
        for _ in 0..LISTINGS {
            let before = self.client.exists();
            let seen = match before {
                // Some servers take it amiss when the messages of an empty mailbox are asked for.
                Some(0) if self.uids()?.is_some() => Vec::new(),
                _ => self.listing("")?.seen,
            };
            let count = u32::try_from(seen.len()).ok();
            let adds_up = count.is_some() && (count == before || count == self.client.exists());
            let is_whole = adds_up && self.are_given(&seen, opened);
            listing = Listing { seen, is_whole };
            if is_whole {
                break;
            }
        }
        Ok(listing)
    }

    /// Whether no more uids are listed than were given: those below UIDNEXT, and one for each message that came since.
    fn are_given(&self, seen: &[FlagState], opened: &Opened) -> bool {
        let newcomers = seen.iter().filter(|seen| opened.next_uid > 0 && seen.uid >= opened.next_uid);
        newcomers.count() <= self.client.arrived() as usize
    }

    /// What the server lists; whole when every line of it could be read.
    fn listing(&mut self, modifier: &str) -> Result<Listing, SourceError> {
        let items = if self.capabilities.gmail { "(FLAGS X-GM-LABELS)" } else { "(FLAGS)" };
        let most = self.client.exists().unwrap_or(0) as usize + NEWCOMERS;
        let (mut all, mut garbled) = (BTreeMap::new(), false);
        self.client.run(&format!("UID FETCH 1:* {items}{modifier}"), |response| match response {
            Response::Fetch(message) => garbled |= !keep_seen(&mut all, *message, most),
            Response::Garbled => garbled = true,
            _ => {}
        })?;
        if all.len() > most {
            return Err(self.protocol_error("it lists more messages than it says there are"));
        }
        Ok(Listing { seen: all.into_values().collect(), is_whole: !garbled })
    }

    /// The uids of all messages of the open mailbox; `None` when they are not as many as the server says there are.
    pub fn uids(&mut self) -> Result<Option<UidSet>, SourceError> {
        let returned = if self.client.can("ESEARCH") { "RETURN (ALL) " } else { "" };
        let before = self.client.exists();
        let mut found = UidSet::default();
        self.client.run(&format!("UID SEARCH {returned}ALL"), |response| {
            if let Response::Search(uids) = response {
                found.extend(uids);
            }
        })?;
        let count = u32::try_from(found.count()).ok();
        let adds_up = count.is_some() && (count == before || count == self.client.exists());
        Ok(adds_up.then_some(found))
    }

    /// Whether something can be done without the connection being lost: a refusal is told apart from a failure.
    #[must_use]
    pub fn is_refusal(error: &SourceError) -> bool {
        matches!(error, SourceError::Wire(WireError::Refused { .. }) | SourceError::Incomplete { .. })
    }
}

/// The facts of a message, when the server told its uid and flags.
fn seen(message: Fetched) -> Option<FlagState> {
    let (flags, mut labels) = flags::split(&message.flags?);
    labels.extend(flags::gmail_labels(message.gmail_labels.unwrap_or_default()));
    Some(FlagState { uid: message.uid?, flags, labels })
}

/// Takes a message into a list, up to one more than it may hold; says whether it could be read.
fn keep_seen(all: &mut BTreeMap<u32, FlagState>, message: Fetched, most: usize) -> bool {
    let Some(seen) = seen(message) else { return false };
    if all.len() <= most {
        all.insert(seen.uid, seen);
    }
    true
}

fn take_in(opened: &mut Opened, response: Response) {
    match response {
        Response::Vanished(When::Earlier, uids) => opened.vanished.extend(uids),
        Response::Status(_, code, _) => match code.name.as_str() {
            "UIDVALIDITY" => opened.uidvalidity = code.argument.parse().unwrap_or(0),
            "UIDNEXT" => opened.next_uid = code.argument.parse().unwrap_or(0),
            "HIGHESTMODSEQ" => opened.modseq = code.argument.parse().ok().filter(|modseq| *modseq > 0),
            "NOMODSEQ" => opened.modseq = None,
            _ => {}
        },
        _ => {}
    }
}

/// Mailboxes whose state is told and that are not listed.
fn unlisted(listed: &[Listed], states: &[MailboxStatus]) -> Vec<String> {
    let names: BTreeSet<String> = listed.iter().map(|mailbox| known_as(&mailbox.wire_name)).collect();
    let unlisted = states.iter().filter(|status| !names.contains(&known_as(&status.wire_name)));
    let problem = |name: &str| format!("the server's list leaves out the mailbox `{name}`, which it has");
    unlisted.map(|status| problem(&brief(&one_line(&status.wire_name), 60))).collect()
}

/// A name by which two spellings of INBOX are the same.
fn known_as(wire_name: &str) -> String {
    if wire_name.eq_ignore_ascii_case("inbox") { "INBOX".to_owned() } else { wire_name.to_owned() }
}

/// Drops names that no mailbox here can have, and those that are listed twice; says which and why.
fn drop_impossible(listed: &mut Vec<Listed>) -> Vec<String> {
    let (mut remotes, mut names, mut problems) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    listed.retain(|mailbox| {
        if !remotes.insert(mailbox.wire_name.clone()) {
            return false;
        }
        let problem = if mailbox.name.is_empty() || mailbox.wire_name.len() > LONGEST_NAME {
            "its name is no name"
        } else if mailbox.wire_name.chars().chain(mailbox.name.chars()).any(char::is_control) {
            "its name holds control characters"
        } else if !names.insert(name(mailbox)) {
            "another mailbox has the same name here"
        } else {
            return true;
        };
        problems.push(format!("mailbox `{}` is left out: {problem}", brief(&one_line(&mailbox.name), 60)));
        false
    });
    problems
}

/// A name as an argument of a command.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// INBOX first, what nobody misses last.
fn in_order(listed: Vec<Listed>, mut states: Vec<MailboxStatus>) -> Vec<Remote> {
    let mut remotes: Vec<Remote> = listed
        .into_iter()
        .map(|mailbox| {
            let place = states.iter().position(|status| status.wire_name == mailbox.wire_name);
            Remote {
                name: name(&mailbox),
                role: role(&mailbox.attributes),
                status: place.map(|place| states.swap_remove(place)),
                wire_name: mailbox.wire_name,
            }
        })
        .collect();
    remotes.sort_by_key(|remote| match (remote.name.as_str(), remote.role) {
        ("INBOX", _) => 0,
        (_, None | Some("sent" | "drafts")) => 1,
        (_, Some("archive")) => 2,
        _ => 3,
    });
    remotes
}

/// Levels are separated by `/` here. A `/` inside a level becomes a look-alike, so that names stay different.
fn name(mailbox: &Listed) -> String {
    if mailbox.name.eq_ignore_ascii_case("inbox") {
        return "INBOX".to_owned();
    }
    if mailbox.name == GONE_MAILBOX {
        // That name is taken here, by what no server shows any more.
        return GONE_NAMESAKE.to_owned();
    }
    match mailbox.separator {
        None | Some('/') => mailbox.name.clone(),
        Some(separator) => mailbox.name.replace('/', "\u{2215}").replace(separator, "/"),
    }
}

fn role(attributes: &[String]) -> Option<&'static str> {
    attributes.iter().find_map(|attribute| {
        Some(match attribute.as_str() {
            "\\sent" => "sent",
            "\\drafts" => "drafts",
            "\\trash" => "trash",
            "\\junk" => "spam",
            "\\archive" | "\\all" => "archive",
            _ => return None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{in_order, name, quoted, role};
    use crate::wire::imap::Listed;

    fn listed(name: &str, separator: char, attributes: &[&str]) -> Listed {
        Listed {
            attributes: attributes.iter().map(|&a| a.to_owned()).collect(),
            separator: Some(separator),
            wire_name: name.to_owned(),
            name: name.to_owned(),
        }
    }

    #[test]
    fn levels_are_separated_alike_everywhere() {
        assert_eq!(name(&listed("Lists.rust", '.', &[])), "Lists/rust");
        assert_eq!(name(&listed("a/b.c", '.', &[])), "a\u{2215}b/c");
        assert_eq!(name(&listed("inbox", '/', &[])), "INBOX");
        assert_eq!(role(&["\\hasnochildren".to_owned(), "\\junk".to_owned()]), Some("spam"));
        assert_eq!(quoted(r#"a"b\c"#), r#""a\"b\\c""#);
    }

    #[test]
    fn the_inbox_comes_first_and_rubbish_last() {
        let all = vec![
            listed("Junk", '/', &["\\junk"]),
            listed("All", '/', &["\\all"]),
            listed("Work", '/', &[]),
            listed("INBOX", '/', &[]),
        ];

        let names: Vec<_> = in_order(all, Vec::new()).into_iter().map(|remote| remote.name).collect();

        assert_eq!(names, ["INBOX", "Work", "All", "Junk"]);
    }
}
