//! Lengths, as pixels on the screen of a desk. Arithmetic is worked out; what cannot be is `Unknown`.

use super::tokens::{Tok, solid};

/// The window a message is taken to be shown in.
pub(crate) const SCREEN: (f32, f32) = (1024.0, 768.0);

/// What lengths are relative to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units {
    /// Font size of the element.
    pub(crate) em: f32,
    /// Font size of the root.
    pub(crate) rem: f32,
    /// Whether letters are as large as the font size says.
    pub(crate) usual: bool,
    /// Height of a line, where it surely is the usual one of the font.
    pub(crate) lh: Option<f32>,
}

impl Units {
    /// Those of a page that says nothing of them.
    pub(crate) const USUAL: Self = Self { em: 16.0, rem: 16.0, usual: true, lh: None };
}

/// A sum of pixels and a share of what 100% stands for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Length {
    pub(crate) px: f32,
    pub(crate) share: f32,
}

impl Length {
    pub(crate) fn px(px: f32) -> Self {
        Self { px, share: 0.0 }
    }

    /// The length where 100% is this many pixels.
    pub(crate) fn of(self, whole: f32) -> f32 {
        self.px + self.share * whole
    }

    fn times(self, factor: f32) -> Self {
        Self { px: self.px * factor, share: self.share * factor }
    }

    fn plus(self, other: Self) -> Self {
        Self { px: self.px + other.px, share: self.share + other.share }
    }
}

/// What a token says about a length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Sized {
    Is(Length),
    /// A function that we cannot work out.
    Unknown,
    /// Not a length at all, such as `auto`.
    Not,
}

/// Reads one token as a length. A bare number is pixels, as browsers in quirks mode take it; who asks decides.
pub(crate) fn length(token: &Tok, units: Units) -> Sized {
    match token {
        Tok::Number(value) => Sized::Is(Length::px(*value)),
        Tok::Percent(share) => Sized::Is(Length { px: 0.0, share: *share }),
        Tok::Dimension(value, unit) if unit == "lh" => units
            .lh
            .filter(|_| units.usual)
            .map_or(Sized::Unknown, |line| Sized::Is(Length::px(value * line))),
        Tok::Dimension(_, unit) if is_of_font(unit) => Sized::Unknown,
        Tok::Dimension(value, unit) => match pixels(unit, units) {
            Some(factor) => Sized::Is(Length::px(value * factor)),
            None => Sized::Not,
        },
        Tok::Function(name, arguments) => match function(name, arguments, units) {
            Some(Value::Length(value)) => Sized::Is(value),
            Some(Value::Number(number)) => Sized::Is(Length::px(number)),
            None => Sized::Unknown,
        },
        _ => Sized::Not,
    }
}

/// Whether what is worked out is a number without a unit.
pub(crate) fn is_bare_number(token: &Tok) -> bool {
    matches!(token, Tok::Function(name, arguments) if matches!(function(name, arguments, Units::USUAL), Some(Value::Number(_))))
}

/// A number, also one that is worked out; `None` when there is none to be had.
pub(crate) fn number(token: &Tok) -> Option<f32> {
    match token {
        Tok::Number(value) | Tok::Percent(value) => Some(*value),
        Tok::Function(name, arguments) => match function(name, arguments, Units::USUAL)? {
            Value::Number(number) => Some(number),
            Value::Length(length) => Some(length.share),
        },
        _ => None,
    }
}

/// Whether a unit is another length in every font.
fn is_of_font(unit: &str) -> bool {
    matches!(unit, "cap" | "ch" | "ex" | "ic" | "rcap" | "rch" | "rex" | "ric" | "rlh")
}

fn pixels(unit: &str, units: Units) -> Option<f32> {
    let (width, height) = SCREEN;
    Some(match unit {
        "px" => 1.0,
        "pt" => 4.0 / 3.0,
        "pc" => 16.0,
        "in" => 96.0,
        "cm" => 37.8,
        "mm" => 3.78,
        "q" => 0.945,
        "em" | "ic" => units.em,
        "rem" | "ric" => units.rem,
        "ex" | "ch" | "cap" => units.em / 2.0,
        "rex" | "rch" | "rcap" => units.rem / 2.0,
        "vw" | "svw" | "lvw" | "dvw" | "vi" | "svi" | "lvi" | "dvi" | "vmax" | "svmax" | "lvmax"
        | "dvmax" | "cqw" | "cqi" | "cqmax" => width / 100.0,
        "vh" | "svh" | "lvh" | "dvh" | "vb" | "svb" | "lvb" | "dvb" | "vmin" | "svmin" | "lvmin"
        | "dvmin" | "cqh" | "cqb" | "cqmin" => height / 100.0,
        _ => return None,
    })
}

