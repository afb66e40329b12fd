//! Links, and images that stand for them.

use scraper::node::Element;

use crate::model::Flag;

use super::super::super::suspicion;
use super::super::computed::{Verdict, WhiteSpace, verdict};
use super::super::links;
use super::{Link, Renderer};

impl Renderer<'_> {
    /// An image shows nothing that can be read; one that is all there is of a link stands for it.
    pub(super) fn image(&mut self, element: &Element) {
        let is_tiny = |name| {
            element.attr(name).and_then(|size: &str| size.trim().parse::<f32>().ok()).is_some_and(|s| s < 4.0)
        };
        if self.flow.has_waiting_bracket()
            && !is_tiny("width")
            && !is_tiny("height")
            && verdict(self.style()) == Verdict::Shown
        {
            self.flow.text("image", WhiteSpace::Normal);
        }
    }

    pub(super) fn open_link(&mut self, href: Option<&str>) {
        let target = href.and_then(links::target);
        if target.is_some() {
            self.flow.open_bracket();
        }
        self.links.push(Link { target, start: self.flow.position() });
    }

    pub(super) fn close_link(&mut self) {
        let Some(Link { target: Some(target), start }) = self.links.pop() else { return };
        if self.flow.has_waiting_bracket() {
            return self.flow.drop_bracket();
        }
        self.findings.flags.extend(suspicion::of_host(&target.host));
        let written = self.flow.since(start);
        let Some(at) = written.find('[') else { return };
        let words = &written[at + 1..];
        let shown_host = links::shown_host(words);
        let is_same =
            shown_host.as_deref().is_none_or(|host| host.is_empty() || links::same_owner(host, &target.host));
        let repeats = words.trim() == target.shown
            || target.shown.strip_prefix("mailto:") == Some(words.trim())
            || shown_host.as_ref().is_some_and(|host| {
                is_same && words.trim().len() >= target.host.len() && *host == target.host
            });
        let length = target.shown.len() + 4;
        if !is_same && !target.host.is_empty() {
            self.findings.flag(Flag::HtmlLinkExfil);
            return self.flow.append(&format!("]({} ⚠ other host than shown)", target.shown));
        }
        match repeats || !self.flow.may_mark(length) {
            true => self.flow.unbracket(start + at),
            false => self.flow.append(&format!("]({})", target.shown)),
        }
    }
}
