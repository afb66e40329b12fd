//! Every key that may stand in `config.toml`, and the page that explains them. The defaults are those of the code.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::config::Config;

/// One key of the file.
pub struct Setting {
    /// Section and key: `sync.poll`.
    pub key: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// A value as it may stand in the file.
    pub example: &'static str,
}

/// All keys, by section.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "shield.on",
        about: "Whether mail that carries a secret (a one-time code, a reset or sign-in link) is kept from tools, and \
                what the other rules of this section list",
        example: "false",
    },
    Setting {
        key: "shield.senders",
        about: "Senders whose mail tools never see: addresses, or domains with everything below them",
        example: "[\"bank.example\", \"doc@clinic.example\"]",
    },
    Setting {
        key: "shield.labels",
        about: "Labels whose mail tools never see, in any case",
        example: "[\"private\"]",
    },
    Setting {
        key: "shield.accounts",
        about: "Accounts whose mail tools never see",
        example: "[\"ada@company.example\"]",
    },
    Setting {
        key: "shield.raw",
        about: "Whether tools may have the bytes of messages, which carry text that is hidden from people",
        example: "true",
    },
    Setting {
        key: "oauth.google.client_id",
        about: "The name under which you registered mailkeep with Google",
        example: "\"1234-abcd.apps.googleusercontent.com\"",
    },
    Setting {
        key: "oauth.google.client_secret",
        about: "What Google gave you with it; it names the program and protects nothing",
        example: "\"GOCSPX-...\"",
    },
    Setting {
        key: "oauth.google.auth_url",
        about: "Where you agree, if not at Google's usual address",
        example: "\"https://login.example/auth\"",
    },
    Setting {
        key: "oauth.google.token_url",
        about: "Where tokens are given, if not at Google's usual address",
        example: "\"https://login.example/token\"",
    },
    Setting {
        key: "oauth.google.device_url",
        about: "Where a machine without a browser asks for a code, if not at Google's usual address",
        example: "\"https://login.example/device\"",
    },
    Setting {
        key: "oauth.microsoft.client_id",
        about: "The application id under which you registered mailkeep with Microsoft",
        example: "\"01234567-89ab-cdef-0123-456789abcdef\"",
    },
    Setting {
        key: "oauth.microsoft.client_secret",
        about: "Only if your registration has one",
        example: "\"...\"",
    },
    Setting {
        key: "oauth.microsoft.auth_url",
        about: "Where you agree, for a tenant or a national cloud",
        example: "\"https://login.example/tenant/oauth2/v2.0/authorize\"",
    },
    Setting {
        key: "oauth.microsoft.token_url",
        about: "Where tokens are given, for a tenant or a national cloud",
        example: "\"https://login.example/tenant/oauth2/v2.0/token\"",
    },
    Setting {
        key: "oauth.microsoft.device_url",
        about: "Where a machine without a browser asks for a code, for a tenant or a national cloud",
        example: "\"https://login.example/tenant/oauth2/v2.0/devicecode\"",
    },
    Setting {
        key: "secrets.store",
        about: "Who keeps the key of the file with passwords and tokens: `keyring` is the desktop's, `file` a file \
                beside it, `auto` the keyring where there is one",
        example: "\"file\"",
    },
    Setting {
        key: "sync.background",
        about: "Whether `mailkeep serve` brings in news while it runs",
        example: "false",
    },
    Setting {
        key: "sync.poll",
        about: "Seconds between two looks at all mailboxes while an account is watched, at least 1",
        example: "60",
    },
    Setting {
        key: "sync.gone",
        about: "What becomes of mail that a server no longer shows: `keep` (30 days for what was in trash, spam or \
                drafts), a number of days, or `mirror`, which deletes it here too",
        example: "\"90d\"",
    },
    Setting {
        key: "sync.connections",
        about: "Connections to one server at the same time, 1 to 10",
        example: "2",
    },
    Setting {
        key: "sync.push",
        about: "Whether drafts and changes of labels go to the server when they are made; otherwise the next sync takes \
                them there",
        example: "false",
    },
    Setting {
        key: "sync.push_wait",
        about: "Seconds that an answer waits for the server to have them; it goes on in the background",
        example: "10",
    },
    Setting {
        key: "gmail.units_per_minute",
        about: "What Google lets you ask for in a minute; a message costs 20 units",
        example: "15000",
    },
    Setting {
        key: "gmail.first_fill",
        about: "How an empty account is filled: `imap`, which is faster, or `api`",
        example: "\"api\"",
    },
    Setting { key: "gmail.base_url", about: "Where Gmail's API is", example: "\"https://gmail.example\"" },
    Setting {
        key: "whatsapp.base_url",
        about: "Where WhatsApp's Cloud API is, with its version",
        example: "\"https://graph.facebook.com/v24.0\"",
    },
    Setting {
        key: "linkedin.base_url",
        about: "Where LinkedIn's API is",
        example: "\"https://linkedin.example\"",
    },
    Setting {
        key: "linkedin.version",
        about: "The month whose form LinkedIn's API is used in; each ends after a year",
        example: "\"202601\"",
    },
    Setting {
        key: "limits.calls_per_minute",
        about: "Calls of tools in a minute, for one server process, whatever the profile; `assistant` has limits of \
                its own besides",
        example: "120",
    },
    Setting { key: "limits.calls_per_hour", about: "The same for an hour", example: "2000" },
    Setting {
        key: "drafts.attach_from",
        about: "Directories that an assistant may attach files from, with all below them; hidden files and mailkeep's own \
                are never attached",
        example: "[\"~/Documents\"]",
    },
    Setting {
        key: "policy.send",
        about: "What may leave: `approve`, only what you said yes to; `allowlist`, what goes to addresses of `allow` alone \
                at once; `direct`, everything at once. A weaker rule than the one before counts after `mailkeep \
                approval confirm`",
        example: "\"allowlist\"",
    },
    Setting {
        key: "policy.only",
        about: "Another rule for an account, a profile of tools or a channel, by its name; the strictest that fits counts",
        example: "{ \"ada@example.org\" = \"direct\" }",
    },
    Setting {
        key: "policy.allow",
        about: "Addresses, and domains as `@example.org`, for `allowlist`",
        example: "[\"me@example.org\"]",
    },
    Setting {
        key: "policy.deny",
        about: "Addresses and domains that nothing ever goes to",
        example: "[\"@rival.example\"]",
    },
    Setting { key: "policy.per_hour", about: "Items in an hour", example: "20" },
    Setting { key: "policy.per_day", about: "Items in a day", example: "100" },
    Setting {
        key: "policy.per_server",
        about: "Items in an hour by one server, by its name; `gmail` for Gmail's API",
        example: "{ \"smtp.example.org\" = 20 }",
    },
    Setting {
        key: "policy.undo",
        about: "Seconds in which a yes can be taken back before anything leaves",
        example: "30",
    },
    Setting {
        key: "policy.expire",
        about: "Hours after which something that nobody decided about is void",
        example: "24",
    },
    Setting {
        key: "policy.vault_approval",
        about: "What moving a note into the vault's `Approved` means: `page`, that you want to decide about it next; \
                `trust-folder`, a yes, where `factor` is `click`, to a note that stood unchanged for 30 seconds. Any program \
                that can move files can say yes then",
        example: "\"trust-folder\"",
    },
    Setting {
        key: "approval.factor",
        about: "What proves that a yes is yours: `click`, that you did it; `pin`, a PIN that you set with `mailkeep \
                approval set-pin`; or `passkey`, a key that signs exactly what leaves (`mailkeep approval passkey add`). \
                Nobody can say yes before the PIN or the key is there",
        example: "\"pin\"",
    },
    Setting {
        key: "outbox.background",
        about: "Whether `mailkeep serve` sends what was approved while it runs",
        example: "false",
    },
    Setting {
        key: "outbox.notices",
        about: "Whether it tells you on your desktop (Linux) that something waits for your yes; a click opens the page",
        example: "false",
    },
    Setting {
        key: "outbox.connect",
        about: "Seconds for a connection to a server that takes mail",
        example: "10",
    },
    Setting { key: "outbox.command", about: "Seconds for its answer to a command", example: "60" },
    Setting { key: "outbox.data", about: "Seconds in which it takes nothing of a message", example: "60" },
    Setting {
        key: "outbox.reply",
        about: "Seconds for its answer to a message; who waits less than ten minutes may be left not knowing whether \
                it was sent",
        example: "900",
    },
    Setting {
        key: "outbox.tries",
        about: "How often a message is offered in a row; then it is put off, for a day at most",
        example: "5",
    },
    Setting { key: "outbox.retry_delay_ms", about: "Milliseconds before the second time", example: "5000" },
    Setting {
        key: "outbox.retry_multiplier",
        about: "How many times longer each later pause is",
        example: "3",
    },
    Setting {
        key: "outbox.settle",
        about: "Seconds in which Gmail is asked what became of a message when its answer was lost",
        example: "120",
    },
    Setting {
        key: "mcp.tasks",
        about: "Whether an assistant that knows tasks gets one for a message that waits for you, and learns by itself what \
                you decided; otherwise it gets the plain answer, and asks",
        example: "false",
    },
    Setting {
        key: "vault.path",
        about: "The directory of your notes, for the profile `vault`; `VAULT_PATH` counts before it",
        example: "\"~/Vault\"",
    },
    Setting {
        key: "orchestrator.background",
        about: "Whether `mailkeep serve` runs the orchestrator (see docs/orchestrator.md); otherwise `mailkeep orchestrate` does",
        example: "true",
    },
    Setting {
        key: "orchestrator.query",
        about: "Which new mail becomes a note in `Needs_Action`: a search, as `mailkeep search` takes it",
        example: "\"label:work OR label:family\"",
    },
    Setting {
        key: "orchestrator.poll",
        about: "Seconds between two looks at all notes; changes that the system tells of are seen at once",
        example: "60",
    },
    Setting {
        key: "orchestrator.label",
        about: "The label that a message gets when something was decided about it; none where it is empty",
        example: "\"AI_PROCESSED\"",
    },
    Setting {
        key: "orchestrator.servers",
        about: "The MCP server that it calls for labels instead of its own, as `gmail`: with `command` and `env`, or with `url` and `token`",
        example: "{ gmail = { command = [\"python3\", \"server.py\"], env = { GMAIL_TOKEN = \"...\" } } }",
    },
    Setting {
        key: "chat_model.base_url",
        about: "Where a chat model is (`/v1/chat/completions`) that sorts new mail and drafts answers; `https`, unless it is on \
                this machine. While this is not set, no mail is given to a model",
        example: "\"http://127.0.0.1:11434/v1\"",
    },
    Setting { key: "chat_model.model", about: "Its name", example: "\"qwen3:8b\"" },
    Setting { key: "chat_model.key", about: "The key that its server asks for", example: "\"sk-...\"" },
    Setting {
        key: "chat_model.timeout",
        about: "Seconds in which its server must say something",
        example: "300",
    },
    Setting {
        key: "semantic.model",
        about: "What makes the vectors by which mail is found by its meaning: `bundled`, the model inside the program; \
                `none`, searches go by words alone; or a directory with the files of that model",
        example: "\"none\"",
    },
    Setting {
        key: "semantic.background",
        about: "Whether `mailkeep serve` makes vectors of new mail while it runs",
        example: "false",
    },
    Setting {
        key: "semantic.endpoint.url",
        about: "A server that makes the vectors instead, with OpenAI's `/v1/embeddings` (Ollama and others). **The text of \
                your mail and of your questions goes there**: unless it is on this machine, it leaves it",
        example: "\"http://127.0.0.1:11434/v1/embeddings\"",
    },
    Setting {
        key: "semantic.endpoint.model",
        about: "The model that this server is asked for",
        example: "\"nomic-embed-text\"",
    },
];

