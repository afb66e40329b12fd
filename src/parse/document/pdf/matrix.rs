//! Where things lie on a page.

use crate::parse::document::sight::Area;

/// A transformation of the plane, as PDF writes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix(pub(super) [f32; 6]);

impl Matrix {
    pub(super) const SAME: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) fn moved(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// This one first, then another.
    pub(super) fn then(&self, next: &Self) -> Self {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, next.0);
        Self([
            a * g + b * i,
            a * h + b * j,
            c * g + d * i,
            c * h + d * j,
            e * g + f * i + k,
            e * h + f * j + l,
        ])
    }

    pub(super) fn point(&self, x: f32, y: f32) -> (f32, f32) {
        let [a, b, c, d, e, f] = self.0;
        (x * a + y * c + e, x * b + y * d + f)
    }

    /// How long a unit along and across becomes.
    pub(super) fn scales(&self) -> (f32, f32) {
        let [a, b, c, d, _, _] = self.0;
        (a.hypot(b), c.hypot(d))
    }

    /// How large a unit square becomes.
    pub(super) fn size(&self) -> f32 {
        let [a, b, c, d, _, _] = self.0;
        (a * d - b * c).abs()
    }

    /// Whether letters keep their form: they may be turned and leaned as much as in italics, but not mirrored or drawn long.
    pub(super) fn keeps_letters(&self, width: f32) -> bool {
        let [a, b, c, d, _, _] = self.0;
        let (along, across) = self.scales();
        let lean = (a * c + b * d).abs() / (along * across).max(f32::MIN_POSITIVE);
        let stretch = along * width / across.max(f32::MIN_POSITIVE);
        lean < 0.4 && (a * d - b * c) * width > 0.0 && (0.3..=4.0).contains(&stretch.abs())
    }

    /// Whether rectangles stay upright.
    pub(super) fn is_upright(&self) -> bool {
        let [a, b, c, d, _, _] = self.0;
        let small = 1e-3 * (a.abs() + b.abs() + c.abs() + d.abs());
        (b.abs() <= small && c.abs() <= small) || (a.abs() <= small && d.abs() <= small)
    }

    /// The upright rectangle around these points.
    pub(super) fn around(&self, points: impl IntoIterator<Item = (f32, f32)>) -> Option<Area> {
        let mut area: Option<Area> = None;
        for (x, y) in points {
            let (x, y) = self.point(x, y);
            area = Some(match area {
                None => Area { left: x, top: y, right: x, bottom: y },
                Some(area) => Area {
                    left: area.left.min(x),
                    top: area.top.min(y),
                    right: area.right.max(x),
                    bottom: area.bottom.max(y),
                },
            });
        }
        area
    }
}
