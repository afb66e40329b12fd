//! What was approved leaves once, as it was approved, and whatever happens on the way can be told afterwards.

mod bytes;
mod changed;
mod copies;
mod disks;
mod faults;
mod gmail;
mod kills;
mod receivers;
mod serving;
mod tls;
mod tokens;
mod turns;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mailkeep::account::{Secrets, Tokens};
use mailkeep::clock::Clock;
use mailkeep::drafts::{Drafts, NewDraft};
use mailkeep::home::Home;
use mailkeep::model::{
    AccountSettings, Endpoint, IoLimits, ItemState, Lane, OauthClients, OutboxSettings, PolicySettings,
    SecretStore, SignIn, Tls, Via, dated,
};
use mailkeep::outbox::Routes;
use mailkeep::outbox::approval::{Approvals, Door, Proof};
use mailkeep::outbox::policy::Wanted;
use mailkeep::outbox::propose::{Proposals, Request};
use mailkeep::outbox::worker::{GRACE, Report, Worker, WorkerParts};
use mailkeep::secret::Secret;
use mailkeep::store::{Attempt, AttemptOutcome, Delivery, Item, Reader, Store};

use crate::world::{ACCOUNT, NOW, World};

/// The password of the account. It must be found nowhere.
const PASSWORD: &str = "canary-8w2k5n";

/// A home with an account that sends, and everything to send with.
pub(crate) struct Outgoing {
    pub(crate) world: World,
    pub(crate) settings: OutboxSettings,
    pub(crate) policy: PolicySettings,
    pub(crate) routes: Routes,
    pub(crate) now: String,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) clients: OauthClients,
    pub(crate) grace: Duration,
}

impl Outgoing {
    /// An account that leaves by the server at this port.
    pub(crate) fn to(port: u16) -> Self {
        Self::protected(port, Tls::None)
    }

    pub(crate) fn protected(port: u16, tls: Tls) -> Self {
        Self::on(World::new(), port).with_server(port, tls)
    }

    /// The same on another machine.
    pub(crate) fn on(world: World, port: u16) -> Self {
        Self::empty(world).with_server(port, Tls::None)
    }

    fn with_server(self, port: u16, tls: Tls) -> Self {
        let outgoing = self;
        outgoing.set_server(port, tls, SignIn::Password);
        outgoing.secrets().set(ACCOUNT, &Secret::new(PASSWORD.to_owned())).unwrap();
        outgoing
    }

    fn empty(world: World) -> Self {
        std::fs::create_dir_all(world.home()).unwrap();
        Store::open(&Home::at(world.home()).store()).unwrap();
        let settings = OutboxSettings { retry_delay_ms: 1, settle: 0, ..OutboxSettings::default() };
        let policy = PolicySettings { undo: 0, ..PolicySettings::default() };
        let stop = Arc::new(AtomicBool::new(false));
        let (routes, clients) = (Routes::default(), OauthClients::default());
        let outgoing =
            Self { world, settings, policy, routes, now: NOW.to_owned(), stop, clients, grace: GRACE };
        outgoing.approvals().confirm(&Proof::click()).unwrap();
        outgoing
    }

    pub(crate) fn set_server(&self, port: u16, tls: Tls, sign_in: SignIn) {
        self.set_endpoint(Endpoint { host: "127.0.0.1".to_owned(), port, tls }, sign_in);
    }

    pub(crate) fn set_server_named(&self, host: &str, port: u16) {
        self.set_endpoint(Endpoint { host: host.to_owned(), port, tls: Tls::None }, SignIn::Password);
    }

    fn set_endpoint(&self, smtp: Endpoint, sign_in: SignIn) {
        let (user, smtp) = (ACCOUNT.to_owned(), Some(smtp));
        let settings = AccountSettings { via: Via::default(), user, sign_in, imap: None, smtp };
        self.change(|tx| tx.set_account(ACCOUNT, &settings, 0).map(drop));
    }

    /// An account whose mail becomes files.
    pub(crate) fn into_folder() -> (Self, PathBuf) {
        let outgoing = Self::to(9);
        let folder = outgoing.world.path("sent files");
        let key = outgoing.reader().account(ACCOUNT).unwrap().unwrap();
        outgoing.change(|tx| tx.set_send_folder(key, folder.to_str()));
        (outgoing, folder)
    }