/// Variables of the environment that are read.
const VARIABLES: &[(&str, &str)] = &[
    ("MAILKEEP_HOME", "the home, where `--home` does not name one"),
    ("MAILKEEP_CONFIG", "the file with preferences, where `--config` does not name one"),
    ("MAILKEEP_MAX_CONNECTIONS", "how many `mcp` processes one home serves at the same time (5)"),
    ("MAILKEEP_CALL_TIME_MS", "how long one call of a tool may take, in milliseconds (30000)"),
    (
        "MAILKEEP_HTTP_TIME_MS",
        "how long `serve` waits for a request or for a client that does not read (30000)",
    ),
    ("MAILKEEP_DEBUG", "`1`: a server says more on standard error and answers `debug/health`"),
    (
        "MAILKEEP_MCP_DEBUG",
        "`1`: the same, and requests and answers are written whole into the server's log: for developers only",
    ),
    (
        "LOG_FILE",
        "where servers log, instead of `mcp-server.log` in the platform's log directory; with `--profile smtp`, and for \
         `serve` with `SMTP_HOST`, the file that gets a line for each attempt to send; nothing leaves while it cannot be written, and `serve` does not start",
    ),
    ("LOG_LEVEL", "`debug`, `info`, `warn` or `error`"),
    ("MAILKEEP_SQLITE_DB", "`db mcp`: the store, where `--database` does not name one"),
    ("MAILKEEP_IMAP_ADDRESS", "`db mcp`: only this account, where `--address` does not name one"),
    ("MAILKEEP_MCP_MAX_LIMIT", "`db mcp`: no list is longer (1000)"),
    ("MAILKEEP_QUIET", "`db mcp`: `1` for no notes on standard error"),
    ("MAILKEEP_PAGER", "what shows long output on a terminal, before `PAGER`; empty for none"),
    ("VISUAL", "what `drafts edit` opens, before `EDITOR`"),
    (
        "SMTP_HOST",
        "a server that takes mail, for the account `SMTP_USER` alone; with it `serve` has `POST /send-email`",
    ),
    ("SMTP_PORT", "its port (587, or 465 with `SMTP_SECURE=true`)"),
    ("SMTP_SECURE", "`true`: TLS at once; `false`: STARTTLS, which must be there except on this machine"),
    ("SMTP_USER", "the address that signs in there, and that mail leaves from"),
    ("SMTP_PASS", "its password; `SMTP_PASSWORD` is the same. No other password ever goes to this server"),
    ("WHATSAPP_ACCESS_TOKEN", "`mcp --profile whatsapp`: the token of WhatsApp's Cloud API"),
    ("WHATSAPP_PHONE_NUMBER_ID", "the id of the number that messages come from"),
    ("LINKEDIN_ACCESS_TOKEN", "`mcp --profile linkedin`: the token, with the scope `w_member_social`"),
    ("LINKEDIN_AUTHOR_URN", "who posts: `urn:li:person:ID` or `urn:li:organization:ID`"),
    (
        "RATE_LIMIT_PER_HOUR",
        "with `SMTP_HOST`: no more than this in an hour, where it is less than `[policy] per_hour`",
    ),
    (
        "RATE_LIMIT_PER_DAY",
        "with `SMTP_HOST`: no more than this in a day, where it is less than `[policy] per_day`",
    ),
    (
        "VAULT_PATH",
        "the directory of your notes, before `[vault] path`; it gets records of what is sent in `Logs`, and notes for you \
         in `Needs_Action`",
    ),
    ("MAX_RETRIES", "how often a message is offered in a row, before `[outbox] tries`"),
    ("RETRY_DELAY_MS", "milliseconds before the second time, before `[outbox] retry_delay_ms`"),
    (
        "RETRY_BACKOFF_MULTIPLIER",
        "how many times longer each later pause is, before `[outbox] retry_multiplier`",
    ),
    (
        "MAILKEEP_EMBEDDING_KEY",
        "the key that `[semantic.endpoint]` asks for, if it does; it goes to that server only",
    ),
    ("NO_COLOR", "set to anything: no colours"),
];

