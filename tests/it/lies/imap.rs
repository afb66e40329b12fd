//! An IMAP server lies in one answer, in every way that can be thought of: on the very first sync, on a later one with
//! and without news, and after all uids have changed; with and without CONDSTORE and QRESYNC. Then it is honest again.
//!
//! `MAILKEEP_TEST_LIE` runs only the lies whose names hold these words, and says how each ended.

use std::collections::{BTreeMap, BTreeSet};

use mailkeep::model::{AccountSettings, ContentHash, Endpoint, SecretStore, ShortId, SignIn, Tls, Via};
use mailkeep::secret::Secret;
use mailkeep::store::Store;
use serde_json::Value;

use super::imap_lies::{Seen, Told, about};
use crate::world::lying_imap::{Folder, Folders, Kind, LyingImap, Mode};
use crate::world::mail::{Mail, with_crlf};
use crate::world::{World, list, read_json};

/// Accounts of one machine: as many lies are told at the same time.
const AT_ONCE: usize = 100;

/// What happened before the lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Nothing was ever synced.
    First,
    /// There is news.
    Later,
    /// There is none.
    Quiet,
    /// Everything has new uids.
    Renumbered,
}

/// One lie to one account.
struct Case {
    told: Told,
    name: String,
    address: String,
    /// Messages that were stored before the lie.
    before: BTreeSet<String>,
    /// Messages that the server has taken away, in truth.
    expunged: BTreeSet<String>,
}

/// What is found of a message.
struct Found {
    mailbox: String,
    is_gone: bool,
}

fn letter(address: &str, name: &str) -> Vec<u8> {
    let mail =
        Mail::new(&format!("Letter {name}")).with("To", address).body(&format!("A letter to {address}."));
    with_crlf(&mail.with("Message-ID", &format!("<{name}.{address}>")).bytes())
}

fn folders(address: &str) -> Folders {
    // As many mailboxes as make a first sync use more than one connection.
    let empty =
        ["Empty", "Empty/a", "Empty/b", "Empty/c", "Empty/d"].map(|name| (name.to_owned(), Folder::new("")));
    let mut folders = Folders::from(empty);
    for (name, role, count) in
        [("INBOX", "", 5), ("Work", "", 3), ("Sent", "\\Sent", 1), ("Lists/rust", "", 1)]
    {
        let mut folder = Folder::new(role);
        for number in 0..count {
            folder.add(&letter(address, &format!("{name}-{number}").replace('/', "-")), "\\Seen");
        }
        folders.insert(name.to_owned(), folder);
    }
    folders
}

fn id(bytes: &[u8]) -> String {
    ShortId::of(&ContentHash::of_message(bytes)).to_string()
}

/// The mailbox of each message that the server has, in truth.
fn truth(folders: &Folders) -> BTreeMap<String, String> {
    let all = folders.iter().flat_map(|(name, folder)| folder.letters.values().map(move |one| (name, one)));
    all.map(|(name, letter)| (id(&letter.bytes), name.clone())).collect()
}

fn machine(server: &LyingImap, cases: &[Case], mode: Mode) -> World {
    let world = World::new();
    let mut store = Store::open(&world.home().join("mail.db")).unwrap();
    let secrets = mailkeep::account::Secrets::at(world.home().join("secrets"), SecretStore::File);
    let batch = store.begin().unwrap();
    for case in cases {
        let settings = AccountSettings {
            via: Via::Imap,
            user: case.address.clone(),
            sign_in: SignIn::Password,
            imap: Some(Endpoint { host: "127.0.0.1".to_owned(), port: server.port, tls: Tls::None }),
            smtp: None,
        };
        batch.set_account(&case.address, &settings, 0).unwrap();
        secrets.set(&case.address, &Secret::new("password".to_owned())).unwrap();
        server.add(&case.address, mode, folders(&case.address));
    }
    batch.commit().unwrap();
    world
}

