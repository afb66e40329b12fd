//! What holds while a page is painted, and what was painted.

use pdf_extract::ObjectId;

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
    pub(super) font_doubt: Option<&'static str>,
    /// Bytes of a letter.
    pub(super) width: usize,
    pub(super) letter_spacing: f32,
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
            font_doubt: None,
            width: 1,
            letter_spacing: 0.0,
            scale: 1.0,
            rise: 0.0,
            leading: 0.0,
        }
    }

    /// The colour of letters, and how much of it there is.
    fn letters(&self) -> (Ink, f32) {
        match self.mode {
            1 | 5 => (self.stroke, self.stroke_opacity),
            _ => (self.fill, self.fill_opacity),
        }
    }
}

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
}

/// Whether words can be seen where and as they are painted.
pub(super) fn seen(state: &State, text: &Matrix, area: &Area, ground: Ink) -> Verdict {
    let (along, across) = text.then(&state.matrix).scales();
    let (ink, opacity) = state.letters();
    let size = state.font_size.abs() * across.min(along * state.scale.abs().max(0.0) * 2.0);
    let mut letters = Letters { ink: seen_through(ink, opacity), ground, size, ..Letters::default() };
    letters.hidden = state.hidden;
    if matches!(state.mode, 3 | 7) {
        letters.hide(Reason::Display);
    }
    let inside = area.share_in(&state.clip);
    match () {
        () if inside < 0.05 => letters.hide(Reason::OffScreen),
        () if inside < 0.7 => letters.doubt("position"),
        () if state.scale.abs() < 0.3 => letters.doubt("width of letters"),
        () if state.letter_spacing < -0.3 * state.font_size.abs() => letters.doubt("spacing of letters"),
        () => {}
    }
    letters.doubt = letters.doubt.or(state.doubt).or(state.font_doubt);
    letters.verdict()
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
