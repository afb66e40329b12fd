//! Paints a page in thought: where words stand, in which colour and size, on what, and what is painted over them. What
//! cannot be worked out (patterns, masks, blending, other shapes than rectangles to cut with) leaves the words in doubt.

use std::collections::HashMap;
use std::rc::Rc;

use pdf_extract::content::Operation;
use pdf_extract::{Dictionary, Document, Object, ObjectId};

use super::annotations::{self, Annotation};
use super::font::Font;
use super::heap::{Heap, pieces};
use super::ink::{Space, numbers};
use super::line::Line;
use super::matrix::Matrix;
use super::page::{Layers, box_of, inherited};
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
/// Different things behind the same words.
const MOST_GROUNDS: usize = 6;
/// Entries of graphics states that leave letters as they are, or whose values are looked at.
const OF_STATES: &str = "\
    AIS BG BG2 BM CA D FL HT LC LJ LW ML OP OPM RI SA SM SMask TK TR TR2 Type UCR UCR2 UseBlackPtComp ca op";
/// Pieces of a line that are looked at.
const MOST_PIECES: usize = 2_000;

/// Fonts that were read, by their numbers.
pub(super) type Fonts = HashMap<ObjectId, Rc<Font>>;

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
    has_diagonals: bool,
    clips_next: bool,
    paints: Vec<Paint>,
    words: Vec<Words>,
    heap: Heap,
    /// Marked parts that are open, and what held before them.
    marked: Vec<(Option<Reason>, Option<&'static str>)>,
    layers: Layers<'d>,
    depth: usize,
    /// The fonts of all pages that were painted.
    pub(super) fonts: Fonts,
    font: Rc<Font>,
    kept_fonts: Vec<Rc<Font>>,
    /// What is painted is no text of the page.
    is_annotation: bool,
}

