//! Mail in Gmail is brought in over its API: exactly, within the quota, and again after anything went wrong.

mod changes;
mod drafts;
mod faults;
mod first_fill;
mod histories;
mod kills;
mod lies;
mod pushes;
mod secrets;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Write;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use mailkeep::account::{Credentials, Secrets, Tokens};
use mailkeep::clock::Clock;
use mailkeep::home::Home;
use mailkeep::index::attachment_text::Extractor;
use mailkeep::model::{
    AccountKey, AccountSettings, Endpoint, GoneRule, IoLimits, OauthClient, OauthClients, SecretStore,
    SignIn, Via,
};
use mailkeep::secret::Secret;
use mailkeep::source::gmail::Quota;
use mailkeep::store::Store;
use mailkeep::sync::{AccountReport, GmailAccount, SyncAccount, SyncOptions, SyncProgress, sync};

use crate::world::gmail::GmailDouble;
use crate::world::mail::{Mail, with_crlf};
use crate::world::{ACCOUNT, World, identity};

/// A minute of Google's.
const MINUTE: Duration = Duration::from_millis(150);

/// A machine whose account is in the double.
pub(crate) struct Machine {
    pub(crate) world: World,
    address: &'static str,
    account: AccountKey,
    quota: Arc<Quota>,
    /// Where the first fill may go.
    imap: Option<Endpoint>,
}

/// What is here of a message, or should be: mailboxes, flags, labels, and the hash of its bytes.
type Mirror = BTreeMap<u64, (BTreeSet<String>, u8, BTreeSet<String>, String)>;

fn settings(address: &str) -> AccountSettings {
    AccountSettings {
        via: Via::Gmail,
        user: address.to_owned(),
        sign_in: SignIn::Google,
        imap: None,
        smtp: None,
    }
}

fn message(subject: &str) -> Vec<u8> {
    with_crlf(&Mail::new(subject).bytes())
}

impl Machine {
    fn new() -> Self {
        Self::of(World::new(), ACCOUNT)
    }

    /// Another account on a machine.
    pub(crate) fn of(world: World, address: &'static str) -> Self {
        let mut store = Store::open(&world.home().join("mail.db")).unwrap();
        let batch = store.begin().unwrap();
        let account = batch.set_account(address, &settings(address), 0).unwrap();
        batch.commit().unwrap();
        let machine =
            Self { world, address, account, quota: Arc::new(Quota::new(6_000, MINUTE)), imap: None };
        machine.sign_in();
        machine
    }

    /// The same, where IMAP can be spoken too.
    fn with_imap(self, imap: Endpoint) -> Self {
        let imap = Some(imap);
        let settings = AccountSettings { imap: imap.clone(), ..settings(self.address) };
        let mut store = Store::open(&self.world.home().join("mail.db")).unwrap();
        let batch = store.begin().unwrap();
        batch.set_account(self.address, &settings, 0).unwrap();
        batch.commit().unwrap();
        Self { imap, ..self }
    }

    fn secrets(&self) -> Secrets {
        Secrets::at(self.world.home().join("secrets"), SecretStore::File)
    }

    /// What a sign-in on Google's page leaves: here with an access token that has ended.
    fn sign_in(&self) {
        let kept = r#"{"refresh":"1//refresh","access":"ya29.old","expires":0}"#;
        self.secrets().set(&format!("oauth:{}", self.address), &Secret::new(kept.to_owned())).unwrap();
    }

    /// Syncs with small waits; what it says, however it ended.
    pub(crate) fn try_sync(&self, double: &GmailDouble) -> AccountReport {
        self.sync_at(double, double.port)
    }

    /// The same, through another port.
    fn sync_at(&self, double: &GmailDouble, port: u16) -> AccountReport {
        let home = Home::at(self.world.home().to_owned());
        let (silence, delay) = (Duration::from_millis(300), Duration::from_millis(10));
        let options = SyncOptions { silence, tries: 3, delay, ..SyncOptions::default() };
        let progress = SyncProgress::default();
        let google = OauthClient {
            client_id: Some("double".to_owned()),
            token_url: Some(format!("http://127.0.0.1:{}/token", double.port)),
            ..OauthClient::default()
        };
        let clients = OauthClients { google, ..OauthClients::default() };
        let patience = IoLimits { silence: options.silence, stop: Arc::clone(&progress.stop) };
        let tokens = Tokens::new(self.secrets(), clients, Clock::system(), patience);
        let settings = AccountSettings { imap: self.imap.clone(), ..settings(self.address) };
        let account = SyncAccount {
            key: self.account,
            address: self.address.to_owned(),
            settings,
            credentials: Credentials::new(Arc::new(tokens), self.address, SignIn::Google),
            gone: GoneRule::Keep,
            clock: Clock::system(),
            gmail: Some(GmailAccount {
                base_url: format!("http://127.0.0.1:{port}"),
                quota: Arc::clone(&self.quota),
                fills_by_imap: self.imap.is_some(),
                largest: 200_000,
            }),
        };
        let extractor = Extractor::new(env!("CARGO_BIN_EXE_mailkeep").into());
        let reports = sync((&home, &Clock::system()), &[account], &options, &extractor, &progress);
        reports.unwrap().pop().unwrap()
    }

    /// Syncs; it must go well.
    fn sync(&self, double: &GmailDouble) -> AccountReport {
        let report = self.try_sync(double);
        assert!(report.error.is_none(), "{report:?}");
        report
    }

