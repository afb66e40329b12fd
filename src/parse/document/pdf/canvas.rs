//! Paints a page in thought: where words stand, in which colour and size, on what, and what is painted over them. What
//! cannot be worked out (patterns, masks, blending, other shapes than rectangles to cut with) leaves the words in doubt.

use std::collections::HashSet;

use pdf_extract::content::Operation;
use pdf_extract::{Dictionary, Document, Object, ObjectId};

use super::ink::{Space, numbers};
use super::matrix::Matrix;
use super::state::{Paint, State, Words, seen};
use super::{Shows, operations};
use crate::model::Reason;
use crate::parse::document::sight::{Area, Ink};
use crate::parse::visible_text::{Verdict, WHITE};

/// Operations of a whole document that are looked at; what stands behind them is in doubt.
pub(super) const MOST_OPERATIONS: usize = 2_000_000;
/// Comparisons of words with what is painted, on one page.
const MOST_COMPARED: usize = 20_000_000;
/// Forms inside each other.
const DEEPEST: usize = 8;

/// A page while it is painted.
pub(super) struct Canvas<'d> {
    document: &'d Document,
    page: ObjectId,
    pub(super) budget: usize,
    compared: usize,
    state: State,
    kept: Vec<State>,
    text: Matrix,
    line: Matrix,
    path: Vec<Vec<(f32, f32)>>,
    /// Whether all of the path are rectangles.
    is_plain: bool,
    clips_next: bool,
    paints: Vec<Paint>,
    words: Vec<Words>,
    /// Marked parts that are open, and what held before them.
    marked: Vec<(Option<Reason>, Option<&'static str>)>,
    off: HashSet<ObjectId>,
    depth: usize,
}

impl<'d> Canvas<'d> {
    pub(super) fn new(document: &'d Document, page: ObjectId, budget: usize) -> Self {
        let area = box_of(document, page).unwrap_or(Area::sized(0.0, 0.0, 612.0, 792.0));
        Self {
            document,
            page,
            budget,
            compared: 0,
            state: State::on(area),
            kept: Vec::new(),
            text: Matrix::SAME,
            line: Matrix::SAME,
            path: Vec::new(),
            is_plain: true,
            clips_next: false,
            paints: Vec::new(),
            words: Vec::new(),
            marked: Vec::new(),
            off: switched_off(document),
            depth: 0,
        }
    }

    pub(super) fn paint_page(&mut self) {
        let empty = Dictionary::new();
        let resources = inherited(self.document, self.page, b"Resources");
        let resources = resources.and_then(|resources| resources.as_dict().ok()).unwrap_or(&empty);
        self.paint(self.page, true, resources);
    }

    /// What became of all words.
    pub(super) fn finished(self) -> Shows {
        let is_spent = self.compared > MOST_COMPARED;
        let mut shows = Shows::new();
        for words in self.words {
            let verdict = match (words.verdict, is_spent) {
                (Verdict::Shown, true) => Verdict::Doubtful("shapes"),
                (verdict, _) => verdict,
            };
            let known = shows.entry(words.place).or_insert((verdict, words.count));
            if verdict != Verdict::Shown {
                known.0 = verdict;
            }
        }
        shows
    }

    fn paint(&mut self, place: ObjectId, is_page: bool, resources: &Dictionary) {
        let Some(operations) = operations(self.document, place, is_page) else { return };
        for (number, operation) in operations.iter().enumerate() {
            if self.budget == 0 {
                self.state.doubt = Some("too complex");
            }
            self.budget = self.budget.saturating_sub(1);
            self.operation((place, number), operation, resources);
        }
    }

    fn operation(&mut self, place: (ObjectId, usize), operation: &Operation, resources: &Dictionary) {
        let operands = &operation.operands;
        match operation.operator.as_str() {
            "Tj" | "TJ" | "'" | "\"" => self.show(place, operands),
            "Do" => self.form(operands, resources),
            "m" | "l" | "c" | "v" | "y" | "h" | "re" => self.draw(&operation.operator, &numbers(operands)),
            "f" | "F" | "f*" | "B" | "B*" | "b" | "b*" => self.fill(),
            "S" | "s" | "n" => self.end_path(),
            "W" | "W*" => self.clips_next = true,
            "sh" => self.cover(self.state.clip, Ink::Unknown, true),
            "BI" | "EI" => self.picture(),
            "q" => self.keep(),
            "Q" => self.put_back(),
            "BMC" | "BDC" => self.mark(operands, resources),
            "EMC" => self.unmark(),
            "gs" => self.graphics_state(operands, resources),
            operator => {
                let values = numbers(operands);
                self.color(operator, &values, operands, resources);
                self.text_state(operator, &values, operands, resources);
            }
        }
    }