#[derive(Clone, Copy)]
enum Value {
    Number(f32),
    Length(Length),
}

impl Value {
    fn times(self, factor: f32) -> Self {
        match self {
            Self::Number(number) => Self::Number(number * factor),
            Self::Length(length) => Self::Length(length.times(factor)),
        }
    }

    fn plus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Some(Self::Number(a + b)),
            (Self::Length(a), Self::Length(b)) => Some(Self::Length(a.plus(b))),
            // `calc(0 + 1px)` is no sum.
            _ => None,
        }
    }

    /// Whether it is so short that it makes no difference to what can be read.
    fn is_a_hair(self) -> bool {
        self.exact().is_some_and(|length| (0.0..=2.0).contains(&length))
    }

    /// Whether it grows with something.
    fn is_share(self) -> bool {
        matches!(self, Self::Length(Length { px, share }) if px >= 0.0 && share > 0.0)
    }

    /// For comparing: a share of something unknown cannot be.
    fn exact(self) -> Option<f32> {
        match self {
            Self::Number(number) => Some(number),
            Self::Length(length) => (length.share == 0.0).then_some(length.px),
        }
    }
}

fn function(name: &str, arguments: &[Tok], units: Units) -> Option<Value> {
    let all = || arguments.split(|token| *token == Tok::Comma).map(|part| sum(part, units));
    let smaller = |a: Value, b: Value| match (a.is_a_hair(), b.is_a_hair()) {
        // What a share stands for is not less than nothing, so the smaller one is between nothing and a hair.
        (true, _) if b.is_share() => Some(a),
        (_, true) if a.is_share() => Some(b),
        _ => Some(if b.exact()? < a.exact()? { b } else { a }),
    };
    let larger = |a: Value, b: Value| Some(if b.exact()? > a.exact()? { b } else { a });
    match name {
        "calc" | "-webkit-calc" => sum(arguments, units),
        "min" => all().reduce(|a, b| smaller(a?, b?))?,
        "max" => all().reduce(|a, b| larger(a?, b?))?,
        "clamp" => {
            let values = all().collect::<Option<Vec<_>>>()?;
            let [low, middle, high] = values.as_slice() else { return None };
            larger(*low, smaller(*middle, *high)?)
        }
        "sign" => match sum(arguments, units)?.exact()? {
            value if value > 0.0 => Some(Value::Number(1.0)),
            value if value < 0.0 => Some(Value::Number(-1.0)),
            _ => Some(Value::Number(0.0)),
        },
        "abs" => {
            let value = sum(arguments, units)?;
            Some(if value.exact()? < 0.0 { value.times(-1.0) } else { value })
        }
        _ => None,
    }
}

/// Terms between `+` and `-`, factors between `*` and `/`.
fn sum(tokens: &[Tok], units: Units) -> Option<Value> {
    let mut total: Option<Value> = None;
    let mut sign = 1.0;
    let mut rest = solid(tokens).peekable();
    while rest.peek().is_some() {
        let term = product(&mut rest, units)?.times(sign);
        total = Some(match total {
            Some(total) => total.plus(term)?,
            None => term,
        });
        sign = match rest.next() {
            None => return total,
            Some(Tok::Delim('+')) => 1.0,
            Some(Tok::Delim('-')) => -1.0,
            Some(_) => return None,
        };
    }
    None
}

fn product<'t>(rest: &mut std::iter::Peekable<impl Iterator<Item = &'t Tok>>, units: Units) -> Option<Value> {
    let mut value = factor(rest.next()?, units)?;
    while let Some(Tok::Delim(operator @ ('*' | '/'))) = rest.peek() {
        rest.next();
        let other = factor(rest.next()?, units)?;
        value = match (operator, value, other) {
            ('*', value, Value::Number(factor)) | ('*', Value::Number(factor), value) => value.times(factor),
            ('/', value, Value::Number(divisor)) => value.times(1.0 / divisor),
            _ => return None,
        };
    }
    Some(value)
}

fn factor(token: &Tok, units: Units) -> Option<Value> {
    match token {
        Tok::Number(value) if value.abs() > 10_000.0 => None,
        Tok::Number(value) => Some(Value::Number(*value)),
        Tok::Parens(inner) => sum(inner, units),
        Tok::Function(name, arguments) => function(name, arguments, units),
        // Sums of what is only guessed, or too large to be exact, come to anything.
        Tok::Dimension(value, unit)
            if value.abs() > 10_000.0 || unit == "q" || unit == "lh" || is_of_font(unit) =>
        {
            None
        }
        token => match length(token, units) {
            Sized::Is(length) => Some(Value::Length(length)),
            _ => None,
        },
    }
}
