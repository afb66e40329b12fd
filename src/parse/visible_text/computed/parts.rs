//! Rules on parts of an element: its first line and letter, and what sheets add before and behind its text.

use scraper::node::Element;

use super::super::css::declaration::{Declaration, Property};
use super::super::css::matching::Match;
use super::super::css::rules::Meant;
use super::super::css::selector::Target;
use super::super::css::sheet::{is_long_text, is_solid_text};
use super::super::css::tokens::{Tok, solid};
use super::{Cover, Display, Style};

/// What all rules on parts of an element do.
pub(super) fn act_on_parts(style: &mut Style, on_parts: &[Meant<'_>], element: &Element) {
    let is_there = |target: Target| {
        let has_content = |one: &Declaration| matches!(one.property, Property::Content | Property::All);
        let mut own = on_parts.iter().filter(|meant| meant.rule.selector.target == target);
        own.any(|meant| meant.rule.block.iter().any(has_content))
    };
    let acting = |meant: &&Meant<'_>| {
        let target = meant.rule.selector.target;
        // Around a quotation there are signs by themselves.
        !matches!(target, Target::Before | Target::After) || is_there(target) || element.name() == "q"
    };
    for meant in on_parts.iter().filter(acting) {
        act_on_part(style, meant, element);
    }
    // What several rules make of added words is not followed.
    let count = |target: Target| on_parts.iter().filter(|meant| meant.rule.selector.target == target).count();
    style.before.take_if(|_| count(Target::Before) > 1);
    style.after.take_if(|_| count(Target::After) > 1);
    let is_solid = |one: &Declaration| one.value.iter().any(is_solid_text);
    let several = count(Target::Before).max(count(Target::After)) > 1;
    if several && on_parts.iter().any(|meant| meant.rule.block.iter().any(is_solid)) {
        style.covers = Some(Cover::All);
    }
    let is_bound = style.clips || style.room.is_some();
    if is_bound && several {
        style.doubt("part of an element");
    }
    let of = |added: bool| {
        let is_one = move |meant: &&Meant<'_>| match meant.rule.selector.target {
            Target::Before | Target::After => added,
            Target::Placed => !added,
            _ => false,
        };
        on_parts.iter().filter(acting).filter(is_one).flat_map(|meant| meant.rule.block.iter())
    };
    // One that is placed and painted may lie over anything.
    let is_painted =
        |added: bool| if added { of(true).any(draws) } else { is_control(element) || of(false).any(paints) };
    for added in [true, false] {
        if of(added).any(is_placed) && is_painted(added) {
            style.covers = Some(Cover::All);
        }
    }
}

/// Whether parts of an element have a ground of their own.
fn is_control(element: &Element) -> bool {
    matches!(
        element.name(),
        "input" | "button" | "meter" | "progress" | "select" | "textarea" | "video" | "audio" | "details"
    )
}

/// What a rule on a part of an element do: its first line is text, what is put before or behind it may lie over text.
fn act_on_part(style: &mut Style, meant: &Meant<'_>, element: &Element) {
    match meant.rule.selector.target {
        Target::Element | Target::Placed | Target::Nothing => {}
        Target::Marker => {
            if meant.rule.block.iter().any(|one| !is_look(&one.property) || one.property == Property::Content)
            {
                style.takes.odd = true;
                let is_large = |one: &Declaration| {
                    matches!(one.property, Property::Font | Property::All | Property::Animation)
                        || (one.property == Property::FontSize && !one.value.iter().all(is_small))
                        || one
                            .value
                            .iter()
                            .any(|token| is_long_text(token) || matches!(token, Tok::Function(..)))
                };
                if meant.rule.block.iter().any(is_large) {
                    style.covers = Some(Cover::All);
                }
                if style.clips || style.room.is_some() || style.bound.is_some() || style.limited {
                    style.doubt("part of an element");
                }
            }
        }
        // Lines have no first line and no first letter of their own.
        Target::Line | Target::Letter if style.display == Display::Inline => {}
        Target::Line if !meant.rule.block.iter().any(|one| acts_on_line(&one.property)) => {}
        Target::Letter if !meant.rule.block.iter().any(|one| acts_on_letter(&one.property)) => {}
        Target::Line | Target::Letter | Target::Text => {
            let is_large = |one: &Declaration| {
                paints(one) || matches!(one.property, Property::Font | Property::FontSize | Property::Stroke)
            };
            if meant.rule.block.iter().any(is_large) {
                style.covers = Some(Cover::All);
            }
            style.doubt("part of an element");
        }
        Target::Before | Target::After => {
            let text = generated(meant, element);
            let is_content = |one: &Declaration| one.property == Property::Content && draws(one);
            let is_unplaced = text.is_none() && meant.rule.block.iter().any(is_content);
            match meant.rule.selector.target {
                Target::Before => style.before = text.or(style.before.take()),
                _ => style.after = text.or(style.after.take()),
            }
            // Solid signs are not laid out with the text, and may lie over others.
            let is_solid = |one: &Declaration| one.value.iter().any(is_solid_text);
            if is_unplaced && (meant.rule.block.iter().any(is_solid) || style.moves_parts()) {
                style.covers = Some(Cover::All);
            }
            // It may draw what stands beside or below it out of sight.
            if meant.rule.block.iter().any(is_pulling) {
                style.covers = Some(Cover::All);
            }
            // Words that are not laid out with the text may take lines of their own.
            let takes_room = is_unplaced || meant.rule.block.iter().any(|one| !is_look(&one.property));
            style.takes.odd |= takes_room;
            if takes_room && (style.clips || style.room.is_some() || style.bound.is_some() || style.limited) {
                style.doubt("part of an element");
            }
        }
    }
}