/// What each account's sync says, by address, and whether it ended well.
fn sync(world: &World) -> (BTreeMap<String, Value>, bool) {
    let output = world.sync_command(&["--tries", "1", "--timeout", "20"]).output().unwrap();
    let reports = read_json(&output)["accounts"].as_array().unwrap_or_else(|| panic!("{output:?}")).clone();
    let by_address =
        reports.into_iter().map(|report| (report["address"].as_str().unwrap().to_owned(), report));
    (by_address.collect(), output.status.success())
}

/// Whether a report says that something is wrong.
fn is_told(report: &Value) -> bool {
    !report["error"].is_null() || !list(&report["problems"]).is_empty()
}

fn found(world: &World) -> BTreeMap<String, Found> {
    let answer = world.json(&["search", "--limit", "1000000", "letter"]);
    let results = list(&answer["results"]).iter().map(|item| {
        let mailbox = item["mailbox"].as_str().unwrap_or_default().to_owned();
        (item["id"].as_str().unwrap().to_owned(), Found { mailbox, is_gone: !item["gone"].is_null() })
    });
    results.collect()
}

/// What the server has and the store hides: not there, marked gone, or elsewhere.
fn hidden(truth: &BTreeMap<String, String>, found: &BTreeMap<String, Found>) -> Vec<String> {
    let wrong = |id: &str, mailbox: &str| match found.get(id) {
        None => Some("missing"),
        Some(found) if found.is_gone => Some("marked gone"),
        // A `/` inside a level is written as a look-alike.
        Some(found) if found.mailbox.replace('\u{2215}', "/") != mailbox => Some("elsewhere"),
        Some(_) => None,
    };
    truth.iter().filter_map(|(id, mailbox)| Some(format!("{} from {mailbox}", wrong(id, mailbox)?))).collect()
}

/// What happens on the server between the first sync and the lie.
fn happen(case: &mut Case, folders: &mut Folders, moment: Moment) {
    let address = case.address.clone();
    match moment {
        Moment::First | Moment::Quiet => {}
        Moment::Later => {
            let inbox = folders.get_mut("INBOX").unwrap();
            for name in ["new-1", "new-2", "new-3"] {
                inbox.add(&letter(&address, name), "");
            }
            inbox.flag(3, "\\Seen \\Flagged");
            case.expunged.insert(id(&inbox.letters[&4].bytes));
            inbox.expunge(4);
            folders.get_mut("Work").unwrap().add(&letter(&address, "new-4"), "");
        }
        Moment::Renumbered => {
            for folder in folders.values_mut() {
                folder.renumber();
            }
            folders.get_mut("INBOX").unwrap().add(&letter(&address, "new-5"), "");
        }
    }
}

/// Tells these lies, each to an account of its own; what went wrong.
fn tell(server: &LyingImap, cases: &mut [Case], mode: Mode, moment: Moment) -> Vec<String> {
    let world = machine(server, cases, mode);
    let mut wrong = Vec::new();
    if moment != Moment::First {
        let (reports, is_well) = sync(&world);
        assert!(is_well, "the honest server is synced");
        let known = found(&world);
        for case in cases.iter_mut() {
            let folders = &mut server.users().get_mut(&case.address).unwrap().folders.clone();
            let wrong = hidden(&truth(folders), &known);
            assert!(wrong.is_empty(), "{}: {wrong:?} after {}", case.name, reports[&case.address]);
            case.before = truth(folders).into_keys().collect();
            happen(case, folders, moment);
            server.users().get_mut(&case.address).unwrap().folders.clone_from(folders);
        }
    }
    for case in cases.iter() {
        server.users().get_mut(&case.address).unwrap().lie = Some(case.told.lie.clone());
    }
    let (reports, is_well) = sync(&world);
    if is_well && reports.values().any(is_told) {
        wrong.push("a problem was told, and the exit code is 0".to_owned());
    }
    let after_lie = found(&world);
    for case in cases.iter() {
        wrong.extend(after_the_lie(server, case, &reports[&case.address], &after_lie));
        server.users().get_mut(&case.address).unwrap().lie = None;
    }
    let (reports, _) = sync(&world);
    let after_truth = found(&world);
    for case in cases.iter() {
        wrong.extend(after_the_truth(server, case, &reports[&case.address], &after_truth));
    }
    wrong.extend(kept_bytes(server, cases, &world));
    wrong
}

