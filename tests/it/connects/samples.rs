//! Configurations as people have them, one for each client.

use super::PROGRAM;

/// A client, its file, and a configuration in which `<<...>>` is our entry and `<+...+>` a section for it that was
/// not there.
pub(super) struct Sample {
    pub(super) client: &'static str,
    pub(super) file: &'static str,
    text: String,
}

impl Sample {
    /// The configuration without us.
    pub(super) fn before(&self) -> String {
        without(&self.left(), "<+", "+>")
    }

    /// The configuration with us.
    pub(super) fn after(&self) -> String {
        ["<<", ">>", "<+", "+>"].iter().fold(self.text.clone(), |text, mark| text.replace(mark, ""))
    }

    /// The configuration we leave: whether we made the section cannot be told from it, so it stays.
    pub(super) fn left(&self) -> String {
        without(&self.text, "<<", ">>")
    }
}

fn without(text: &str, open: &str, close: &str) -> String {
    let mut parts = text.split(open);
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once(close).unwrap().1)
}

/// A sample of every client.
pub(super) fn samples() -> impl Iterator<Item = Sample> {
    SAMPLES.iter().map(|(client, file, text)| Sample { client, file, text: text.replace("PROGRAM", PROGRAM) })
}

const SAMPLES: [(&str, &str, &str); 10] = [
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", CLAUDE_DESKTOP),
    ("claude-code", ".claude.json", CLAUDE_CODE),
    ("cursor", ".cursor/mcp.json", CURSOR),
    ("vscode", ".config/Code/User/mcp.json", VSCODE),
    ("windsurf", ".codeium/windsurf/mcp_config.json", WINDSURF),
    ("zed", ".config/zed/settings.json", ZED),
    ("gemini-cli", ".gemini/settings.json", GEMINI_CLI),
    ("codex", ".codex/config.toml", CODEX),
    ("goose", ".config/goose/config.yaml", GOOSE),
    ("copilot-cli", ".copilot/mcp-config.json", COPILOT_CLI),
];

const CLAUDE_DESKTOP: &str = r#"{
    "globalShortcut": "Ctrl+Space",
    "mcpServers": {
        "filesystem": {
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada/Döcuments"],
            "env": { "TOKEN": "s3cr3t\u00e9" }
        }<<,
        "mailkeep": {
            "command": "PROGRAM",
            "args": ["mcp"]
        }>>
    }
}"#;

const CLAUDE_CODE: &str = r#"{
  "numStartups": 41,
  "tipsHistory": {"shift-enter": 27},
  "projects": {
    "/home/ada/code": {
      "history": [{"display": "look at mcpServers {\"mailkeep\": 1} \ud83d"}],
      "mcpServers": {}
    }
  },
  "oauthAccount": null<+,
  "mcpServers": {+><<
    "mailkeep": {
      "type": "stdio",
      "command": "PROGRAM",
      "args": ["mcp"]
    }
  >><+}+>
}
"#;

const CURSOR: &str = r#"{"mcpServers":{"github":{"url":"https://api.example/mcp"}<<,"mailkeep":{"command":"PROGRAM","args":["mcp"]}>>}}
"#;

const VSCODE: &str = "{\n\t// servers for every workspace\n\t\"servers\": {\n\t\t\"everything\": { \"type\": \"http\", \"url\": \
             \"https://x.example\" }, // remote\n\t\t/* \"old\": {}, */<<\n\t\t\"mailkeep\": \
             {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"PROGRAM\",\n\t\t\t\"args\": \
             [\"mcp\"]\n\t\t},>>\n\t},\n\t\"inputs\": [\n\t\t{ \"id\": \"key\", \"password\": true, },\n\t],\n}\n";

const WINDSURF: &str = "{\r\n  \"mcpServers\": {\r\n    \"a\": { \"serverUrl\": \"http://x\" }<<,\r\n    \"mailkeep\": {\r\n      \
             \"command\": \"PROGRAM\",\r\n      \"args\": [\"mcp\"]\r\n    }>>\r\n  }\r\n}\r\n";

const ZED: &str = r#"// Zed settings
//
// For information on how to configure Zed, see the documentation
{
  "telemetry": {
    "diagnostics": false, // "context_servers": {}
  },
  "theme": { "mode": "system", "light": "One Light" }, /* dark: later */
  "buffer_font_size": 15<+,+> // a bit larger<+
  "context_servers": {+><<
    "mailkeep": {
      "source": "custom",
      "command": "PROGRAM",
      "args": ["mcp"]
    }
  >><+}+>
}
"#;

const GEMINI_CLI: &str = "\u{feff}{\n   \"theme\": \"GitHub\",\n   \"mcpServers\": {<<\n      \"mailkeep\": {\n         \"command\": \
             \"PROGRAM\",\n         \"args\": [\"mcp\"]\n      }\n   >>},\n   \"vimMode\": true\n}\n";

const CODEX: &str = r#"# my settings
model = "gpt-6"   # the large one
approval_policy = 'on-request'

[mcp_servers.docs]  # reading
command = "npx"
args = [
  "-y",   # no questions
  "docs-mcp",
]
<<
[mcp_servers.mailkeep]
command = "PROGRAM"
args = ["mcp"]
>>
[projects."/home/ada/code"]
trust_level = "trusted"
# the end
"#;

const GOOSE: &str = r#"# goose, by hand
GOOSE_PROVIDER: anthropic
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    type: builtin
  # fetches pages
  fetch:
    cmd: uvx
    args:
    - mcp-server-fetch
    enabled: true
<<  mailkeep:
    type: "stdio"
    cmd: "PROGRAM"
    args: ["mcp"]
    name: "mailkeep"
    description: "Your mail, kept on your own machine"
    enabled: true
    envs: {}
    timeout: 300
>>
GOOSE_MODEL: big   # slow
"#;

const COPILOT_CLI: &str = r#"{
  "mcpServers": {
    "playwright": {"type": "local", "command": "npx", "args": ["playwright"], "tools": ["*"]}<<,
    "mailkeep": {
      "type": "stdio",
      "command": "PROGRAM",
      "args": ["mcp"],
      "tools": ["*"]
    }>>
  }
}
"#;
