//! What a page says of itself: how large it is, and which of its layers are off.

use std::collections::HashSet;

use pdf_extract::{Dictionary, Document, Object, ObjectId};

use super::ink::numbers;
use crate::parse::document::sight::Area;

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

/// Layers that are off when the document is opened.
pub(super) fn switched_off(document: &Document) -> HashSet<ObjectId> {
    let Ok(catalog) = document.catalog() else { return HashSet::new() };
    let Ok(properties) = document.get_dict_in_dict(catalog, b"OCProperties") else { return HashSet::new() };
    let Ok(usual) = document.get_dict_in_dict(properties, b"D") else { return HashSet::new() };
    let list = |dictionary: &Dictionary, key: &[u8]| -> HashSet<ObjectId> {
        let array = dictionary.get_deref(key, document).and_then(Object::as_array);
        array.map(|array| array.iter().filter_map(|id| id.as_reference().ok()).collect()).unwrap_or_default()
    };
    let all_off = usual.get(b"BaseState").and_then(Object::as_name).is_ok_and(|name| name == b"OFF");
    match all_off {
        true => list(properties, b"OCGs").difference(&list(usual, b"ON")).copied().collect(),
        false => list(usual, b"OFF"),
    }
}
