//! The one list of all tools, and which of them a client gets. What is not allowed is absent, not refused.

use serde_json::Value;

use crate::tools::text::within_window;
use crate::tools::{
    Arguments, Effect, Listing, Reply, Tool, ToolContext, ToolError, assistant, core, db, email, gmail,
    later, linkedin, smtp, vault, whatsapp,
};

/// A set of tools that belong together, in the order they are listed.
pub struct Profile {
    /// Its name, as `--profile` takes it.
    pub name: &'static str,
    /// What it is for.
    pub summary: &'static str,
    /// Its tools.
    pub tools: &'static [&'static Tool],
}

/// Every profile but `full`, which is all of them together.
pub const PROFILES: &[Profile] = &[
    Profile { name: "core", summary: "everyday work with mail (default)", tools: core::TOOLS },
    Profile { name: "assistant", summary: "six tools with plain texts", tools: assistant::TOOLS },
    Profile { name: "gmail", summary: "five tools as a Gmail client has them", tools: gmail::TOOLS },
    Profile { name: "email", summary: "one tool that sends", tools: email::TOOLS },
    Profile { name: "whatsapp", summary: "one tool that sends on WhatsApp", tools: whatsapp::TOOLS },
    Profile { name: "linkedin", summary: "one tool that posts on LinkedIn", tools: linkedin::TOOLS },
    Profile { name: "smtp", summary: "sending alone, with its own errors", tools: smtp::TOOLS },
    Profile { name: "vault", summary: "notes in your vault; needs no mail", tools: vault::TOOLS },
    Profile { name: "db", summary: "analytics and SQL over the archive", tools: db::TOOLS },
];

/// The profile that holds everything; where names collide, the earlier profile's tool stands.
pub const FULL: &str = "full";

/// Whether a profile's document has a tool's fields in the result itself, beside what MCP puts there, its errors as errors of
/// JSON-RPC, and its calls in the owner's vault.
#[must_use]
pub fn has_fields_in_result(profile: &str) -> bool {
    matches!(profile, "email" | "whatsapp" | "linkedin")
}

/// The table of all tools, as docs/tools.md prints it.
#[must_use]
pub fn table() -> String {
    let mut lines = vec!["| profile | tool | what it does |".to_owned(), "|---|---|---|".to_owned()];
    for profile in PROFILES {
        let row = |tool: &&Tool| format!("| `{}` | `{}` | {} |", profile.name, tool.name, tool.description);
        lines.extend(profile.tools.iter().map(row));
    }
    lines.join("\n")
}

/// How names are spelt in the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NameStyle {
    /// As every client takes them: dots become underscores.
    #[default]
    Safe,
    /// As the documents write them.
    Exact,
}

/// What a client asked for.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Profiles; none means `core`.
    pub profiles: Vec<String>,
    /// Only these tools, if any are named.
    pub only: Vec<String>,
    /// Not these.
    pub without: Vec<String>,
    /// Only tools that change nothing.
    pub read_only: bool,
    /// How names are spelt.
    pub names: NameStyle,
}

/// Why there is no such set of tools.
#[derive(Debug, thiserror::Error)]
pub enum SelectionError {
    /// No such profile.
    #[error("there is no profile `{0}`")]
    UnknownProfile(String),
    /// No such tool in the chosen profiles.
    #[error("there is no tool `{0}` in this profile")]
    UnknownTool(String),
    /// Two profiles have a tool of the same name.
    #[error("profiles `{first}` and `{second}` both have a tool `{tool}`")]
    Collision {
        /// One.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// What both have.
        tool: &'static str,
    },
}

impl SelectionError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownProfile(_) => {
                let names: Vec<_> = PROFILES.iter().map(|profile| profile.name).collect();
                format!("the profiles are: {}, {FULL}", names.join(", "))
            }
            Self::UnknownTool(_) => "`mailkeep mcp --help` lists the tools of each profile".to_owned(),
            Self::Collision { .. } => {
                "run them as two servers, or take `--profile full`, where one of each name is chosen"
                    .to_owned()
            }
        }
    }
}

/// The tools one client gets.
pub struct Toolbox {
    tools: Vec<(String, &'static Tool)>,
    profiles: Vec<&'static str>,
}

impl Toolbox {
    /// Chooses the tools.
    pub fn new(selection: &Selection) -> Result<Self, SelectionError> {
        let profiles = chosen_profiles(&selection.profiles)?;
        let full = selection.profiles.iter().any(|name| name == FULL);
        let mut tools = Vec::new();
        for profile in &profiles {
            add_tools(&mut tools, profile, full)?;
        }
        let mut tools: Vec<&'static Tool> = tools.into_iter().map(|(_, tool)| tool).collect();
        keep_only(&mut tools, &selection.only, &selection.without)?;
        tools.retain(|tool| !selection.read_only || tool.effect == Effect::Reads);
        let tools = tools.into_iter().map(|tool| (spelt(tool.name, selection.names), tool)).collect();
        Ok(Self { tools, profiles: profiles.iter().map(|profile| profile.name).collect() })
    }

