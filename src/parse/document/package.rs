//! What office formats share: which part a relation leads to, and the colours of the theme. A part that nothing leads to
//! is never shown, so it is not read.

use std::collections::HashMap;

use super::DocumentError;
use super::archive::Archive;
use super::docx_styles::is_pictures;
use super::sight::Ink;
use super::xml::{self, Listener, Tag};

/// A relation from one part to another.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    pub(super) id: String,
    /// The last word of its type: `header`, `slideLayout`, `theme`.
    pub(super) kind: String,
    /// The part it leads to.
    pub(super) target: String,
}

#[derive(Default)]
struct Relations {
    folder: String,
    found: Vec<Relation>,
}

impl Listener for Relations {
    fn open(&mut self, tag: &Tag<'_>) {
        let is_inside = tag.attribute("TargetMode").is_none_or(|mode| mode != "External");
        if let (true, Some(target)) = (is_inside && tag.name() == "Relationship", tag.attribute("Target")) {
            let kind = tag.attribute("Type").unwrap_or_default();
            self.found.push(Relation {
                id: tag.attribute("Id").unwrap_or_default(),
                kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                target: joined(&self.folder, &target),
            });
        }
    }

    fn close(&mut self, _name: &str) {}

    fn text(&mut self, _text: &str) {}
}

/// A target as a path from the root of the archive.
fn joined(folder: &str, target: &str) -> String {
    let whole = match target.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => format!("{folder}/{target}"),
    };
    let mut steps: Vec<&str> = Vec::new();
    for step in whole.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// The relations of a part; of the whole document for an empty name. None where the archive has no such list.
pub(super) fn relations(archive: &mut Archive<'_>, part: &str) -> Result<Vec<Relation>, DocumentError> {
    let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
    let list = joined(folder, &format!("_rels/{file}.rels"));
    let mut relations = Relations { folder: folder.to_owned(), found: Vec::new() };
    if let Some(text) = archive.part_if_any(&list)? {
        xml::walk(&text, &mut relations);
    }
    Ok(relations.found)
}

/// The part that holds the document itself.
pub(super) fn main_part(archive: &mut Archive<'_>, usual: &str) -> Result<String, DocumentError> {
    let all = relations(archive, "")?;
    let main = all.into_iter().find(|relation| relation.kind == "officeDocument");
    Ok(main.map_or_else(|| usual.to_owned(), |relation| relation.target))
}

/// The part of a kind that a part leads to, as text.
pub(super) fn related(
    archive: &mut Archive<'_>,
    relations: &[Relation],
    kind: &str,
) -> Result<Option<String>, DocumentError> {
    match relations.iter().find(|relation| relation.kind == kind) {
        Some(relation) => archive.part_if_any(&relation.target),
        None => Ok(None),
    }
}

/// The twelve colours of a theme, by name: `dk1`, `lt1`, `accent1`.
#[derive(Debug, Clone, Default)]
pub(super) struct Theme {
    colors: HashMap<String, Ink>,
    inside: Option<String>,
    /// Whether its fonts are of signs, not of letters.
    pub(super) has_signs: bool,
    /// Names that stand for others: `tx1` for `lt1` on dark slides.
    names: HashMap<String, String>,
}

/// The names of colours that a part maps to others.
const MAPPED: [&str; 12] = [
    "bg1", "tx1", "bg2", "tx2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink",
    "folHlink",
];

impl Theme {
    /// Reads a theme; without one its colours are those of new documents.
    pub(super) fn read(text: Option<&str>) -> Self {
        let mut theme = Self::default();
        for (name, color) in [("dk1", "000000"), ("lt1", "FFFFFF")] {
            theme.colors.insert(name.to_owned(), Ink::hex(color));
        }
        if let Some(text) = text {
            xml::walk(text, &mut theme);
        }
        theme
    }

    /// The same with the names that a slide, its layout or its master maps to others.
    pub(super) fn mapped(mut self, part: &str) -> Self {
        let mut map = NameMap::default();
        xml::walk(part, &mut map);
        self.names.extend(map.found);
        self
    }

    /// A colour by any of the names that formats have for it.
    pub(super) fn color(&self, name: &str) -> Ink {
        let name = self.names.get(name).map_or(name, String::as_str);
        let name = match name {
            "text1" | "dark1" | "tx1" => "dk1",
            "background1" | "light1" | "bg1" => "lt1",
            "text2" | "dark2" | "tx2" => "dk2",
            "background2" | "light2" | "bg2" => "lt2",
            "hyperlink" => "hlink",
            "followedHyperlink" => "folHlink",
            other => other,
        };
        self.colors.get(name).copied().unwrap_or(Ink::Unknown)
    }

    /// A colour by its number in workbooks, which count light before dark.
    pub(super) fn numbered(&self, number: usize) -> Ink {
        const NAMES: [&str; 12] = [
            "lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6",
            "hlink", "folHlink",
        ];
        NAMES.get(number).map_or(Ink::Unknown, |name| self.color(name))
    }
}

impl Listener for Theme {
    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name();
        let color = match name.as_ref() {
            "latin" | "ea" | "cs" => {
                self.has_signs |= tag.attribute("typeface").is_some_and(|font| is_pictures(&font));
                return;
            }
            "srgbClr" => tag.attribute("val"),
            "sysClr" => tag.attribute("lastClr"),
            "dk1" | "lt1" | "dk2" | "lt2" | "hlink" | "folHlink" => {
                self.inside = Some(name.into_owned());
                return;
            }
            accent if accent.starts_with("accent") => {
                self.inside = Some(name.into_owned());
                return;
            }
            _ => return,
        };
        if let (Some(inside), Some(color)) = (self.inside.take(), color) {
            self.colors.insert(inside, Ink::hex(&color));
        }
    }

    fn close(&mut self, name: &str) {
        if name == "clrScheme" {
            self.inside = None;
        }
    }

    fn text(&mut self, _text: &str) {}
}

#[derive(Default)]
struct NameMap {
    found: Vec<(String, String)>,
}

impl Listener for NameMap {
    fn open(&mut self, tag: &Tag<'_>) {
        if matches!(tag.name().as_ref(), "clrMap" | "overrideClrMapping") {
            let pairs = MAPPED.iter().filter_map(|name| Some(((*name).to_owned(), tag.attribute(name)?)));
            self.found.extend(pairs);
        }
    }

    fn close(&mut self, _name: &str) {}

    fn text(&mut self, _text: &str) {}
}