/// The settings of a configuration, by section and key, in the order of [`SETTINGS`].
#[must_use]
pub fn values(config: &Config) -> Vec<(&'static str, Value)> {
    let all = serde_json::to_value(config).unwrap_or_default();
    let find = |key: &str| all.pointer(&format!("/{}", key.replace('.', "/"))).cloned().unwrap_or_default();
    SETTINGS.iter().map(|setting| (setting.key, find(setting.key))).collect()
}

/// A value as it stands in the file; what is not set stands there as nothing.
#[must_use]
pub fn shown(value: &Value) -> String {
    if value.is_null() { "(not set)".to_owned() } else { value.to_string() }
}

/// The page that explains all settings, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut page = String::from(HEAD);
    let defaults: Map<String, Value> =
        values(&Config::default()).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let mut section = "";
    for setting in SETTINGS {
        let (here, key) = setting.key.rsplit_once('.').unwrap_or(("", setting.key));
        if here != section {
            section = here;
            let _ = write!(
                page,
                "\n## `[{here}]`\n\n| key | default | example | what it does |\n|---|---|---|---|\n"
            );
        }
        let default = defaults.get(setting.key).map(shown).unwrap_or_default();
        let _ =
            writeln!(page, "| `{key}` | `{default}` | `{key} = {}` | {} |", setting.example, setting.about);
    }
    page.push_str("\n## Environment\n\n| variable | what it does |\n|---|---|\n");
    for (name, about) in VARIABLES {
        let _ = writeln!(page, "| `{name}` | {about} |");
    }
    page
}