    fn keep(&mut self) {
        if self.kept.len() < 10_000 {
            self.kept.push(self.state);
        } else {
            self.state.doubt = Some("too complex");
        }
    }

    fn put_back(&mut self) {
        if let Some(state) = self.kept.pop() {
            self.state = state;
        }
    }

    fn color(&mut self, operator: &str, values: &[f32], operands: &[Object], resources: &Dictionary) {
        let space = match operator {
            "g" | "G" => Space::Gray,
            "rg" | "RG" => Space::Rgb,
            "k" | "K" => Space::Cmyk,
            "sc" | "scn" => self.state.fill_space,
            "SC" | "SCN" => self.state.stroke_space,
            "cs" | "CS" => {
                let name = operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default();
                Space::named(self.document, resources, name)
            }
            _ => return,
        };
        let ink = if matches!(operator, "cs" | "CS") { space.first() } else { space.color(values) };
        if operator.starts_with(|c: char| c.is_ascii_lowercase()) {
            (self.state.fill, self.state.fill_space) = (ink, space);
        } else {
            (self.state.stroke, self.state.stroke_space) = (ink, space);
        }
    }

    fn text_state(&mut self, operator: &str, values: &[f32], operands: &[Object], resources: &Dictionary) {
        let one = values.first().copied().unwrap_or(0.0);
        match (operator, values) {
            ("cm", [a, b, c, d, e, f]) => {
                self.state.matrix = Matrix([*a, *b, *c, *d, *e, *f]).then(&self.state.matrix);
            }
            ("BT", _) => (self.text, self.line) = (Matrix::SAME, Matrix::SAME),
            ("Tm", [a, b, c, d, e, f]) => {
                self.line = Matrix([*a, *b, *c, *d, *e, *f]);
                self.text = self.line;
            }
            ("Td", [x, y]) => self.next_line(*x, *y),
            ("TD", [x, y]) => {
                self.state.leading = -y;
                self.next_line(*x, *y);
            }
            ("T*", _) => self.next_line(0.0, -self.state.leading),
            ("TL", _) => self.state.leading = one,
            ("Tc", _) => self.state.letter_spacing = one,
            ("Tz", _) => self.state.scale = one / 100.0,
            ("Ts", _) => self.state.rise = one,
            ("Tr", _) => self.state.mode = one as i64,
            ("Tf", [.., size]) => self.font(operands, *size, resources),
            _ => {}
        }
    }

    fn next_line(&mut self, x: f32, y: f32) {
        self.line = Matrix::moved(x, y).then(&self.line);
        self.text = self.line;
    }

    fn font(&mut self, operands: &[Object], size: f32, resources: &Dictionary) {
        self.state.font_size = size;
        let name = operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default();
        let fonts = self.document.get_dict_in_dict(resources, b"Font");
        let font = fonts.ok().and_then(|fonts| self.document.get_dict_in_dict(fonts, name).ok());
        let kind = font.and_then(|font| font.get(b"Subtype").ok()?.as_name().ok()).unwrap_or_default();
        self.state.width = if kind == b"Type0" { 2 } else { 1 };
        // The letters of such a font are little programs that may paint anything.
        self.state.font_doubt = (kind == b"Type3" || font.is_none()).then_some("fonts");
    }

    fn show(&mut self, place: (ObjectId, usize), operands: &[Object]) {
        let mut count = 0;
        let (mut letters, mut moved) = (0.0, 0.0);
        let parts: Vec<&Object> = match operands.last() {
            Some(Object::Array(parts)) => parts.iter().collect(),
            Some(other) => vec![other],
            None => return,
        };
        for part in parts {
            match part {
                Object::String(bytes, _) => {
                    letters += bytes.len() as f32 / self.state.width as f32;
                    count += bytes.len() / self.state.width;
                }
                part => moved -= part.as_float().unwrap_or(0.0) / 1000.0 * self.state.font_size,
            }
        }
        // Half the size is a usual width.
        let along = letters * (0.5 * self.state.font_size + self.state.letter_spacing) + moved;
        let width = along * self.state.scale;
        let (low, high) =
            (self.state.rise - 0.1 * self.state.font_size, self.state.rise + 0.6 * self.state.font_size);
        let whole = self.text.then(&self.state.matrix);
        let corners = [(0.0, low), (width, low), (0.0, high), (width, high)];
        if let (true, Some(area)) = (count > 0, whole.around(corners)) {
            let ground = self.ground(&area);
            let verdict = seen(&self.state, &self.text, &area, ground);
            self.words.push(Words { place, area, count, verdict });
        }
        self.text = Matrix::moved(width, 0.0).then(&self.text);
        // What is painted from here on is cut to the shape of these letters.
        if self.state.mode >= 4 {
            self.state.doubt = self.state.doubt.or(Some("clipping"));
        }
    }

