//! Headers and footers of Word: which of them a page has for certain.

use std::collections::HashSet;

use super::xml::Tag;

/// Letters that fill more than a page, however small they are set.
const MORE_THAN_A_PAGE: usize = 8_000;

/// What the text of a document leads to.
#[derive(Default)]
pub(super) struct References {
    /// Notes and comments by kind and number.
    pub(super) notes: HashSet<(String, String)>,
    sections: Vec<Section>,
    open: Section,
    /// Letters that are seen, and breaks to a new page.
    pub(super) letters: usize,
    pub(super) breaks: usize,
}

/// A section of a document, which says which headers its pages have.
#[derive(Default)]
struct Section {
    headers: Vec<(String, String)>,
    has_title_page: bool,
    /// Whether it goes on in the middle of a page.
    is_continuous: bool,
    /// Whether its pages are counted from some number on.
    is_numbered: bool,
}

impl References {
    pub(super) fn hear(&mut self, tag: &Tag<'_>, name: &str) {
        let section = &mut self.open;
        match name {
            "headerReference" | "footerReference" => {
                let id = tag.attribute("id").unwrap_or_default();
                section.headers.push((id, tag.attribute("type").unwrap_or_default()));
            }
            "titlePg" => section.has_title_page |= tag.is_on(),
            "type" => section.is_continuous = tag.attribute("val").is_some_and(|kind| kind != "nextPage"),
            "pgNumType" => section.is_numbered |= tag.attribute("start").is_some(),
            _ => {}
        }
    }

    pub(super) fn end_section(&mut self) {
        self.sections.push(std::mem::take(&mut self.open));
    }

    /// Whether a header stands on a page for certain; none where no section names it.
    pub(super) fn shows(&self, id: &str, has_even: bool) -> Option<bool> {
        let has_pages = self.breaks > 0 || self.letters > MORE_THAN_A_PAGE;
        let named = self.sections.iter().enumerate().flat_map(|(number, section)| {
            section
                .headers
                .iter()
                .filter(|(name, _)| name == id)
                .map(move |(_, kind)| (number, section, kind))
        });
        let shown = named.map(|(number, section, kind)| {
            let begins_page = number == 0 || !section.is_continuous;
            match kind.as_str() {
                "first" => section.has_title_page && begins_page,
                "even" => has_even && has_pages,
                _ if section.has_title_page => has_pages,
                _ => begins_page && (!has_even || !section.is_numbered || has_pages),
            }
        });
        shown.reduce(|one, other| one || other)
    }
}
