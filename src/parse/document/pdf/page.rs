//! What a page says of itself: how large it is, and which of its layers are off.

use std::collections::HashSet;

use pdf_extract::{Dictionary, Document, Object, ObjectId};

use super::ink::numbers;
use crate::model::Reason;
use crate::parse::document::sight::Area;
use crate::parse::visible_text::Verdict;

/// The part of a page that is shown.
pub(super) fn box_of(document: &Document, page: ObjectId) -> Option<Area> {
    let read = |key: &[u8]| {
        let numbers = numbers(inherited(document, page, key)?.as_array().ok()?);
        let [a, b, c, d] = numbers.as_slice() else { return None };
        Some(Area { left: a.min(*c), top: b.min(*d), right: a.max(*c), bottom: b.max(*d) })
    };
    let media = read(b"MediaBox");
    match (read(b"CropBox"), media) {
        (Some(crop), Some(media)) => Some(crop.overlap(&media)),
        (crop, media) => crop.or(media),
    }
}

/// An entry of a page, or of what is above it.
pub(super) fn inherited<'d>(document: &'d Document, page: ObjectId, key: &[u8]) -> Option<&'d Object> {
    let mut next = page;
    for _ in 0..50 {
        let dictionary = document.get_dictionary(next).ok()?;
        if let Ok(object) = dictionary.get_deref(key, document) {
            return Some(object);
        }
        next = dictionary.get(b"Parent").ok()?.as_reference().ok()?;
    }
    None
}

/// What becomes of layers when the document is opened.
pub(super) struct Layers<'d> {
    document: &'d Document,
    known: HashSet<ObjectId>,
    off: HashSet<ObjectId>,
    /// Whether programs may switch layers by what they say of themselves.
    are_plain: bool,
}

impl<'d> Layers<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        let mut layers = Self { document, known: HashSet::new(), off: HashSet::new(), are_plain: true };
        let properties =
            document.catalog().and_then(|catalog| document.get_dict_in_dict(catalog, b"OCProperties"));
        let Ok(properties) = properties else { return layers };
        layers.known = layers.list(properties, b"OCGs");
        let Ok(usual) = document.get_dict_in_dict(properties, b"D") else { return layers };
        match usual.get_deref(b"BaseState", document).and_then(Object::as_name) {
            Ok(b"OFF") => {
                let on = layers.list(usual, b"ON");
                layers.off = layers.known.difference(&on).copied().collect();
            }
            Ok(b"ON") | Err(_) => layers.off = layers.list(usual, b"OFF"),
            Ok(_) => layers.are_plain = false,
        }
        layers
    }

    fn list(&self, dictionary: &Dictionary, key: &[u8]) -> HashSet<ObjectId> {
        let array = dictionary.get_deref(key, self.document).and_then(Object::as_array);
        array.map(|array| array.iter().filter_map(|id| id.as_reference().ok()).collect()).unwrap_or_default()
    }

    /// Whether what is in a layer is seen: not where it is off, and in doubt where it is not plainly on.
    pub(super) fn verdict(&self, layer: Option<&Object>) -> Verdict {
        let Some(id) = layer.and_then(|layer| layer.as_reference().ok()) else { return DOUBT };
        let Ok(group) = self.document.get_dictionary(id) else { return DOUBT };
        let is_group =
            matches!(group.get_deref(b"Type", self.document).and_then(Object::as_name), Ok(b"OCG"));
        match () {
            () if is_group && self.off.contains(&id) => Verdict::Hidden(Reason::Display),
            () if is_group && self.are_plain && self.known.contains(&id) && self.is_always_on(group) => {
                Verdict::Shown
            }
            () => DOUBT,
        }
    }

    /// Whether a layer says of itself nothing that may switch it off: for a purpose, a size, a language or a reader.
    fn is_always_on(&self, group: &Dictionary) -> bool {
        let Ok(usage) = group.get_deref(b"Usage", self.document) else { return true };
        let Ok(usage) = usage.as_dict() else { return false };
        usage.iter().all(|(purpose, said)| match purpose.as_slice() {
            b"CreatorInfo" | b"PageElement" => true,
            b"View" | b"Print" | b"Export" => {
                let said = self.document.dereference(said).ok().and_then(|(_, said)| said.as_dict().ok());
                said.is_some_and(|said| {
                    said.iter().all(|(_, value)| value.as_name().is_ok_and(|name| name != b"OFF"))
                })
            }
            _ => false,
        })
    }
}

const DOUBT: Verdict = Verdict::Doubtful("layers");