    /// What is behind words: what was painted there last.
    fn ground(&mut self, area: &Area) -> Ink {
        let center = area.center();
        for paint in self.paints.iter().rev() {
            self.compared += 1;
            if self.compared > MOST_COMPARED {
                return Ink::Unknown;
            }
            if paint.area.has(center) {
                return if paint.is_whole && area.share_in(&paint.area) > 0.8 {
                    paint.ink
                } else {
                    Ink::Unknown
                };
            }
        }
        Ink::Is(WHITE)
    }

    /// Paints over what was there.
    fn cover(&mut self, area: Area, ink: Ink, is_whole: bool) {
        let area = area.overlap(&self.state.clip);
        if area.left >= area.right || area.top >= area.bottom || self.state.hidden.is_some() {
            return;
        }
        let ink =
            if self.state.fill_opacity < 1.0 || self.state.doubt.is_some() { Ink::Unknown } else { ink };
        let covers = |words: &Words| area.share_in(&words.area) > 0.0 && words.area.share_in(&area) > 0.3;
        let is_certain = is_whole && ink != Ink::Unknown;
        self.compared += self.words.len();
        if self.compared > MOST_COMPARED {
            return;
        }
        for words in self.words.iter_mut().filter(|words| words.verdict == Verdict::Shown && covers(words)) {
            let all = words.area.share_in(&area) > 0.9;
            words.verdict = match is_certain && all {
                true => Verdict::Hidden(Reason::Covered),
                false => Verdict::Doubtful("something over it"),
            };
        }
        self.paints.push(Paint { area, ink, is_whole });
    }

    fn draw(&mut self, operator: &str, values: &[f32]) {
        match (operator, values) {
            ("re", [x, y, width, height]) => {
                let corners = vec![(*x, *y), (x + width, *y), (x + width, y + height), (*x, y + height)];
                self.path.push(corners);
            }
            ("m", [x, y]) => self.path.push(vec![(*x, *y)]),
            ("l", [x, y]) => self.path.last_mut().into_iter().for_each(|line| line.push((*x, *y))),
            ("c" | "v" | "y", values) => {
                self.is_plain = false;
                let points = values.chunks_exact(2).map(|pair| (pair[0], pair[1]));
                self.path.last_mut().into_iter().for_each(|line| line.extend(points.clone()));
            }
            _ => {}
        }
    }

    fn is_rectangle(&self, line: &[(f32, f32)]) -> bool {
        let corners = if line.len() == 5 && line.first() == line.last() { &line[..4] } else { line };
        let [a, b, c, d] = corners else { return false };
        let near = |x: f32, y: f32| (x - y).abs() < 0.01;
        let upright = (near(a.0, b.0) && near(b.1, c.1) && near(c.0, d.0) && near(d.1, a.1))
            || (near(a.1, b.1) && near(b.0, c.0) && near(c.1, d.1) && near(d.0, a.0));
        upright && self.state.matrix.is_upright()
    }

    fn fill(&mut self) {
        let lines = std::mem::take(&mut self.path);
        let is_plain = self.is_plain;
        for line in &lines {
            if let Some(area) = self.state.matrix.around(line.iter().copied()) {
                // Thin lines and rules cover nothing.
                let is_thin = (area.right - area.left).min(area.bottom - area.top) < 2.0;
                if !is_thin {
                    let is_whole = is_plain && lines.len() == 1 && self.is_rectangle(line);
                    self.cover(area, self.state.fill, is_whole);
                }
            }
        }
        self.path = lines;
        self.end_path();
    }

    fn end_path(&mut self) {
        let lines = std::mem::take(&mut self.path);
        if std::mem::take(&mut self.clips_next) {
            let area = self.state.matrix.around(lines.iter().flatten().copied());
            let is_whole =
                self.is_plain && lines.len() == 1 && lines.iter().all(|line| self.is_rectangle(line));
            match area {
                Some(area) => self.state.clip = self.state.clip.overlap(&area),
                None => self.state.hidden = Some(Reason::Clipped),
            }
            if !is_whole {
                self.state.doubt = self.state.doubt.or(Some("clipping"));
            }
        }
        self.is_plain = true;
    }

