//! Rules on parts of an element: its first line and letter, and what sheets add before and behind its text.

use scraper::node::Element;

use super::super::css::declaration::{Declaration, Property};
use super::super::css::matching::Match;
use super::super::css::rules::Meant;
use super::super::css::selector::Target;
use super::super::css::tokens::{Tok, solid};
use super::{Cover, Style};

/// What rules on parts of an element do: its first line is text, what is put before or behind it may lie over text.
pub(super) fn act_on_part(style: &mut Style, meant: &Meant<'_>, element: &Element) {
    match meant.rule.selector.target {
        Target::Element | Target::Nothing => {}
        Target::Line if !meant.rule.block.iter().any(|one| acts_on_line(&one.property)) => {}
        Target::Letter if !meant.rule.block.iter().any(|one| acts_on_letter(&one.property)) => {}
        Target::Line | Target::Letter | Target::Text => style.doubt("part of an element"),
        Target::Before | Target::After => {
            let text = generated(meant, element);
            match meant.rule.selector.target {
                Target::Before => style.before = text.or(style.before.take()),
                _ => style.after = text.or(style.after.take()),
            }
            let declares =
                |found: fn(&Property) -> bool| meant.rule.block.iter().any(|one| found(&one.property));
            let moves = declares(|property| {
                matches!(
                    property,
                    Property::Position
                        | Property::Margin(_)
                        | Property::Transform
                        | Property::Translate
                        | Property::Scale
                        | Property::Rotate
                        | Property::OffsetPath
                        | Property::Outline
                        | Property::BoxShadow
                        | Property::Backdrop
                        | Property::All
                        | Property::Inset(_)
                )
            });
            let paints = declares(|property| {
                matches!(
                    property,
                    Property::Background
                        | Property::BackgroundColor
                        | Property::BackgroundImage
                        | Property::Border(_)
                        | Property::Content
                        | Property::Outline
                        | Property::BoxShadow
                        | Property::Backdrop
                        | Property::All
                )
            });
            if moves && paints {
                style.covers = Some(Cover::All);
            }
        }
    }
}

/// The words that a rule puts before or behind a text, if that is all it does.
fn generated(meant: &Meant<'_>, element: &Element) -> Option<String> {
    let [Declaration { property: Property::Content, value, .. }] = meant.rule.block.as_slice() else {
        return None;
    };
    let words = solid(value).map(|token| match token {
        Tok::Text(text) => Some(text.clone()),
        Tok::Function(name, arguments) if name == "attr" => match arguments.as_slice() {
            [Tok::Ident(name)] => {
                Some(element.attr(&name.to_ascii_lowercase()).unwrap_or_default().to_owned())
            }
            _ => None,
        },
        _ => None,
    });
    words.collect::<Option<String>>().filter(|text| meant.sure == Match::Yes && !text.trim().is_empty())
}

/// Whether a property can hide a first line: browsers let only those act on it that change letters and their ground.
fn acts_on_line(property: &Property) -> bool {
    matches!(
        property,
        Property::Color
            | Property::Fill
            | Property::Font
            | Property::FontFamily
            | Property::FontSize
            | Property::FontSizeAdjust
            | Property::Background
            | Property::BackgroundColor
            | Property::BackgroundImage
            | Property::BackgroundClip
            | Property::LetterSpacing
            | Property::WordSpacing
            | Property::LineHeight
            | Property::VerticalAlign
            | Property::Stroke
            | Property::StrokeColor
            | Property::StrokeWidth
            | Property::TextSecurity
            | Property::Opacity
            | Property::All
            | Property::Visibility
            | Property::Zoom
            | Property::Display
            | Property::DecorationThickness
    )
}

/// Whether a property can make a first letter cover the rest, or push it away.
fn acts_on_letter(property: &Property) -> bool {
    matches!(
        property,
        Property::All
            | Property::Margin(_)
            | Property::Font
            | Property::FontSize
            | Property::Background
            | Property::BackgroundColor
            | Property::BackgroundImage
            | Property::BoxShadow
            | Property::Outline
            | Property::LineHeight
            | Property::Float
            | Property::Zoom
            | Property::LetterSpacing
            | Property::VerticalAlign
            | Property::Padding(_)
            | Property::Border(_)
    )
}