impl<'d> Canvas<'d> {
    pub(super) fn new(document: &'d Document, page: ObjectId, (budget, fonts): (usize, Fonts)) -> Self {
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
            has_diagonals: false,
            clips_next: false,
            paints: Vec::new(),
            words: Vec::new(),
            heap: Heap::default(),
            marked: Vec::new(),
            layers: Layers::of(document),
            depth: 0,
            fonts,
            font: Rc::new(Font::missing()),
            kept_fonts: Vec::new(),
            is_annotation: false,
        }
    }

    pub(super) fn paint_page(&mut self) {
        let empty = Dictionary::new();
        let resources = inherited(self.document, self.page, b"Resources");
        let resources = resources.and_then(|resources| resources.as_dict().ok()).unwrap_or(&empty);
        self.paint(self.page, true, resources);
        self.paint_annotations();
    }

    fn paint_annotations(&mut self) {
        let area = box_of(self.document, self.page).unwrap_or(self.state.clip);
        self.is_annotation = true;
        for annotation in annotations::of_page(self.document, self.page) {
            self.kept.clear();
            self.state = State::on(area);
            match annotation {
                Annotation::Area(area) => self.cover(area, Ink::Unknown, true),
                Annotation::Form(form, matrix) => {
                    self.state.matrix = matrix;
                    self.form(form, &Dictionary::new());
                }
            }
        }
    }

    /// What became of all words.
    pub(super) fn finished(mut self) -> Shows {
        self.compared += self.heap.settle(&mut self.words, MOST_COMPARED.saturating_sub(self.compared));
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
            "Tj" | "TJ" => self.show(place, operands),
            "'" | "\"" => {
                if let ("\"", [word, letter, ..]) =
                    (operation.operator.as_str(), numbers(operands).as_slice())
                {
                    (self.state.word_spacing, self.state.letter_spacing) = (*word, *letter);
                }
                self.next_line(0.0, -self.state.leading);
                self.show(place, operands);
            }
            "Do" => self.object(operands, resources),
            "m" | "l" | "c" | "v" | "y" | "h" | "re" => self.draw(&operation.operator, &numbers(operands)),
            "f" | "F" | "f*" => self.fill(),
            "B" | "B*" | "b" | "b*" => {
                self.stroke();
                self.fill();
            }
            "S" | "s" => {
                self.stroke();
                self.end_path();
            }
            "n" => self.end_path(),
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
            self.kept_fonts.push(Rc::clone(&self.font));
        } else {
            self.state.doubt = Some("too complex");
        }
    }

    fn put_back(&mut self) {
        if let (Some(state), Some(font)) = (self.kept.pop(), self.kept_fonts.pop()) {
            (self.state, self.font) = (state, font);
        }
    }

    fn color(&mut self, operator: &str, values: &[f32], operands: &[Object], resources: &Dictionary) {
        let space = match operator {
            "g" | "G" => Space::named(self.document, resources, b"DeviceGray"),
            "rg" | "RG" => Space::named(self.document, resources, b"DeviceRGB"),
            "k" | "K" => Space::named(self.document, resources, b"DeviceCMYK"),
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
            ("Tw", _) => self.state.word_spacing = one,
            ("w", _) => self.state.line_width = one,
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
        let found = fonts.ok().and_then(|fonts| self.document.dereference(fonts.get(name).ok()?).ok());
        self.font = match found.and_then(|(id, font)| Some((id, font.as_dict().ok()?))) {
            None => Rc::new(Font::missing()),
            Some((None, font)) => Rc::new(Font::read(self.document, font)),
            Some((Some(id), font)) => {
                let document = self.document;
                Rc::clone(self.fonts.entry(id).or_insert_with(|| Rc::new(Font::read(document, font))))
            }
        };
    }

    fn show(&mut self, place: (ObjectId, usize), operands: &[Object]) {
        let line = Line::of(operands, &self.font, &self.state);
        let font_size = self.state.font_size;
        let width = line.along * font_size * self.state.scale;
        let (low, high) = (self.state.rise - 0.1 * font_size, self.state.rise + 0.6 * font_size);
        let whole = self.text.then(&self.state.matrix);
        let corners = [(0.0, low), (width, low), (0.0, high), (width, high)];
        if let (true, false, Some(area)) = (line.count > 0, self.is_annotation, whole.around(corners)) {
            let verdict = match (self.seen_at(&area), line.doubt) {
                (Verdict::Shown, Some(doubt)) => Verdict::Doubtful(doubt),
                (verdict, _) => verdict,
            };
            let pieces = pieces(&whole, line.count, (width, low, high));
            let (mark, ink) = (line.mark, self.state.painted());
            self.heap.add(self.words.len(), pieces);
            self.words.push(Words {
                place,
                area,
                count: line.count,
                verdict,
                mark,
                ink,
                covered: 0.0,
                rows: 0.0,
            });
        }
        self.text = Matrix::moved(width, 0.0).then(&self.text);
        // What is painted from here on is cut to the shape of these letters.
        if self.state.mode >= 4 {
            self.state.doubt = self.state.doubt.or(Some("clipping"));
        }
    }

    /// Whether words can be read there, on all that is behind them.
    fn seen_at(&mut self, area: &Area) -> Verdict {
        let grounds = self.grounds(area);
        let verdicts =
            grounds.iter().map(|ground| seen(&self.state, &self.font, (&self.text, area), *ground));
        let unseen: Vec<Verdict> = verdicts.filter(|verdict| *verdict != Verdict::Shown).collect();
        match unseen.first() {
            None => Verdict::Shown,
            Some(verdict) if unseen.len() == grounds.len() => *verdict,
            Some(_) => Verdict::Doubtful("background"),
        }
    }

    /// What is behind words: all that was painted there, down to what was there under all of them.
    fn grounds(&mut self, area: &Area) -> Vec<Ink> {
        let mut grounds = Vec::new();
        for paint in self.paints.iter().rev() {
            self.compared += 1;
            if self.compared > MOST_COMPARED || grounds.len() > MOST_GROUNDS {
                return vec![Ink::Unknown];
            }
            let share = area.share_in(&paint.area);
            let ink = if paint.is_whole { paint.ink } else { Ink::Unknown };
            if share > 0.8 || paint.area.has(area.center()) && share > 0.6 {
                grounds.push(ink);
                return grounds;
            }
            // Lines under and through letters, and what begins beside them, leave most of them as they are.
            if share > 0.2 && (ink != Ink::Unknown || paint.area.has(area.center())) {
                grounds.push(ink);
            }
        }
        grounds.push(Ink::Is(WHITE));
        grounds
    }

    /// Paints over what was there.
    fn cover(&mut self, area: Area, ink: Ink, is_whole: bool) {
        let area = area.overlap(&self.state.clip);
        if area.left >= area.right || area.top >= area.bottom || self.state.hidden.is_some() {
            return;
        }
        let opacity = self.state.fill_opacity * self.state.group_opacity;
        // Light colours that are multiplied with what is there leave it readable: that is how text is marked.
        if opacity < 0.02 || self.state.is_multiplied && matches!(ink, Ink::Is(color) if color.luma() > 0.4) {
            return;
        }
        let ink = if opacity < 1.0 || self.state.doubt.is_some() { Ink::Unknown } else { ink };
        let is_certain = is_whole && ink != Ink::Unknown;
        self.compared += self.words.len();
        if self.compared > MOST_COMPARED {
            return;
        }
        for words in self.words.iter_mut().filter(|words| words.verdict == Verdict::Shown) {
            if let Some(verdict) = words.covered_by(&area, is_certain) {
                words.verdict = verdict;
            }
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
            ("l", [x, y]) => {
                let Some(line) = self.path.last_mut() else { return };
                let is_diagonal = |(a, b): &(f32, f32)| (a - x).abs() > 0.01 && (b - y).abs() > 0.01;
                self.has_diagonals |= line.last().is_some_and(is_diagonal);
                line.push((*x, *y));
            }
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

    /// What a rectangle with round corners fills for certain. The points of such corners lie on the sides, those that lead
    /// the curve at about half of its radius.
    fn inside_round_corners(&self, line: &[(f32, f32)]) -> Option<Area> {
        let Area { left, top, right, bottom } = Matrix::SAME.around(line.iter().copied())?;
        let near = |x: f32, y: f32| (x - y).abs() < 0.05 + 0.002 * (right - left).max(bottom - top);
        let at_side =
            |(x, y): &(f32, f32)| (near(*x, left) || near(*x, right), near(*y, top) || near(*y, bottom));
        if self.has_diagonals
            || !self.state.matrix.is_upright()
            || !line.iter().all(|point| at_side(point) != (false, false))
        {
            return None;
        }
        let least = |distances: &mut dyn Iterator<Item = f32>| 2.2 * distances.fold(f32::MAX, f32::min);
        let across = line.iter().filter(|point| at_side(point) == (false, true));
        let along = line.iter().filter(|point| at_side(point) == (true, false));
        let x = least(&mut across.map(|(x, _)| (x - left).min(right - x)));
        let y = least(&mut along.map(|(_, y)| (y - top).min(bottom - y)));
        let upright = Area { left: left + x, right: right - x, top, bottom };
        let lying = Area { left, right, top: top + y, bottom: bottom - y };
        let size = |area: &Area| (area.right - area.left).max(0.0) * (area.bottom - area.top).max(0.0);
        let inner = if size(&upright) > size(&lying) { upright } else { lying };
        let corners = [(inner.left, inner.top), (inner.right, inner.bottom)];
        self.state.matrix.around(corners).filter(|_| size(&inner) > 0.0)
    }

    fn fill(&mut self) {
        let lines = std::mem::take(&mut self.path);
        let is_plain = self.is_plain;
        for line in &lines {
            if let Some(area) = self.state.matrix.around(line.iter().copied()) {
                let is_whole = is_plain && lines.len() == 1 && self.is_rectangle(line);
                self.cover(area, self.state.fill, is_whole);
                let inner = if is_plain || lines.len() > 1 { None } else { self.inside_round_corners(line) };
                if let Some(inner) = inner {
                    self.cover(inner, self.state.fill, true);
                }
            }
        }
        self.path = lines;
        self.end_path();
    }

    /// Paints along a path: each of its straight pieces is a band, and all of a curve may be one.
    fn stroke(&mut self) {
        let (along, across) = self.state.matrix.scales();
        let half = (self.state.line_width.abs() * along.max(across) / 2.0).max(0.1);
        let opacity = std::mem::replace(&mut self.state.fill_opacity, self.state.stroke_opacity);
        for line in self.path.clone() {
            let pieces: Vec<&[(f32, f32)]> =
                if self.is_plain { line.windows(2).collect() } else { vec![&line] };
            for piece in pieces.into_iter().take(MOST_PIECES) {
                if let Some(area) = self.state.matrix.around(piece.iter().copied()) {
                    let is_straight = (area.right - area.left).min(area.bottom - area.top) < 0.1;
                    self.cover(area.grown(half), self.state.stroke, is_straight);
                }
            }
        }
        self.state.fill_opacity = opacity;
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
        (self.is_plain, self.has_diagonals) = (true, false);
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
        self.state.line_width = number(b"LW").unwrap_or(self.state.line_width);
        let is_named = |key: &[u8], usual: &[&[u8]]| match state.get_deref(key, self.document) {
            Ok(value) => value.as_name().is_ok_and(|name| usual.contains(&name)),
            Err(_) => true,
        };
        let multiplies =
            state.get_deref(b"BM", self.document).and_then(Object::as_name).ok() == Some(b"Multiply");
        let is_usual = is_named(b"BM", &[b"Normal", b"Compatible", b"Multiply"]);
        if state.has(b"BM") {
            self.state.is_multiplied = multiplies;
        }
        let is_known = |key: &[u8]| OF_STATES.split_ascii_whitespace().any(|known| known.as_bytes() == key);
        let is_plain =
            [b"TR".as_slice(), b"TR2", b"HT"].iter().all(|key| is_named(key, &[b"Identity", b"Default"]));
        if !is_named(b"SMask", &[b"None"])
            || !is_usual
            || !is_plain
            || !state.iter().all(|(key, _)| is_known(key))
        {
            self.state.doubt = Some("effects");
        }
    }

    fn mark(&mut self, operands: &[Object], resources: &Dictionary) {
        self.marked.push((self.state.hidden, self.state.doubt));
        let is_layer = operands.first().is_some_and(|tag| matches!(tag.as_name(), Ok(b"OC")));
        if !is_layer {
            return;
        }
        let name = operands.get(1).and_then(|name| name.as_name().ok());
        let named = self.document.get_dict_in_dict(resources, b"Properties").ok();
        self.layer(named.zip(name).and_then(|(named, name)| named.get(name).ok()));
    }

    fn unmark(&mut self) {
        if let Some((hidden, doubt)) = self.marked.pop() {
            (self.state.hidden, self.state.doubt) = (hidden, doubt);
        }
    }

    /// A part that a person can switch off, or that is switched off to begin with.
    fn layer(&mut self, group: Option<&Object>) {
        match self.layers.verdict(group) {
            Verdict::Hidden(reason) => self.state.hidden = Some(reason),
            Verdict::Doubtful(reason) => self.state.doubt = Some(reason),
            Verdict::Shown => {}
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

    /// A form or a picture that the page names.
    fn object(&mut self, operands: &[Object], resources: &Dictionary) {
        let name = operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default();
        let objects = self.document.get_dict_in_dict(resources, b"XObject");
        let id = objects.ok().and_then(|objects| objects.get(name).ok()?.as_reference().ok());
        if let Some(id) = id {
            self.form(id, resources);
        }
    }

    fn form(&mut self, id: ObjectId, resources: &Dictionary) {
        let Ok(Object::Stream(stream)) = self.document.get_object(id) else { return };
        let (state, kept) = (self.state, std::mem::take(&mut self.kept));
        let (font, kept_fonts) = (Rc::clone(&self.font), std::mem::take(&mut self.kept_fonts));
        if stream.dict.has(b"OC") {
            self.layer(stream.dict.get(b"OC").ok());
        }
        let kind = stream.dict.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
        match kind {
            b"Form" if self.depth < DEEPEST => self.paint_form(id, &stream.dict, resources),
            b"Form" => self.state.doubt = Some("too complex"),
            _ => self.picture(),
        }
        (self.state, self.kept) = (state, kept);
        (self.font, self.kept_fonts) = (font, kept_fonts);
    }

    fn paint_form(&mut self, id: ObjectId, form: &Dictionary, resources: &Dictionary) {
        let array = |key: &[u8]| Some(numbers(form.get_deref(key, self.document).ok()?.as_array().ok()?));
        if let Some([a, b, c, d, e, f]) = array(b"Matrix").as_deref() {
            self.state.matrix = Matrix([*a, *b, *c, *d, *e, *f]).then(&self.state.matrix);
        }
        if let Some([left, low, right, high]) = array(b"BBox").as_deref() {
            let corners = [(*left, *low), (*right, *low), (*left, *high), (*right, *high)];
            if let Some(area) = self.state.matrix.around(corners) {
                self.state.clip = self.state.clip.overlap(&area);
            }
        }
        // A group is painted by itself and then laid on the page as a whole (ISO 32000-1, 11.6.6).
        if form.has(b"Group") {
            self.state.group_opacity *= self.state.fill_opacity;
            (self.state.fill_opacity, self.state.stroke_opacity) = (1.0, 1.0);
        }
        let own = form.get_deref(b"Resources", self.document).and_then(Object::as_dict);
        let (text, line, marked) = (self.text, self.line, std::mem::take(&mut self.marked));
        self.depth += 1;
        self.paint(id, false, own.unwrap_or(resources));
        self.depth -= 1;
        (self.text, self.line, self.marked) = (text, line, marked);
    }
}
