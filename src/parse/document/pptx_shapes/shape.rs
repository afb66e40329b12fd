//! How much room a shape and its text take, and what it hides.

use super::{GroundOf, Run, Shape};
use crate::parse::document::sight::Area;

/// Lines around shapes that are thicker than these English metric units hide what is behind them: four points.
const THICK_LINE: f32 = 50_800.0;

impl Shape {
    /// Whether what is behind it cannot be seen.
    pub(in crate::parse::document) fn covers(&self) -> bool {
        let is_marked = self.runs.iter().any(|run| run.ground == GroundOf::Letters);
        !self.is_hidden && (self.is_picture || self.ground.is_some() || is_marked)
    }

    /// Where it hides what is behind it: all of it, or along the line around it.
    pub(in crate::parse::document) fn covered(&self) -> Vec<Area> {
        let Some(area) = self.area.filter(|_| !self.is_hidden) else { return Vec::new() };
        let half = self.line / 2.0;
        let is_thick = self.line > THICK_LINE;
        if self.covers() || is_thick && self.line > 0.2 * (area.right - area.left).min(area.bottom - area.top)
        {
            return vec![area.grown(if is_thick { half } else { 0.0 })];
        }
        if !is_thick {
            return Vec::new();
        }
        let Area { left, top, right, bottom } = area;
        let sides = [
            Area { right: left, ..area },
            Area { left: right, ..area },
            Area { bottom: top, ..area },
            Area { top: bottom, left, right, bottom },
        ];
        sides.map(|side| side.grown(half)).to_vec()
    }

    /// About how high a piece of text is, if it fills its lines, in English metric units.
    pub(in crate::parse::document) fn height_of(&self, run: &Run) -> f32 {
        let Some(area) = self.area.filter(|_| !self.fits) else { return run.space };
        let size = run.letters.size * 12_700.0;
        let length = run.text.chars().count() as f32 * 0.4 * size;
        let lines = if run.ends_line { 1.0 } else { (length / (area.right - area.left).max(size)).floor() };
        run.space + lines * size
    }

    /// How far its text reaches out at its top, at most.
    pub(in crate::parse::document) fn above_top(&self) -> f32 {
        let Some(area) = self.area.filter(|_| self.hangs_low) else { return 0.0 };
        let height: f32 = self.runs.iter().map(|run| self.height_of(run)).sum();
        (height - (area.bottom - area.top)).max(0.0)
    }

    /// How far a piece of text goes along, where its lines are not broken.
    pub(in crate::parse::document) fn length_of(&self, run: &Run) -> f32 {
        if self.is_one_line {
            run.text.chars().count() as f32 * 0.45 * run.letters.size * 12_700.0
        } else {
            0.0
        }
    }
}

/// Whether a placeholder below is the one that a placeholder stands for.
pub(super) fn is_for(below: &Shape, (kind, number): &(String, Option<String>)) -> bool {
    let Some((other, other_number)) = &below.holder else { return false };
    let family = |kind: &str| match kind {
        "ctrTitle" => "title".to_owned(),
        "subTitle" | "obj" => "body".to_owned(),
        other => other.to_owned(),
    };
    (number.is_some() && number == other_number) || family(kind) == family(other)
}
