//! The clients we know: where each keeps its servers, and in which words.

use std::path::{Path, PathBuf};

use super::document::Format;
use super::places::{Places, Platform};

/// Which fields an entry has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `command` and `args`.
    Plain,
    /// The same with `type: stdio`.
    Typed,
    Copilot,
    Goose,
    Zed,
}

/// A program that can use the server.
#[derive(Debug)]
pub(in crate::cli) struct Client {
    /// What the person types.
    pub(in crate::cli) id: &'static str,
    /// What the person knows it as.
    pub(in crate::cli) title: &'static str,
    other_names: &'static [&'static str],
    pub(super) format: Format,
    /// The key under which the servers stand.
    pub(super) section: &'static str,
    pub(super) shape: Shape,
    file: fn(&Places) -> PathBuf,
}

pub(super) const CLAUDE_CODE: &str = "claude-code";

/// All clients, in the order in which they are listed.
pub(super) static CLIENTS: [Client; 10] = [
    Client {
        id: "claude-desktop",
        title: "Claude Desktop",
        other_names: &["claudedesktop"],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Plain,
        file: |places| places.settings().join("Claude/claude_desktop_config.json"),
    },
    Client {
        id: CLAUDE_CODE,
        title: "Claude Code",
        other_names: &["claudecode"],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Typed,
        file: |places| places.named("CLAUDE_CONFIG_DIR", "").join(".claude.json"),
    },
    Client {
        id: "cursor",
        title: "Cursor",
        other_names: &[],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Plain,
        file: |places| places.in_home(".cursor/mcp.json"),
    },
    Client {
        id: "vscode",
        title: "VS Code",
        other_names: &["vs-code", "code", "visual-studio-code"],
        format: Format::Json,
        section: "servers",
        shape: Shape::Typed,
        file: |places| places.settings().join("Code/User/mcp.json"),
    },
    Client {
        id: "windsurf",
        title: "Windsurf",
        other_names: &[],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Plain,
        file: |places| places.in_home(".codeium/windsurf/mcp_config.json"),
    },
    Client {
        id: "zed",
        title: "Zed",
        other_names: &[],
        format: Format::Json,
        section: "context_servers",
        shape: Shape::Zed,
        file: zed,
    },
    Client {
        id: "gemini-cli",
        title: "Gemini CLI",
        other_names: &["gemini"],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Plain,
        file: |places| places.named("GEMINI_CLI_HOME", "").join(".gemini/settings.json"),
    },
    Client {
        id: "codex",
        title: "Codex",
        other_names: &["codex-cli"],
        format: Format::Toml,
        section: "mcp_servers",
        shape: Shape::Plain,
        file: |places| places.named("CODEX_HOME", ".codex").join("config.toml"),
    },
    Client {
        id: "goose",
        title: "Goose",
        other_names: &[],
        format: Format::Yaml,
        section: "extensions",
        shape: Shape::Goose,
        file: goose,
    },
    Client {
        id: "copilot-cli",
        title: "Copilot CLI",
        other_names: &["copilot", "github-copilot", "github-copilot-cli"],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Copilot,
        file: |places| places.named("COPILOT_HOME", ".copilot").join("mcp-config.json"),
    },
];

/// Zed follows the XDG variable on Linux only, and uses `~/.config` on macOS too.
fn zed(places: &Places) -> PathBuf {
    match places.platform {
        Platform::MacOs => places.in_home(".config/zed/settings.json"),
        Platform::Linux => places.settings().join("zed/settings.json"),
        Platform::Windows => places.settings().join("Zed/settings.json"),
    }
}

fn goose(places: &Places) -> PathBuf {
    let own = places.variable("GOOSE_PATH_ROOT").map(|root| root.join("config/config.yaml"));
    own.unwrap_or_else(|| match places.platform {
        Platform::Windows => places.settings().join("Block/goose/config/config.yaml"),
        _ => places.named("XDG_CONFIG_HOME", ".config").join("goose/config.yaml"),
    })
}

impl Client {
    /// The file the client reads its servers from.
    pub(super) fn file(&self, places: &Places) -> PathBuf {
        (self.file)(places)
    }

