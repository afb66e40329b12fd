//! Where programs keep their settings, on each platform and with the variables that move them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use directories::BaseDirs;

/// The variables that clients honour themselves.
const VARIABLES: [&str; 7] = [
    "XDG_CONFIG_HOME",
    "APPDATA",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
    "GOOSE_PATH_ROOT",
];

/// The systems that place settings differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Platform {
    Linux,
    MacOs,
    Windows,
}

/// A person's directories.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) platform: Platform,
    home: PathBuf,
    variables: BTreeMap<&'static str, PathBuf>,
}

impl Places {
    /// The directories of whoever runs this; nothing when they have no home.
    pub(super) fn here() -> Option<Self> {
        let platform = match std::env::consts::OS {
            "macos" => Platform::MacOs,
            "windows" => Platform::Windows,
            _ => Platform::Linux,
        };
        let set = |name: &'static str| Some((name, PathBuf::from(std::env::var_os(name)?)));
        let variables = VARIABLES.into_iter().filter_map(set);
        Some(Self::new(platform, BaseDirs::new()?.home_dir(), variables))
    }

    /// A relative path in a variable means something else in every directory, so it does not count.
    pub(super) fn new(
        platform: Platform,
        home: &Path,
        variables: impl Iterator<Item = (&'static str, PathBuf)>,
    ) -> Self {
        let variables = variables.filter(|(_, path)| path.has_root()).collect();
        Self { platform, home: home.to_owned(), variables }
    }

    /// A path in the home directory.
    pub(super) fn in_home(&self, path: &str) -> PathBuf {
        self.home.join(path)
    }

    /// The directory a variable names, or else this one in the home directory.
    pub(super) fn named(&self, variable: &str, path: &str) -> PathBuf {
        self.variable(variable).map_or_else(|| self.in_home(path), Path::to_owned)
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Path> {
        self.variables.get(name).map(PathBuf::as_path)
    }

    /// Where applications of this platform keep their settings.
    pub(super) fn settings(&self) -> PathBuf {
        match self.platform {
            Platform::Linux => self.named("XDG_CONFIG_HOME", ".config"),
            Platform::MacOs => self.in_home("Library/Application Support"),
            Platform::Windows => self.named("APPDATA", "AppData/Roaming"),
        }
    }
}
