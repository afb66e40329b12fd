//! The owner's preferences: one file, read once. A file that is wrong stops the start, since a rule that is silently
//! ignored protects nobody. [`SETTINGS`] lists every key; the reference in `docs/config.md` is made of it.

mod reference;

use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use directories::BaseDirs;
use serde::{Deserialize, Serialize};

pub use reference::{SETTINGS, Setting, reference, shown, values};

use crate::model::{
    Factor, GoneRule, OauthClients, OutboxSettings, PolicySettings, SecretStore, ShieldRules,
};

/// All preferences.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What is kept from tools.
    pub shield: ShieldRules,
    /// Who we are for providers that give tokens.
    pub oauth: OauthClients,
    /// Where secrets are kept.
    pub secrets: SecretSettings,
    /// How mail is brought in beside a server.
    pub sync: SyncSettings,
    /// How Gmail's API is used.
    pub gmail: GmailSettings,
    /// How often tools may be called.
    pub limits: LimitSettings,
    /// What drafts may take along.
    pub drafts: DraftSettings,
    /// What may leave.
    pub policy: PolicySettings,
    /// How what was approved is sent.
    pub outbox: OutboxSettings,
    /// How a yes is given.
    pub approval: ApprovalSettings,
    /// How assistants are served.
    pub mcp: McpSettings,
    /// How mail is found by what it means.
    pub semantic: SemanticSettings,
}

/// `[semantic]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SemanticSettings {
    /// What makes vectors of mail.
    pub model: SemanticModel,
    /// Whether `mailkeep serve` makes them while it runs.
    pub background: bool,
    /// A server that makes them instead. Mail text goes there.
    pub endpoint: EndpointSettings,
}

impl Default for SemanticSettings {
    fn default() -> Self {
        let (model, endpoint) = (SemanticModel::default(), EndpointSettings::default());
        Self { model, background: true, endpoint }
    }
}

/// `[semantic.endpoint]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndpointSettings {
    /// Where it answers; none is used unless this is set.
    pub url: Option<String>,
    /// The model it is asked for.
    pub model: Option<String>,
}

/// What makes vectors of mail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SemanticModel {
    /// The model that is part of the program.
    #[default]
    Bundled,
    /// Nothing: searches go by words.
    None,
    /// A model whose files are in a directory.
    Directory(ListedDirectory),
}

impl From<SemanticModel> for String {
    fn from(model: SemanticModel) -> Self {
        match model {
            SemanticModel::Bundled => "bundled".to_owned(),
            SemanticModel::None => "none".to_owned(),
            SemanticModel::Directory(directory) => directory.into(),
        }
    }
}

impl TryFrom<String> for SemanticModel {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "bundled" => Ok(Self::Bundled),
            "none" => Ok(Self::None),
            _ => ListedDirectory::try_from(text)
                .map(Self::Directory)
                .map_err(|error| format!("{error}; a model is `bundled`, `none` or a directory")),
        }
    }
}

/// `[mcp]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpSettings {
    /// Whether a client that knows tasks may wait for your decision with one.
    pub tasks: bool,
}

impl Default for McpSettings {
    fn default() -> Self {
        Self { tasks: true }
    }
}

/// `[drafts]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DraftSettings {
    /// Directories that files may be attached from; `~` is the owner's home.
    pub attach_from: Vec<ListedDirectory>,
}

impl DraftSettings {
    /// The directories with their whole paths.
    #[must_use]
    pub fn directories(&self) -> Vec<PathBuf> {
        self.attach_from.iter().filter_map(ListedDirectory::path).collect()
    }
}

/// A directory as the owner lists it: a whole path, or one that begins with `~/`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ListedDirectory(String);

impl ListedDirectory {
    /// Its whole path; `None` for a user without a home directory.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        match self.0.strip_prefix('~') {
            None => Some(PathBuf::from(&self.0)),
            Some(rest) => BaseDirs::new().map(|base| base.home_dir().join(rest.trim_start_matches('/'))),
        }
    }
}

impl From<ListedDirectory> for String {
    fn from(directory: ListedDirectory) -> Self {
        directory.0
    }
}

impl TryFrom<String> for ListedDirectory {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_whole = text == "~" || text.starts_with("~/") || std::path::Path::new(&text).is_absolute();
        match is_whole {
            true => Ok(Self(text)),
            false => Err(format!("`{text}` is no directory: it must begin with `/` or `~/`")),
        }
    }
}

/// `[approval]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalSettings {
    /// What proves that a yes is the person's.
    pub factor: Factor,
}

/// `[limits]`: for every profile, on top of what a profile has of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// Calls of tools in a minute, for one server process.
    pub calls_per_minute: Option<NonZeroU32>,
    /// Calls of tools in an hour, for one server process.
    pub calls_per_hour: Option<NonZeroU32>,
}