    /// The real program, ready to sync with the double.
    fn command(&self, double: &GmailDouble, units: u64) -> Command {
        self.program(self.world.sync_command(&[]), double, units)
    }

    /// The real program, serving tools on standard input and output, with the double as its server.
    fn serving(&self, double: &GmailDouble) -> Command {
        let mut command = self.program(self.world.command(&["mcp"]), double, 6_000);
        command.env("LOG_FILE", self.world.path("server.log"));
        command
    }

    fn program(&self, mut command: Command, double: &GmailDouble, units: u64) -> Command {
        let config = format!(
            "[oauth.google]\nclient_id = \"double\"\ntoken_url = \"http://127.0.0.1:{0}/token\"\n\
             [gmail]\nbase_url = \"http://127.0.0.1:{0}/\"\nfirst_fill = \"api\"\nunits_per_minute = {units}\n\
             [secrets]\nstore = \"file\"\n[sync]\npush_wait = 60\n",
            double.port
        );
        let minute = MINUTE.as_millis().to_string();
        command
            .env("MAILKEEP_CONFIG", self.world.write("config.toml", config))
            .env("MAILKEEP_TEST_MINUTE", minute);
        command
    }

    /// What is here, by Gmail's number.
    fn here(&self) -> Mirror {
        const SELECT: &str = "
            SELECT g.gmail_id, b.role, p.flags, lower(hex(m.hash)) || ' ' || m.size,
                   (SELECT json_group_array(l.name) FROM placement_labels pl JOIN label_names l ON l.id = pl.label
                    WHERE pl.placement = p.id)
            FROM placements p JOIN mailboxes b ON b.id = p.mailbox JOIN messages m ON m.id = p.message
            LEFT JOIN gmail_messages g ON g.number = p.uid AND g.account = b.account AND g.message = m.id
            WHERE b.account = ?1 AND b.role <> 'gone'";
        let database = self.world.database();
        let mut statement = database.prepare(SELECT).unwrap();
        let mut rows = statement.query([self.account.0]).unwrap();
        let mut all = Mirror::new();
        while let Some(row) = rows.next().unwrap() {
            let id: i64 = row.get::<_, Option<i64>>(0).unwrap().expect("every placement is Gmail's");
            let labels: String = row.get(4).unwrap();
            let labels = serde_json::from_str(&labels).unwrap();
            let flags = row.get(2).unwrap();
            let entry = all
                .entry(id.cast_unsigned())
                .or_insert_with(|| (BTreeSet::new(), flags, BTreeSet::clone(&labels), row.get(3).unwrap()));
            assert_eq!((entry.1, &entry.2), (flags, &labels), "the same everywhere");
            entry.0.insert(row.get(1).unwrap());
        }
        all
    }

    /// What is here must be what Gmail has.
    fn assert_same(&self, double: &GmailDouble, story: &str) {
        let (here, there) = (self.here(), expected(double));
        let ids = |mirror: &Mirror| mirror.keys().copied().collect::<Vec<_>>();
        assert_eq!(ids(&here), ids(&there), "{story}: the set of messages");
        assert_eq!(here, there, "{story}");
    }
}

/// What should be here, told without the help of what is tested.
fn expected(double: &GmailDouble) -> Mirror {
    let one = |(raw, mut labels): (Vec<u8>, BTreeSet<String>)| {
        let mut take = |name: &str| labels.remove(name);
        let flags = u8::from(!take("UNREAD")) + 4 * u8::from(take("STARRED"));
        let (trash, spam) = (take("TRASH"), take("SPAM"));
        let own = [("inbox", take("INBOX")), ("sent", take("SENT")), ("drafts", take("DRAFT"))];
        let flags = flags + 16 * u8::from(own[2].1);
        let mut roles: BTreeSet<String> = match (trash, spam) {
            (true, _) => BTreeSet::from(["trash".to_owned()]),
            (_, true) => BTreeSet::from(["spam".to_owned()]),
            _ => own.iter().filter(|(_, has)| *has).map(|(role, _)| (*role).to_owned()).collect(),
        };
        if roles.is_empty() {
            roles.insert("archive".to_owned());
        }
        (roles, flags, labels, identity(&raw))
    };
    double.everything().into_iter().map(|(id, message)| (id, one(message))).collect()
}

/// A double with a mailbox that has a bit of everything.
fn filled(count: usize) -> GmailDouble {
    let double = GmailDouble::start(ACCOUNT, MINUTE);
    {
        let mut google = double.google();
        let work = google.mailbox.create_label("Work").unwrap();
        let list = google.mailbox.create_label("Lists/rüst").unwrap();
        let sets: [&[&str]; 8] = [
            &["INBOX", "UNREAD", "IMPORTANT"],
            &["INBOX", "STARRED", &work],
            &["SENT"],
            &[&work, &list],
            &["TRASH", &list],
            &["SPAM", "UNREAD"],
            &["INBOX", "SENT", "CATEGORY_PROMOTIONS"],
            &[],
        ];
        for number in 0..count {
            let text = "text ".repeat(number * 7 % 50);
            let mail = Mail::new(&format!("Letter {number}")).body(&text);
            google.mailbox.add(&with_crlf(&mail.bytes()), sets[number % sets.len()], None);
        }
    }
    double
}

/// A number from the environment, for longer runs.
fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Writes a line of figures to the file that `MAILKEEP_TEST_FIGURES` names, for those who want to see them.
fn note(figures: &serde_json::Value) {
    let Some(path) = std::env::var_os("MAILKEEP_TEST_FIGURES") else { return };
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    writeln!(file, "{figures}").unwrap();
}