/// What was stored before must still be there.
fn vanished(case: &Case, found: &BTreeMap<String, Found>) -> Option<String> {
    let lost = case.before.iter().filter(|id| !found.contains_key(*id)).count();
    (lost > 0).then(|| format!("{}: {lost} stored messages vanished", case.name))
}

fn after_the_lie(
    server: &LyingImap,
    case: &Case,
    report: &Value,
    found: &BTreeMap<String, Found>,
) -> Vec<String> {
    let name = &case.name;
    let mut wrong = Vec::new();
    wrong.extend(vanished(case, found));
    let hidden = hidden(&truth(&server.users()[&case.address].folders), found);
    if !hidden.is_empty() && !is_told(report) && case.told.is_seen_through() {
        wrong.push(format!("{name}: silent, and {}", hidden.join(", ")));
    }
    if std::env::var_os("MAILKEEP_TEST_LIE").is_some() {
        let told = server.users()[&case.address].told;
        crate::world::skipped(name, &format!("told {told} times, hidden {hidden:?}, {report}"));
    }
    wrong
}

fn after_the_truth(
    server: &LyingImap,
    case: &Case,
    report: &Value,
    found: &BTreeMap<String, Found>,
) -> Vec<String> {
    let name = &case.name;
    let mut wrong = Vec::new();
    if is_told(report) {
        wrong.push(format!("{name}: the honest server is said to be wrong: {report}"));
    }
    wrong.extend(vanished(case, found));
    let hidden = hidden(&truth(&server.users()[&case.address].folders), found);
    if !hidden.is_empty() && case.told.heals() {
        wrong.push(format!("{name}: the honest server is not believed: {}", hidden.join(", ")));
    }
    let unmarked =
        case.expunged.iter().filter(|id| found.get(*id).is_none_or(|found| !found.is_gone)).count();
    if unmarked > 0 {
        wrong.push(format!("{name}: what was expunged is not marked gone"));
    }
    wrong
}

/// Every byte that the server has must be here, whoever lied to whom.
fn kept_bytes(server: &LyingImap, cases: &[Case], world: &World) -> Vec<String> {
    let kept = world.hashes();
    let is_kept = |letter: &crate::world::lying_imap::truth::Letter| {
        kept.contains(&ContentHash::of(&letter.bytes).to_hex())
    };
    let users = server.users();
    let cases = cases.iter().filter(|case| case.told.heals());
    let lacking = cases.filter(|case| {
        !users[&case.address].folders.values().flat_map(|folder| folder.letters.values()).all(is_kept)
    });
    lacking.map(|case| format!("{}: bytes are not as they were", case.name)).collect()
}

fn all_lies(moment: Moment, kinds: &[Kind]) {
    let only = std::env::var("MAILKEEP_TEST_LIE").unwrap_or_default();
    let server = LyingImap::start();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for mode in Mode::ALL {
        let lies = kinds.iter().filter(|kind| is_asked(**kind, mode, moment)).flat_map(|kind| about(*kind));
        let mut cases: Vec<Case> =
            lies.enumerate().map(|(number, told)| case(number, told, (mode, moment))).collect();
        cases.retain(|case| case.name.contains(&only));
        for some in cases.chunks_mut(AT_ONCE) {
            wrong.extend(tell(&server, some, mode, moment));
            count += some.iter().filter(|case| server.users()[&case.address].told > 0).count();
        }
    }
    assert!(wrong.is_empty(), "{} things are wrong after {count} lies:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 150 || !only.is_empty(), "only {count} lies were told");
}

/// What a person reads of a sync that was lied to, and its exit code.
fn words(server: &LyingImap, lie: &str, mode: Mode) -> (String, Option<i32>) {
    let kinds = [Kind::List, Kind::Open, Kind::Listing, Kind::Bodies];
    let told = kinds.iter().flat_map(|kind| about(*kind)).find(|told| told.name == lie).unwrap();
    let case = case(0, told, (mode, Moment::First));
    let world = machine(server, std::slice::from_ref(&case), mode);
    server.users().get_mut(&case.address).unwrap().lie = Some(case.told.lie.clone());
    let output = world.command(&["sync", "--tries", "0", "--timeout", "20"]).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8(said).unwrap(), output.status.code())
}