    fn graphics_state(&mut self, operands: &[Object], resources: &Dictionary) {
        let name = operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default();
        let states = self.document.get_dict_in_dict(resources, b"ExtGState");
        let Some(state) = states.ok().and_then(|states| self.document.get_dict_in_dict(states, name).ok())
        else {
            return;
        };
        let number = |key: &[u8]| state.get_deref(key, self.document).ok()?.as_float().ok();
        self.state.fill_opacity = number(b"ca").unwrap_or(self.state.fill_opacity);
        self.state.stroke_opacity = number(b"CA").unwrap_or(self.state.stroke_opacity);
        let is_named = |key: &[u8], usual: &[&[u8]]| match state.get_deref(key, self.document) {
            Ok(value) => value.as_name().is_ok_and(|name| usual.contains(&name)),
            Err(_) => true,
        };
        if !is_named(b"SMask", &[b"None"])
            || !is_named(b"BM", &[b"Normal", b"Compatible"])
            || state.has(b"Font")
        {
            self.state.doubt = Some("effects");
        }
    }

    fn mark(&mut self, operands: &[Object], resources: &Dictionary) {
        self.marked.push((self.state.hidden, self.state.doubt));
        let is_layer = operands.first().is_some_and(|tag| matches!(tag.as_name(), Ok(b"OC")));
        let name = operands.get(1).and_then(|name| name.as_name().ok());
        let (true, Some(name)) = (is_layer, name) else { return };
        let named = self.document.get_dict_in_dict(resources, b"Properties");
        let group = named.ok().and_then(|named| named.get(name).ok());
        self.layer(group);
    }

    fn unmark(&mut self) {
        if let Some((hidden, doubt)) = self.marked.pop() {
            (self.state.hidden, self.state.doubt) = (hidden, doubt);
        }
    }

    /// A part that a person can switch off, or that is switched off to begin with.
    fn layer(&mut self, group: Option<&Object>) {
        let id = group.and_then(|group| group.as_reference().ok());
        let dictionary = id.and_then(|id| self.document.get_dictionary(id).ok());
        let is_group = dictionary
            .is_some_and(|group| matches!(group.get(b"Type").and_then(Object::as_name), Ok(b"OCG")));
        match id {
            Some(id) if is_group && self.off.contains(&id) => self.state.hidden = Some(Reason::Display),
            Some(_) if is_group => {}
            _ => self.state.doubt = Some("layers"),
        }
    }

    /// A picture fills the unit square.
    fn picture(&mut self) {
        let square = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
        let matrix = self.state.matrix;
        if let Some(area) = matrix.around(square).filter(|_| matrix.size() > 4.0) {
            self.cover(area, Ink::Unknown, true);
        }
    }

    fn form(&mut self, operands: &[Object], resources: &Dictionary) {
        let name = operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default();
        let objects = self.document.get_dict_in_dict(resources, b"XObject");
        let Some(object) = objects.ok().and_then(|objects| objects.get(name).ok()) else { return };
        let Ok((id, Object::Stream(stream))) = self.document.dereference(object) else { return };
        let matrix = self.state.matrix;
        let (state, kept) = (self.state, std::mem::take(&mut self.kept));
        if stream.dict.has(b"OC") {
            self.layer(stream.dict.get(b"OC").ok());
        }
        let kind = stream.dict.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
        match (kind, id) {
            (b"Form", Some(id)) if self.depth < DEEPEST => {
                let array = |key: &[u8]| {
                    Some(numbers(stream.dict.get_deref(key, self.document).ok()?.as_array().ok()?))
                };
                if let Some([a, b, c, d, e, f]) = array(b"Matrix").as_deref() {
                    self.state.matrix = Matrix([*a, *b, *c, *d, *e, *f]).then(&matrix);
                }
                if let Some([left, low, right, high]) = array(b"BBox").as_deref() {
                    let corners = [(*left, *low), (*right, *low), (*left, *high), (*right, *high)];
                    if let Some(area) = self.state.matrix.around(corners) {
                        self.state.clip = self.state.clip.overlap(&area);
                    }
                }
                let own = stream.dict.get_deref(b"Resources", self.document).and_then(Object::as_dict);
                let (text, line, marked) = (self.text, self.line, std::mem::take(&mut self.marked));
                self.depth += 1;
                self.paint(id, false, own.unwrap_or(resources));
                self.depth -= 1;
                (self.text, self.line, self.marked) = (text, line, marked);
            }
            (b"Form", _) => self.state.doubt = Some("too complex"),
            _ => self.picture(),
        }
        (self.state, self.kept) = (state, kept);
    }
}

/// The part of a page that is shown.
fn box_of(document: &Document, page: ObjectId) -> Option<Area> {
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
fn inherited<'d>(document: &'d Document, page: ObjectId, key: &[u8]) -> Option<&'d Object> {
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
fn switched_off(document: &Document) -> HashSet<ObjectId> {
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