    pub(crate) fn change<T>(
        &self,
        change: impl FnOnce(&mailkeep::store::WriteTransaction<'_>) -> Result<T, mailkeep::store::StoreError>,
    ) -> T {
        let mut store = Store::open(&self.home().store()).unwrap();
        let tx = store.begin().unwrap();
        let result = change(&tx).unwrap();
        tx.commit().unwrap();
        result
    }

    pub(crate) fn home(&self) -> Home {
        Home::at(self.world.home())
    }

    pub(crate) fn clock(&self) -> Clock {
        Clock::frozen(self.now.parse().unwrap())
    }

    pub(crate) fn secrets(&self) -> Secrets {
        Secrets::at(self.home().secrets(), SecretStore::File)
    }

    pub(crate) fn approvals(&self) -> Arc<Approvals> {
        let wanted = Wanted { policy: self.policy.clone(), ..Wanted::default() };
        Arc::new(Approvals::new(&self.home(), self.clock(), self.secrets(), wanted))
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader::open(&self.home().store()).unwrap()
    }

    /// A letter to Bob and Cleo, with Dora unseen.
    pub(crate) fn letter(subject: &str) -> NewDraft {
        NewDraft {
            account: ACCOUNT.to_owned(),
            to: vec!["Bob Stone <bob@stone.example>".to_owned()],
            cc: vec!["cleo@river.example".to_owned()],
            bcc: vec!["dora@hill.example".to_owned()],
            subject: subject.to_owned(),
            body: format!("The text of {subject}.\n.a line that begins with a dot\n"),
            ..NewDraft::default()
        }
    }

    pub(crate) fn proposed(&self, letter: &NewDraft, request: &Request) -> Item {
        let draft = Drafts::new(&self.home(), self.clock()).create(letter).unwrap();
        let routes = self.routes.clone();
        let proposals = Proposals::new(&self.home(), routes, self.approvals());
        proposals.propose(&draft.id.to_string(), request).unwrap().item
    }

    /// Something that a person said yes to.
    pub(crate) fn approved(&self, subject: &str) -> Item {
        self.approved_letter(&Self::letter(subject), &Request::default())
    }

    pub(crate) fn approved_letter(&self, letter: &NewDraft, request: &Request) -> Item {
        let item = self.proposed(letter, request);
        self.approvals()
            .approve(&item.draft.id.to_string(), &item.hash(), Door::Terminal, &Proof::click())
            .unwrap()
    }

    pub(crate) fn worker(&self) -> Worker {
        let limits = IoLimits { silence: Duration::from_secs(5), stop: Arc::clone(&self.stop) };
        let tokens = Tokens::new(self.secrets(), self.clients.clone(), self.clock(), limits);
        Worker::new(WorkerParts {
            home: self.home(),
            lane: Lane::Mail,
            clock: self.clock(),
            approvals: self.approvals(),
            routes: self.routes.clone(),
            policy: self.policy.clone(),
            settings: self.settings,
            tokens: Arc::new(tokens),
            stop: Arc::clone(&self.stop),
            grace: self.grace,
        })
    }

    /// Sends what may leave now.
    pub(crate) fn send(&self) -> Report {
        self.worker().run_once().unwrap()
    }

    pub(crate) fn again(&self, item: &Item) -> Item {
        self.reader().item(item.draft.id).unwrap().unwrap()
    }

    pub(crate) fn state(&self, item: &Item) -> ItemState {
        self.again(item).draft.state
    }

    pub(crate) fn attempts(&self, item: &Item) -> Vec<Attempt> {
        self.reader().attempts_of(item.draft.key).unwrap()
    }

    pub(crate) fn outcomes(&self, item: &Item) -> Vec<Option<AttemptOutcome>> {
        self.attempts(item).iter().map(|attempt| attempt.outcome).collect()
    }

    pub(crate) fn deliveries(&self, item: &Item) -> Vec<Delivery> {
        self.reader().deliveries_of(item.draft.key).unwrap()
    }

    /// The bytes that leave: what was frozen, and the date.
    pub(crate) fn message(&self, item: &Item) -> Vec<u8> {
        let frozen = self.reader().draft_bytes(item.draft.key, item.draft.revision).unwrap().unwrap();
        dated(&frozen, self.again(item).sent.unwrap())
    }

    /// What happened to it, by the names in the audit chain.
    pub(crate) fn audited(&self, item: &Item) -> Vec<String> {
        let rows = self.reader().audit_of(item.draft.id).unwrap();
        rows.into_iter().map(|row| row.kind).collect()
    }
}