    /// Whether the client has left its traces here.
    pub(super) fn is_installed(&self, places: &Places) -> bool {
        let file = self.file(places);
        let directory = match self.id {
            CLAUDE_CODE => Some(places.named("CLAUDE_CONFIG_DIR", ".claude")),
            _ => file.parent().map(Path::to_owned),
        };
        file.exists() || directory.is_some_and(|directory| directory.is_dir())
    }

    /// Whether it runs commands as the user.
    pub(super) fn has_shell(&self) -> bool {
        self.id != "claude-desktop"
    }

    /// The client of this name, in the spellings people use.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        let name = name.trim().to_lowercase().replace([' ', '_'], "-");
        CLIENTS.iter().find(|client| client.id == name || client.other_names.contains(&name.as_str()))
    }

    /// The client whose name is most like this one.
    pub(super) fn nearest(name: &str) -> &'static Self {
        let name = name.to_lowercase();
        let distance = |client: &&Self| strsim::osa_distance(client.id, &name);
        CLIENTS.iter().min_by_key(distance).unwrap_or(&CLIENTS[0])
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{CLIENTS, Client};
    use crate::cli::connect::places::{Places, Platform};

    fn files(platform: Platform, variables: &[(&'static str, &str)]) -> Vec<String> {
        let variables = variables.iter().map(|(name, value)| (*name, PathBuf::from(value)));
        let places = Places::new(platform, Path::new("/h"), variables);
        CLIENTS.iter().map(|client| client.file(&places).display().to_string()).collect()
    }

    #[test]
    fn on_linux_files_are_where_the_clients_look() {
        let expected = [
            "/h/.config/Claude/claude_desktop_config.json",
            "/h/.claude.json",
            "/h/.cursor/mcp.json",
            "/h/.config/Code/User/mcp.json",
            "/h/.codeium/windsurf/mcp_config.json",
            "/h/.config/zed/settings.json",
            "/h/.gemini/settings.json",
            "/h/.codex/config.toml",
            "/h/.config/goose/config.yaml",
            "/h/.copilot/mcp-config.json",
        ];
        assert_eq!(files(Platform::Linux, &[]), expected);
        assert_eq!(files(Platform::Linux, &[("XDG_CONFIG_HOME", "relative")]), expected);
    }

    #[test]
    fn on_macos_files_are_where_the_clients_look() {
        let files = files(Platform::MacOs, &[("XDG_CONFIG_HOME", "/x")]);

        assert_eq!(files[0], "/h/Library/Application Support/Claude/claude_desktop_config.json");
        assert_eq!(files[3], "/h/Library/Application Support/Code/User/mcp.json");
        assert_eq!(files[5], "/h/.config/zed/settings.json");
        assert_eq!(files[8], "/x/goose/config.yaml");
    }

    #[test]
    fn variables_move_the_files_of_the_clients_that_honour_them() {
        let moved = files(
            Platform::Linux,
            &[
                ("XDG_CONFIG_HOME", "/x"),
                ("CLAUDE_CONFIG_DIR", "/claude"),
                ("CODEX_HOME", "/codex"),
                ("COPILOT_HOME", "/copilot"),
                ("GEMINI_CLI_HOME", "/gemini"),
                ("GOOSE_PATH_ROOT", "/goose"),
            ],
        );

        let expected = [
            "/x/Claude/claude_desktop_config.json",
            "/claude/.claude.json",
            "/h/.cursor/mcp.json",
            "/x/Code/User/mcp.json",
            "/h/.codeium/windsurf/mcp_config.json",
            "/x/zed/settings.json",
            "/gemini/.gemini/settings.json",
            "/codex/config.toml",
            "/goose/config/config.yaml",
            "/copilot/mcp-config.json",
        ];
        assert_eq!(moved, expected);
    }

    #[test]
    fn names_are_found_in_the_spellings_people_use() {
        let found = |name| Client::named(name).map(|client| client.id);

        assert_eq!(found("Claude Desktop"), Some("claude-desktop"));
        assert_eq!(found("gemini"), Some("gemini-cli"));
        assert_eq!(found("VSCode"), Some("vscode"));
        assert_eq!(found("emacs"), None);
    }

    #[test]
    fn a_misspelt_name_has_a_nearest_one() {
        let nearest = |name| Client::nearest(name).id;

        assert_eq!(nearest("curser"), "cursor");
        assert_eq!(nearest("claude-dekstop"), "claude-desktop");
        assert_eq!(nearest("winsurf"), "windsurf");
    }
}