/// Whether a size is one that text has, and not that of signs which reach over lines around them.
fn is_small(size: &Tok) -> bool {
    match size {
        Tok::Dimension(size, unit) => match unit.as_str() {
            "px" | "pt" => *size <= 30.0,
            "em" | "rem" => *size <= 1.5,
            _ => false,
        },
        Tok::Percent(share) => *share <= 1.5,
        _ => false,
    }
}

/// Whether a margin of an added part is less than nothing, or may be.
fn is_pulling(declaration: &Declaration) -> bool {
    let is_less = |token: &Tok| match token {
        Tok::Dimension(size, _) | Tok::Number(size) | Tok::Percent(size) => *size < 0.0,
        token => matches!(token, Tok::Function(..)),
    };
    matches!(declaration.property, Property::Margin(_)) && declaration.value.iter().any(is_less)
}

/// Whether a declaration on an added part can move it from its place in the line or the flow, where it covers nothing.
fn is_placed(declaration: &Declaration) -> bool {
    !is_look(&declaration.property) && declaration.property != Property::Display
}

/// Whether a part that is there by itself paints more by this than its letters.
fn paints(declaration: &Declaration) -> bool {
    draws_words(declaration)
        || matches!(
            declaration.property,
            Property::Background
                | Property::BackgroundColor
                | Property::BackgroundImage
                | Property::Border(_)
                | Property::BorderImage
                | Property::FilledBorderImage
                | Property::Outline
                | Property::OutlineStyle
                | Property::BoxShadow
                | Property::Backdrop
                | Property::DecorationLine
                | Property::DecorationThickness
                | Property::TextShadow
                | Property::All
        )
}

/// Whether a declaration adds words or images.
fn draws_words(declaration: &Declaration) -> bool {
    let is_word = |words: &[&str]| matches!(declaration.value.as_slice(), [token] if words.iter().any(|word| token.is_ident(word)));
    declaration.property == Property::Content
        && !matches!(declaration.value.as_slice(), [Tok::Text(text)] if text.trim().is_empty() && !text.contains('\n'))
        && !is_word(&["none", "normal"])
}

/// Whether an added part leaves anything on the page by this: all may that is not known to leave nothing.
fn draws(declaration: &Declaration) -> bool {
    let is_word = |words: &[&str]| matches!(declaration.value.as_slice(), [token] if words.iter().any(|word| token.is_ident(word)));
    match declaration.property {
        Property::Content => draws_words(declaration),
        Property::Display => !is_word(&["block", "inline", "inline-block", "table", "none"]),
        Property::BoxSizing
        | Property::Clear
        | Property::Color
        | Property::Custom(_)
        | Property::Direction
        | Property::Fill
        | Property::Float
        | Property::Font
        | Property::FontFamily
        | Property::FontSize
        | Property::Height
        | Property::Inset(_)
        | Property::LetterSpacing
        | Property::LineHeight
        | Property::Margin(_)
        | Property::MaxHeight
        | Property::MaxWidth
        | Property::MinHeight
        | Property::MinWidth
        | Property::Opacity
        | Property::Overflow
        | Property::OverflowX
        | Property::OverflowY
        | Property::Padding(_)
        | Property::Position
        | Property::TextAlign
        | Property::TextIndent
        | Property::TextTransform
        | Property::Transform
        | Property::VerticalAlign
        | Property::Visibility
        | Property::WhiteSpace
        | Property::Width
        | Property::ZIndex => false,
        _ => true,
    }
}

/// Whether a property changes how something looks, and neither where it is nor how much room it takes.
fn is_look(property: &Property) -> bool {
    matches!(
        property,
        Property::Content
            | Property::Color
            | Property::Fill
            | Property::FontFamily
            | Property::Visibility
            | Property::Opacity
            | Property::Background
            | Property::BackgroundColor
            | Property::BackgroundImage
            | Property::BackgroundOther
            | Property::BorderRadius
            | Property::WhiteSpace
            | Property::TextTransform
            | Property::DecorationLine
            | Property::Custom(_)
    )
}

/// The words that a rule puts before or behind a text, if that is all it does.
fn generated(meant: &Meant<'_>, element: &Element) -> Option<String> {
    let [Declaration { property: Property::Content, value, .. }] = meant.rule.block.as_slice() else {
        return None;
    };
    // The ground of the page lies behind words of its outermost element.
    if !super::attributes::has_parts(element) || element.name() == "html" || !meant.rule.odd.is_empty() {
        return None;
    }
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
            | Property::BoxShadow
            | Property::Custom(_)
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
            | Property::TextShadow
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
            | Property::FontSizeAdjust
            | Property::Background
            | Property::BackgroundColor
            | Property::BackgroundImage
            | Property::BoxShadow
            | Property::Outline
            | Property::LineHeight
            | Property::Zoom
            | Property::InitialLetter
            | Property::LetterSpacing
            | Property::VerticalAlign
            | Property::Padding(_)
            | Property::Border(_)
            | Property::BorderImage
            | Property::BorderImageOther
            | Property::FilledBorderImage
            | Property::Float
            | Property::DecorationLine
            | Property::DecorationThickness
            | Property::Stroke
            | Property::StrokeColor
            | Property::StrokeWidth
            | Property::TextShadow
    )
}