    /// The tool of this name; dots, underscores and hyphens are the same.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static Tool> {
        self.tools.iter().find(|(_, tool)| same(tool.name, name)).map(|(_, tool)| *tool)
    }

    /// Runs a tool. What one of `core` answers fits an assistant's window.
    pub fn call(
        &self,
        tool: &Tool,
        context: &mut ToolContext,
        arguments: &Arguments,
    ) -> Result<Reply, ToolError> {
        let reply = (tool.run)(context, arguments)?;
        Ok(if self.profile_of(tool) == "core" { within_window(reply) } else { reply })
    }

    /// The tools and the names they go by here.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'static Tool)> {
        self.tools.iter().map(|(name, tool)| (name.as_str(), *tool))
    }

    /// The definitions for `tools/list`. What is said of tasks and of an app belongs to the tools whose answer may come
    /// later, and an app to those of `core`, which it was made for.
    #[must_use]
    pub fn definitions(&self, listing: Listing) -> Vec<Value> {
        let of = |tool: &Tool| {
            let profile = self.profile_of(tool);
            let waits = later::may_come_later(profile, tool.name);
            let app = listing.app.filter(|_| waits && profile == "core");
            Listing { has_tasks: listing.has_tasks && waits, app, ..listing }
        };
        self.iter().map(|(name, tool)| tool.definition(name, of(tool))).collect()
    }

    /// The profile whose tools ask to send and may answer later; no two of them are together, as their names are the
    /// same.
    #[must_use]
    pub fn waiting_profile(&self) -> Option<&'static str> {
        let waits = |tool: &Tool| later::may_come_later(self.profile_of(tool), tool.name);
        self.iter().find(|(_, tool)| waits(tool)).map(|(_, tool)| self.profile_of(tool))
    }

    /// The profile that a tool comes from.
    #[must_use]
    pub fn profile_of(&self, tool: &Tool) -> &'static str {
        let has = |profile: &&Profile| {
            self.profiles.contains(&profile.name) && profile.tools.iter().any(|own| std::ptr::eq(*own, tool))
        };
        PROFILES.iter().find(has).map_or("core", |profile| profile.name)
    }

    /// The names of its profiles.
    #[must_use]
    pub fn profile(&self) -> String {
        self.profiles.join(",")
    }

    /// Whether this is exactly that profile.
    #[must_use]
    pub fn is_profile(&self, name: &str) -> bool {
        self.profiles == [name]
    }
}

fn chosen_profiles(names: &[String]) -> Result<Vec<&'static Profile>, SelectionError> {
    if names.iter().any(|name| name == FULL) {
        return Ok(PROFILES.iter().collect());
    }
    let names = if names.is_empty() { &["core".to_owned()] } else { names };
    let mut chosen: Vec<&'static Profile> = Vec::new();
    for name in names {
        let found = PROFILES.iter().find(|profile| profile.name == name);
        let profile = found.ok_or_else(|| SelectionError::UnknownProfile(name.clone()))?;
        if chosen.iter().all(|known| known.name != profile.name) {
            chosen.push(profile);
        }
    }
    Ok(chosen)
}

fn add_tools(
    tools: &mut Vec<(&'static str, &'static Tool)>,
    profile: &'static Profile,
    first_stands: bool,
) -> Result<(), SelectionError> {
    for tool in profile.tools {
        match tools.iter().find(|(_, known)| same(known.name, tool.name)) {
            None => tools.push((profile.name, tool)),
            Some(_) if first_stands => {}
            Some((first, _)) => {
                return Err(SelectionError::Collision { first, second: profile.name, tool: tool.name });
            }
        }
    }
    Ok(())
}

fn keep_only(
    tools: &mut Vec<&'static Tool>,
    only: &[String],
    without: &[String],
) -> Result<(), SelectionError> {
    let unknown = only.iter().chain(without).find(|name| tools.iter().all(|tool| !same(tool.name, name)));
    if let Some(name) = unknown {
        return Err(SelectionError::UnknownTool(name.clone()));
    }
    let named = |list: &[String], tool: &Tool| list.iter().any(|name| same(tool.name, name));
    tools.retain(|tool| (only.is_empty() || named(only, tool)) && !named(without, tool));
    Ok(())
}

fn spelt(name: &str, style: NameStyle) -> String {
    match style {
        NameStyle::Safe => name.replace('.', "_"),
        NameStyle::Exact => name.to_owned(),
    }
}

/// Whether two names differ only in how their parts are joined.
fn same(one: &str, other: &str) -> bool {
    let joined = |byte: u8| if matches!(byte, b'.' | b'-') { b'_' } else { byte };
    one.len() == other.len() && one.bytes().zip(other.bytes()).all(|(a, b)| joined(a) == joined(b))
}
