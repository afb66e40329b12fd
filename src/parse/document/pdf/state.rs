//! What holds while a page is painted, and what was painted.

use pdf_extract::ObjectId;

use super::font::Font;
use super::ink::Space;
use super::matrix::Matrix;
use crate::model::Reason;
use crate::parse::document::sight::{Area, Ink, Letters};
use crate::parse::visible_text::Verdict;

/// What `q` keeps and `Q` puts back.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) matrix: Matrix,
    pub(super) fill: Ink,
    pub(super) fill_space: Space,
    pub(super) stroke: Ink,
    pub(super) stroke_space: Space,
    pub(super) fill_opacity: f32,
    pub(super) stroke_opacity: f32,
    /// What is painted outside of it is not seen.
    pub(super) clip: Area,
    /// Something acts on what is painted that cannot be worked out.
    pub(super) doubt: Option<&'static str>,
    /// In a part of the page that is switched off.
    pub(super) hidden: Option<Reason>,
    pub(super) mode: i64,
    pub(super) font_size: f32,
    pub(super) letter_spacing: f32,
    pub(super) word_spacing: f32,
    pub(super) line_width: f32,
    /// Of the groups that are laid on the page as a whole.
    pub(super) group_opacity: f32,
    pub(super) is_multiplied: bool,
    pub(super) scale: f32,
    pub(super) rise: f32,
    pub(super) leading: f32,
}

impl State {
    pub(super) fn on(page: Area) -> Self {
        Self {
            matrix: Matrix::SAME,
            fill: Ink::rgb([0.0; 3]),
            fill_space: Space::Gray,
            stroke: Ink::rgb([0.0; 3]),
            stroke_space: Space::Gray,
            fill_opacity: 1.0,
            stroke_opacity: 1.0,
            clip: page,
            doubt: None,
            hidden: None,
            mode: 0,
            font_size: 0.0,
            letter_spacing: 0.0,
            word_spacing: 0.0,
            line_width: 1.0,
            group_opacity: 1.0,
            is_multiplied: false,
            scale: 1.0,
            rise: 0.0,
            leading: 0.0,
        }
    }

    /// The colour that letters leave on the page, where they leave one.
    pub(super) fn painted(&self) -> Option<Ink> {
        let is_shown = self.hidden.is_none() && !matches!(self.mode, 3 | 7);
        is_shown.then(|| match self.letters().0.as_slice() {
            [ink] => *ink,
            _ => Ink::Unknown,
        })
    }

    /// The colours that letters are seen in, and how thick lines along them are in parts of their size.
    fn letters(&self) -> (Vec<Ink>, f32) {
        let fill = seen_through(self.fill, self.fill_opacity * self.group_opacity);
        let stroke = seen_through(self.stroke, self.stroke_opacity * self.group_opacity);
        let thick = self.line_width.abs() / self.font_size.abs().max(0.01);
        match self.mode {
            1 | 5 => (vec![stroke], thick),
            2 | 6 if thick > THIN => (vec![fill, stroke], thick),
            _ => (vec![fill], 0.0),
        }
    }
}

/// Lines along letters up to these parts of their size make them bold, and past the others cover them.
const THIN: f32 = 0.06;
const THICK: f32 = 0.2;

/// Something painted over what was there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint {
    pub(super) area: Area,
    pub(super) ink: Ink,
    /// Whether it fills its whole area.
    pub(super) is_whole: bool,
}

/// Words on the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    pub(super) place: (ObjectId, usize),
    pub(super) area: Area,
    pub(super) count: usize,
    pub(super) verdict: Verdict,
    /// By which the same letters are known again.
    pub(super) mark: u64,
    /// The colour they are painted in, where they are.
    pub(super) ink: Option<Ink>,
    /// How much of them was painted over, and of the height of some of their letters: each paint adds to it.
    pub(super) covered: f32,
    pub(super) rows: f32,
}

impl Words {
    /// What becomes of them when this is painted over.
    pub(super) fn covered_by(&mut self, area: &Area, is_certain: bool) -> Option<Verdict> {
        let share = self.area.share_in(area);
        let over = self.area.overlap(area);
        let height = self.area.bottom - self.area.top;
        // Two letters, about: less of a line is the width of its last letter, which is not known so well.
        if share > 0.0 && over.right - over.left > 1.2 * height {
            self.rows += (over.bottom - over.top) / height.max(0.01);
        }
        self.covered += share;
        match () {
            () if is_certain && share > 0.9 => Some(Verdict::Hidden(Reason::Covered)),
            () if self.covered > 0.3 || self.rows > 0.45 => Some(Verdict::Doubtful("something over it")),
            () => None,
        }
    }
}

/// Whether words can be seen where and as they are painted.
pub(super) fn seen(state: &State, font: &Font, (text, area): (&Matrix, &Area), ground: Ink) -> Verdict {
    let (along, across) = text.then(&state.matrix).scales();
    let (inks, thick) = state.letters();
    let size = state.font_size.abs() * across.min(along * state.scale.abs().max(0.0) * 2.0);
    let mut letters = Letters { ground, size, ..Letters::default() };
    letters.hidden = state.hidden;
    if matches!(state.mode, 3 | 7) {
        letters.hide(Reason::Display);
    }
    let inside = area.share_in(&state.clip);
    // How wide letters are is known to some part of it only where the font does not say.
    let loose = (1.5 * size).max(if font.is_guessed { 0.2 * (area.right - area.left) } else { 0.0 });
    match () {
        () if inside < 0.05 => letters.hide(Reason::OffScreen),
        () if inside < 0.7 || !area.is_within(&state.clip.grown(loose)) => letters.doubt("position"),
        () if state.scale.abs() < 0.3 => letters.doubt("width of letters"),
        () if !text.then(&state.matrix).keeps_letters(state.scale) => {
            letters.doubt("transform");
        }
        () if thick > THICK => letters.doubt("stroke"),
        () => {}
    }
    letters.doubt = letters.doubt.or(state.doubt).or(font.doubt).or(state.is_multiplied.then_some("effects"));
    let verdicts = inks.iter().map(|ink| Letters { ink: *ink, ..letters }.verdict());
    verdicts
        .reduce(|first, next| if first == Verdict::Shown { next } else { first })
        .unwrap_or(Verdict::Shown)
}

fn seen_through(ink: Ink, opacity: f32) -> Ink {
    match ink {
        Ink::Is(color) => Ink::Is(crate::parse::visible_text::Color {
            alpha: color.alpha * opacity.clamp(0.0, 1.0),
            ..color
        }),
        other => other,
    }
}