/// `[gmail]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GmailSettings {
    /// What Google lets a user ask for in a minute; a message costs 20 of these units.
    pub units_per_minute: u64,
    /// How an empty account is filled.
    pub first_fill: FirstFill,
    /// Where the API is; `https`, unless it is on this machine.
    pub base_url: String,
}

impl Default for GmailSettings {
    fn default() -> Self {
        Self {
            units_per_minute: 6_000,
            first_fill: FirstFill::Imap,
            base_url: "https://gmail.googleapis.com".to_owned(),
        }
    }
}

/// How an empty account is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstFill {
    /// Over IMAP, which gives more messages in a minute; then the API takes over.
    Imap,
    /// Over the API.
    Api,
}

/// `[secrets]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SecretSettings {
    /// In a file, or with the desktop's keyring.
    pub store: SecretStore,
}

/// `[sync]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SyncSettings {
    /// Whether `mailkeep serve` brings in news while it runs.
    pub background: bool,
    /// Seconds between two looks at all mailboxes; at least 1.
    pub poll: NonZeroU32,
    /// What becomes of mail that a server no longer shows: `keep`, so many days (`30d`), or `mirror`.
    pub gone: GoneRule,
    /// Connections to one server at the same time.
    pub connections: Connections,
    /// Whether drafts and changes of labels go to the server at once; otherwise the next sync takes them.
    pub push: bool,
    /// Seconds that an answer waits for that; it goes on in the background.
    pub push_wait: u32,
}

/// How many connections to one server there may be at the same time. Providers allow 10 to 15, and other programs of
/// the owner's need some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Connections(u8);

impl Connections {
    const MOST: u8 = 10;

    /// The number.
    #[must_use]
    pub fn get(self) -> usize {
        usize::from(self.0)
    }
}

impl Default for Connections {
    fn default() -> Self {
        Self(5)
    }
}

impl From<Connections> for u8 {
    fn from(connections: Connections) -> Self {
        connections.0
    }
}

impl TryFrom<u8> for Connections {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            1..=Self::MOST => Ok(Self(number)),
            _ => Err(format!("`connections` is a number from 1 to {}", Self::MOST)),
        }
    }
}

impl Default for SyncSettings {
    fn default() -> Self {
        let poll = NonZeroU32::new(300).unwrap_or(NonZeroU32::MIN);
        Self {
            background: true,
            poll,
            gone: GoneRule::Keep,
            connections: Connections::default(),
            push: true,
            push_wait: 3,
        }
    }
}

impl SyncSettings {
    /// The time between two looks at all mailboxes.
    #[must_use]
    pub fn poll(&self) -> Duration {
        Duration::from_secs(u64::from(self.poll.get()))
    }
}

/// Why the preferences could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file that was named is not there or cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is not what it should be.
    #[error("`{}` is wrong{at}: {detail}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Where in it.
        at: Position,
        /// What is wrong with it.
        detail: String,
    },
}

/// A place in the file, for people: `, line 3, column 9`, or nothing where it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position(Option<(usize, usize)>);

impl Position {
    fn of(error: &toml::de::Error, text: &str) -> Self {
        Self(error.span().map(|span| {
            let before = text.get(..span.start).unwrap_or(text);
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
            (before.matches('\n').count() + 1, column + 1)
        }))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((line, column)) => write!(f, ", line {line}, column {column}"),
            None => Ok(()),
        }
    }
}

/// Where preferences are read from.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// The file; `None` on a machine without a configuration directory.
    pub path: Option<PathBuf>,
    /// Whether the owner named it: then it must be there.
    pub is_named: bool,
}

impl ConfigFile {
    /// The file that was named, or else the one in the platform's configuration directory.
    #[must_use]
    pub fn find(named: Option<PathBuf>) -> Self {
        let usual = || BaseDirs::new().map(|base| base.config_dir().join("mailkeep").join("config.toml"));
        Self { is_named: named.is_some(), path: named.or_else(usual) }
    }

    /// What it says; nothing if it is not there and need not be.
    pub fn read(&self) -> Result<String, ConfigError> {
        let Some(path) = &self.path else { return Ok(String::new()) };
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(text),
            Err(error) if !self.is_named && error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            Err(source) => Err(ConfigError::Unreadable { path: path.clone(), source }),
        }
    }

    /// The preferences in it.
    pub fn load(&self) -> Result<Config, ConfigError> {
        let text = self.read()?;
        let path = || self.path.clone().unwrap_or_default();
        Config::parse(&text).map_err(|(at, detail)| ConfigError::Wrong { path: path(), at, detail })
    }
}

