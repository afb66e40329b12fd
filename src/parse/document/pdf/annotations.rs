//! What is stuck onto a page: notes, stamps, fields of forms. They are painted after the page itself, so they may cover it.

use pdf_extract::{Dictionary, Document, Object, ObjectId};

use super::ink::numbers;
use super::matrix::Matrix;
use crate::parse::document::sight::Area;

/// Things on a page that are looked at; what is behind more of them is in doubt.
pub(super) const MOST: usize = 5_000;

/// Something on a page.
pub(super) enum Annotation {
    /// Painted by a form, which is moved to its place.
    Form(ObjectId, Matrix),
    /// Painted by the program in a way of its own.
    Area(Area),
}

/// What is shown on a page, in its order.
pub(super) fn of_page(document: &Document, page: ObjectId) -> Vec<Annotation> {
    let list = document.get_dictionary(page).and_then(|page| page.get_deref(b"Annots", document));
    let Ok(list) = list.and_then(Object::as_array) else { return Vec::new() };
    let dictionaries =
        list.iter().take(MOST).filter_map(|object| document.dereference(object).ok()?.1.as_dict().ok());
    dictionaries.filter_map(|annotation| shown(document, annotation)).collect()
}

fn shown(document: &Document, annotation: &Dictionary) -> Option<Annotation> {
    let flags = annotation.get_deref(b"F", document).and_then(Object::as_i64).unwrap_or(0);
    let kind = annotation.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
    // Hidden, or not for the screen. Some viewers show what others hide, so these cover nothing for certain.
    if flags & 0b10_0010 != 0 || matches!(kind, b"Popup" | b"Link") {
        return None;
    }
    let place = numbers(annotation.get_deref(b"Rect", document).ok()?.as_array().ok()?);
    let [a, b, c, d] = place[..] else { return None };
    let place = Area { left: a.min(c), top: b.min(d), right: a.max(c), bottom: b.max(d) };
    match appearance(document, annotation) {
        Some(form) => Some(moved(document, form, &place)),
        None if matches!(kind, b"Square" | b"Circle" | b"Polygon" | b"FreeText" | b"Redact" | b"Stamp") => {
            Some(Annotation::Area(place))
        }
        None => None,
    }
}

/// The form that an annotation is painted by, in the state that it is in.
fn appearance(document: &Document, annotation: &Dictionary) -> Option<ObjectId> {
    let normal = document.get_dict_in_dict(annotation, b"AP").ok()?.get(b"N").ok()?;
    let (id, object) = document.dereference(normal).ok()?;
    let Ok(states) = object.as_dict() else { return id };
    if object.as_stream().is_ok() {
        return id;
    }
    let state = annotation.get(b"AS").and_then(Object::as_name).ok()?;
    states.get(state).ok()?.as_reference().ok()
}

/// The box of the form is stretched to the place of the annotation (ISO 32000-1, 12.5.5).
fn moved(document: &Document, form: ObjectId, place: &Area) -> Annotation {
    let stream = document.get_object(form).and_then(Object::as_stream).ok();
    let array = |key: &[u8]| Some(numbers(stream?.dict.get_deref(key, document).ok()?.as_array().ok()?));
    let matrix = match array(b"Matrix").as_deref() {
        Some([a, b, c, d, e, f]) => Matrix([*a, *b, *c, *d, *e, *f]),
        _ => Matrix::SAME,
    };
    let around = array(b"BBox").and_then(|sides| {
        let [left, low, right, high] = sides[..] else { return None };
        matrix.around([(left, low), (right, low), (left, high), (right, high)])
    });
    let Some(around) = around.filter(|around| around.right > around.left && around.bottom > around.top)
    else {
        return Annotation::Area(*place);
    };
    let wide = (place.right - place.left) / (around.right - around.left);
    let high = (place.bottom - place.top) / (around.bottom - around.top);
    let at = (place.left - around.left * wide, place.top - around.top * high);
    Annotation::Form(form, Matrix([wide, 0.0, 0.0, high, at.0, at.1]))
}