const HEAD: &str = "\
# Settings

Everything works without a file. Preferences stand in `config.toml`, in `~/.config/mailkeep` (macOS:
`~/Library/Application Support/mailkeep`), or where `--config` or `MAILKEEP_CONFIG` say; accounts do not, they are in
the store. A key that does not exist and a value that makes no sense stop every command, because a rule that is silently
ignored protects nobody.

```sh
mailkeep config path         # which file that is
mailkeep config check        # what is wrong with it, by line and column
mailkeep config show         # what is in force, and where it comes from
mailkeep config reference    # this page
```

The variables `SMTP_*`, `RATE_LIMIT_*`, `MAX_RETRIES`, `RETRY_*`, `LOG_*` and `VAULT_PATH` may also stand in a file `.env`
beside `config.toml`, or in one that `--env-file` of `serve` and `mcp` names; a `.env` elsewhere is not read. `WHATSAPP_*` may
stand in `whatsapp.env` and `LINKEDIN_*` in `linkedin.env` there; only the process of that channel opens it. No variable makes a
rule for sending weaker.
";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::{SETTINGS, reference, values};
    use crate::config::Config;

    /// All keys below a value, with dots between the sections.
    fn keys(value: &Value, before: &str) -> BTreeSet<String> {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                fields.iter().flat_map(|(name, value)| keys(value, &format!("{before}.{name}"))).collect()
            }
            _ => BTreeSet::from([before.trim_start_matches('.').to_owned()]),
        }
    }

    #[test]
    fn every_key_of_the_code_is_explained_and_no_other() {
        let explained: BTreeSet<String> = SETTINGS.iter().map(|setting| setting.key.to_owned()).collect();

        assert_eq!(explained, keys(&serde_json::to_value(Config::default()).unwrap(), ""));
    }

    #[test]
    fn every_example_is_read_and_changes_what_it_says() {
        for setting in SETTINGS {
            let (section, key) = setting.key.rsplit_once('.').unwrap();
            let text = format!("[{section}]\n{key} = {}\n", setting.example);

            let read = Config::parse(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));

            assert_ne!(values(&read), values(&Config::default()), "{text}");
        }
    }

    #[test]
    fn the_page_is_the_one_in_the_documents() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/config.md")).unwrap();

        assert!(page == reference(), "write it anew: mailkeep config reference > docs/config.md");
    }
}