impl Config {
    fn parse(text: &str) -> Result<Self, (Position, String)> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        toml::from_str(text)
            .map_err(|error| (Position::of(&error, text), crate::text_safety::one_line(error.message())))
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, FirstFill};
    use crate::model::SecretStore;

    #[test]
    fn rules_are_read_and_what_is_left_out_is_usual() {
        let config = Config::parse("[shield]\nsenders = [\"bank.example\"]\n").unwrap();

        assert!(config.shield.on && !config.shield.raw);
        assert_eq!(config.shield.senders, ["bank.example"]);
        assert_eq!(Config::parse(""), Ok(Config::default()));
    }

    #[test]
    fn a_registration_is_read_and_shows_no_secret() {
        let text =
            "[oauth.google]\nclient_id = \"us\"\nclient_secret = \"canary\"\n[secrets]\nstore = \"file\"";

        let config = Config::parse(text).unwrap();

        assert_eq!(config.oauth.google.client_id.as_deref(), Some("us"));
        assert_eq!(config.secrets.store, SecretStore::File);
        assert!(!format!("{config:?}").contains("canary"));
    }

    #[test]
    fn a_server_brings_in_news_unless_told_otherwise() {
        let quiet = Config::parse("[sync]\nbackground = false\npoll = 60\n").unwrap().sync;

        assert!(Config::default().sync.background);
        assert_eq!((quiet.background, quiet.poll().as_secs()), (false, 60));
        assert_eq!((Config::default().sync.connections.get(), quiet.connections.get()), (5, 5));
        assert_eq!(Config::parse("[sync]\nconnections = 1\n").unwrap().sync.connections.get(), 1);
        for number in ["0", "11", "300", "-1", "\"two\""] {
            assert!(Config::parse(&format!("[sync]\nconnections = {number}\n")).is_err(), "{number}");
        }
        assert!(Config::parse("[sync]\npoll = 0").is_err());
        assert!(Config::parse("[sync]\nbackgroud = true").is_err());
    }

    #[test]
    fn gmail_is_filled_over_imap_within_googles_limits_unless_told() {
        let usual = Config::default().gmail;
        let told = Config::parse("[gmail]\nunits_per_minute = 15000\nfirst_fill = \"api\"\n").unwrap().gmail;

        assert_eq!((usual.units_per_minute, usual.first_fill), (6_000, FirstFill::Imap));
        assert_eq!((told.units_per_minute, told.first_fill), (15_000, FirstFill::Api));
        assert_eq!(told.base_url, "https://gmail.googleapis.com");
        assert!(Config::parse("[gmail]\nfirst_fill = \"pop\"\n").is_err());
    }

    #[test]
    fn files_are_attached_from_nowhere_unless_the_owner_lists_directories() {
        let listed =
            Config::parse("[drafts]\nattach_from = [\"~/Documents\", \"/srv/out\"]\n").unwrap().drafts;

        assert!(Config::default().drafts.directories().is_empty());
        let directories = listed.directories();
        assert!(directories[0].is_absolute() && directories[0].ends_with("Documents"), "{directories:?}");
        assert_eq!(directories[1], std::path::Path::new("/srv/out"));
        assert!(Config::parse("[drafts]\nattach_from = [\"Documents\"]\n").is_err());
        assert!(Config::parse("[drafts]\nattach_from = [\"~bob/Documents\"]\n").is_err());
    }

    #[test]
    fn an_error_says_where() {
        let text = "[shield]\non = true\n\n[sync]\n  poll = \"often\"\n";

        let (at, detail) = Config::parse(text).unwrap_err();

        assert_eq!(at.to_string(), ", line 5, column 10", "{detail}");
        let (at, _) = Config::parse("\u{feff}[gmail\n").unwrap_err();
        assert!(at.to_string().starts_with(", line 1"), "{at}");
    }

    #[test]
    fn a_slip_of_the_pen_is_an_error() {
        for text in [
            "[limits]\ncalls_per_minute = 0",
            "[policy]\nauto = true",
            "[policy]\nsend = \"always\"",
            "[policy]\nper_hour = -1",
            "[policy.only]\nsmtp = \"never\"",
            "[approval]\nfactor = \"none\"",
            "[sheild]\non = true",
            "[shield]\nsender = []",
            "[shield]\non = 1",
            "[shield",
            "[oauth.gogle]",
            "[oauth.google]\nid = \"x\"",
            "[secrets]\nstore = \"safe\"",
            "[semantic]\nmodel = \"large\"",
            "[semantic]\nendpoint = \"http://127.0.0.1\"",
        ] {
            assert!(Config::parse(text).is_err(), "{text}");
        }
    }
}
