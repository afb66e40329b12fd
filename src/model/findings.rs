//! What was found while a message was read: what was left out and why, and what should make a reader careful.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// Something about a message that a reader should know. Names are a promise to tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// The parts of an alternative say different things; the plain one was not shown.
    AltMismatchPlain,
    /// Escape sequences that a terminal would obey.
    AnsiEscape,
    /// Text is written against its reading direction, or holds controls that reorder it.
    BidiControls,
    /// The sender's display name contains another address.
    DisplayNameAddress,
    /// Text that may be hidden was left out.
    DoubtfulText,
    /// Text that pretends to end what is quoted to the assistant.
    FakeDelimiterClose,
    /// Text that pretends to be a tool's answer.
    FakeToolJson,
    /// Text that a person could not see was left out.
    HiddenText,
    /// A link that shows another host than it leads to.
    HtmlLinkExfil,
    /// Invisible characters that carry no meaning were left out.
    InvisibleCharacters,
    /// A domain that looks like another, of the sender or of a link.
    LookalikeDomain,
    /// An image in Markdown, which would be fetched when an assistant repeats it.
    MdImageBeacon,
    /// A domain that mixes scripts.
    MixedScriptDomain,
    /// Tokens by which models tell who speaks.
    RoleTokens,
    /// The HTML could not be shown safely.
    TooComplex,
}

impl Flag {
    /// The name in `_meta.flags`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AltMismatchPlain => "alt_mismatch_plain",
            Self::AnsiEscape => "ansi_escape",
            Self::BidiControls => "bidi_controls",
            Self::DisplayNameAddress => "display_name_address",
            Self::DoubtfulText => "doubtful_text",
            Self::FakeDelimiterClose => "fake_delimiter_close",
            Self::FakeToolJson => "fake_tool_json",
            Self::HiddenText => "hidden_text",
            Self::HtmlLinkExfil => "html_link_exfil",
            Self::InvisibleCharacters => "invisible_characters",
            Self::LookalikeDomain => "lookalike_domain",
            Self::MdImageBeacon => "md_image_beacon",
            Self::MixedScriptDomain => "mixed_script_domain",
            Self::RoleTokens => "role_tokens",
            Self::TooComplex => "too_complex",
        }
    }
}

/// Why characters were left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Not displayed at all.
    Display,
    /// Displayed, but invisible.
    Visibility,
    /// Too transparent.
    Opacity,
    /// The colour of what is behind it.
    Color,
    /// Too small.
    Size,
    /// Cut off by the box around it.
    Clipped,
    /// Moved off the page.
    OffScreen,
    /// Turned or shrunk away.
    Transform,
    /// Behind something else.
    Covered,
    /// In an element that is never shown.
    NotRendered,
    /// In a comment.
    Comment,
    /// Invisible characters.
    InvisibleCharacters,
    /// Control characters.
    ControlCharacters,
    /// In a part that mail programs do not show.
    OtherPart,
    /// In HTML that could not be shown safely.
    TooComplex,
    /// Deleted, and kept only in the history of a document.
    Deleted,
}

impl Reason {
    /// All of them.
    const ALL: [Self; 16] = [
        Self::Display,
        Self::Visibility,
        Self::Opacity,
        Self::Color,
        Self::Size,
        Self::Clipped,
        Self::OffScreen,
        Self::Transform,
        Self::Covered,
        Self::NotRendered,
        Self::Comment,
        Self::InvisibleCharacters,
        Self::ControlCharacters,
        Self::OtherPart,
        Self::TooComplex,
        Self::Deleted,
    ];

    /// The reason with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// The name in a tool's result.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Display => "display",
            Self::Visibility => "visibility",
            Self::Opacity => "opacity",
            Self::Color => "color",
            Self::Size => "size",
            Self::Clipped => "clipped",
            Self::OffScreen => "off_screen",
            Self::Transform => "transform",
            Self::Covered => "covered",
            Self::NotRendered => "not_rendered",
            Self::Comment => "comment",
            Self::InvisibleCharacters => "invisible_characters",
            Self::ControlCharacters => "control_characters",
            Self::OtherPart => "other_part",
            Self::TooComplex => "too_complex",
            Self::Deleted => "deleted",
        }
    }
}

/// All that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// What a reader should know.
    pub flags: BTreeSet<Flag>,
    /// Characters that were left out, without blanks, by the reason for it.
    pub dropped: BTreeMap<Reason, usize>,
    /// Characters that were left out because they may be hidden, without blanks, by what may hide them.
    pub doubtful: BTreeMap<&'static str, usize>,
}

impl Findings {
    /// Raises a flag.
    pub fn flag(&mut self, flag: Flag) {
        self.flags.insert(flag);
    }

    /// Counts characters that were left out.
    pub fn drop_characters(&mut self, reason: Reason, count: usize) {
        if count > 0 {
            *self.dropped.entry(reason).or_default() += count;
        }
    }

    /// Counts characters that were left out because they may be hidden.
    pub fn doubt_characters(&mut self, reason: &'static str, count: usize) {
        *self.doubtful.entry(reason).or_default() += count;
    }

    /// Takes over what was found elsewhere in the message.
    pub fn join(&mut self, other: Self) {
        self.flags.extend(other.flags);
        for (reason, count) in other.dropped {
            self.drop_characters(reason, count);
        }
        for (reason, count) in other.doubtful {
            self.doubt_characters(reason, count);
        }
    }
}

/// What a provider found out about a sender; `None` where it did not look.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SenderVerdicts {
    /// Whether the server may send for the domain.
    pub spf: Option<&'static str>,
    /// Whether a signature holds.
    pub dkim: Option<&'static str>,
    /// Whether either fits the address that is shown.
    pub dmarc: Option<&'static str>,
    /// The server that says so.
    pub by: String,
}