#[test]
fn a_shortfall_is_told_in_words_and_by_the_exit_code() {
    let server = LyingImap::start();
    for lie in [
        "List: one line garbled",
        "Open: EXISTS one too high",
        "Open: EXISTS zero",
        "Open: EXISTS missing",
        "Listing: first half",
        "Listing: nothing",
        "Listing: one with uid 0",
        "Bodies: without the last",
        "Bodies: nothing",
        "Bodies: half and NO",
    ] {
        for mode in [Mode::Plain, Mode::QResync] {
            let (said, code) = words(&server, lie, mode);

            assert_eq!(code, Some(1), "{lie}, {mode:?}: {said}");
            assert!(lie.starts_with("List:") || said.contains("INBOX"), "{lie}, {mode:?}: {said}");
        }
    }
}

/// Whether such an answer is ever asked for.
fn is_asked(kind: Kind, mode: Mode, moment: Moment) -> bool {
    match kind {
        Kind::Enable => mode == Mode::QResync,
        Kind::Changes => mode == Mode::CondStore,
        Kind::Search => mode == Mode::QResync,
        Kind::Open if moment == Moment::Quiet => mode == Mode::Plain,
        Kind::Listing if moment == Moment::Quiet => mode == Mode::Plain,
        Kind::Listing if moment == Moment::Later => mode != Mode::QResync,
        _ => true,
    }
}

/// Mailboxes that are left out of a list before any of them is known: the same as if there were none.
const NEVER_LISTED: [&str; 5] = [
    "List: first half",
    "List: without the last",
    "List: only INBOX",
    "List: without Work",
    "List: only INBOX can be opened",
];

fn case(number: usize, mut told: Told, (mode, moment): (Mode, Moment)) -> Case {
    let without_state = mode != Mode::QResync && told.name == "List: state without Work";
    if moment == Moment::First && (NEVER_LISTED.contains(&told.name.as_str()) || without_state) {
        told.seen = Seen::AsTruth;
    }
    let name = format!("{moment:?}, {mode:?}, {}", told.name);
    let address = format!("{moment:?}-{mode:?}-{number}@lies.example").to_lowercase();
    Case { told, name, address, before: BTreeSet::new(), expunged: BTreeSet::new() }
}

#[test]
fn a_lie_on_the_first_sync_hides_nothing_in_silence() {
    all_lies(
        Moment::First,
        &[Kind::Enable, Kind::List, Kind::Status, Kind::Open, Kind::Listing, Kind::Bodies],
    );
}

#[test]
fn a_lie_while_there_is_news_takes_nothing_away() {
    all_lies(
        Moment::Later,
        &[
            Kind::List,
            Kind::Status,
            Kind::Open,
            Kind::Listing,
            Kind::Changes,
            Kind::Sizes,
            Kind::Search,
            Kind::Bodies,
        ],
    );
}

#[test]
fn a_lie_while_nothing_happens_takes_nothing_away() {
    all_lies(Moment::Quiet, &[Kind::List, Kind::Status, Kind::Open, Kind::Listing]);
}

#[test]
fn a_lie_after_all_uids_have_changed_takes_nothing_away() {
    all_lies(
        Moment::Renumbered,
        &[Kind::List, Kind::Open, Kind::Listing, Kind::Sizes, Kind::Beginnings, Kind::Bodies],
    );
}
