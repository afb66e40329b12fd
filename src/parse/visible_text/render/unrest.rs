//! Small or tight text in a document where something is moved or painted beyond its box. Each such thing alone is
//! understood and leaves text of usual size readable; what several of them leave of small letters, or what comes of two
//! kinds of them, is not worked out.

use std::collections::HashSet;

use ego_tree::NodeId;

use super::super::computed::{KNOWN, Style};
use super::super::css::sheet::may_be_solid;
use super::Renderer;

/// What a document holds of this.
#[derive(Debug, Default)]
pub(super) struct Unrest {
    /// In which ways things are moved, or painted beyond their boxes.
    ways: u16,
    /// Signs are drawn that may be solid.
    has_solid: bool,
    /// Texts that little may hide, and all that are not large.
    tight: HashSet<NodeId>,
    small: HashSet<NodeId>,
}

impl Unrest {
    /// Looks at an element: what draws nothing of its own only moves what follows it.
    pub(super) fn see(&mut self, style: &Style) {
        self.ways |= if style.is_painted() { style.unrest } else { style.unrest & !KNOWN };
    }

    /// Looks at a text of a style.
    pub(super) fn see_text(&mut self, text: &str, style: &Style, node: NodeId) {
        if !style.may_have_ink() || text.trim().is_empty() {
            return;
        }
        self.ways |= style.unrest | if style.leaves_lines() { KNOWN } else { 0 };
        self.has_solid |= !text.is_ascii() && text.chars().any(may_be_solid);
        if style.is_tight() {
            self.tight.insert(node);
        }
        if !style.is_large() {
            self.small.insert(node);
        }
    }
}

impl Renderer<'_> {
    /// The texts that can be read for sure, where not all can.
    pub(super) fn calm_texts(&self) -> Option<HashSet<NodeId>> {
        let Unrest { ways, has_solid, tight, small } = &self.unrest;
        let reached = if ways.count_ones() > 1 { small } else { tight };
        let is_calm = |node: &NodeId| !has_solid && !reached.contains(node);
        let shown = || self.shown.iter().map(|(_, node)| *node);
        (*ways != 0 && !shown().all(|node| is_calm(&node))).then(|| shown().filter(is_calm).collect())
    }
}
