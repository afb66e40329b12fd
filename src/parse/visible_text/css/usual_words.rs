//! The words that every reader takes as a value of a property. Another word may be none, and then a reader drops it.

use super::declaration::Property;

/// Whether a word is such a value.
pub(super) fn is_usual_word(property: &Property, word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    matches!(word.as_str(), "inherit" | "initial") || of(property).split(' ').any(|usual| usual == word)
}

/// Whether a length or a share is a value of a property.
pub(super) fn takes_lengths(property: &Property) -> bool {
    matches!(
        property,
        Property::BackgroundOther
            | Property::Border(_)
            | Property::BorderRadius
            | Property::BorderSpacing
            | Property::Flex
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
            | Property::Padding(_)
            | Property::TextIndent
            | Property::VerticalAlign
            | Property::Width
            | Property::WordSpacing
            | Property::Zoom
    )
}

fn of(property: &Property) -> &'static str {
    match property {
        Property::Animation | Property::Filter | Property::Mask | Property::Transform => "none",
        Property::BoxShadow | Property::ClipPath | Property::Outline | Property::TextShadow => "none",
        Property::BackgroundImage | Property::BorderImage | Property::OutlineStyle => "none",
        Property::BackgroundOther => {
            "repeat no-repeat repeat-x repeat-y left right top bottom center cover contain scroll fixed auto"
        }
        Property::BlendMode | Property::LetterSpacing | Property::LineHeight | Property::WordSpacing => {
            "normal"
        }
        Property::BorderStyle => "none hidden solid dotted dashed double groove ridge inset outset",
        Property::BoxOrient => "vertical horizontal",
        Property::BoxSizing => "border-box content-box",
        Property::Break => "auto always avoid",
        Property::Clear => "none left right both",
        Property::Clip | Property::Inset(_) | Property::Margin(_) | Property::ZIndex => "auto",
        Property::DecorationLine | Property::DecorationThickness => "none underline overline line-through",
        Property::Direction => "ltr rtl",
        Property::Display => {
            "none block inline inline-block table inline-table table-row table-cell table-row-group list-item flex inline-flex -webkit-box"
        }
        Property::Float => "none left right",
        Property::FontSize => "xx-small x-small small medium large x-large xx-large smaller larger",
        Property::FontWeight => "normal bold bolder lighter",
        Property::Height | Property::MinHeight | Property::MinWidth | Property::Width => "auto",
        Property::ListStyle => "none disc circle square decimal inside outside lower-alpha upper-alpha",
        Property::MaxHeight | Property::MaxWidth => "none",
        Property::Overflow | Property::OverflowX | Property::OverflowY => "visible hidden scroll auto",
        Property::Position => "static relative absolute fixed",
        Property::TableLayout => "auto fixed",
        Property::TextAlign => "left right center justify start end",
        Property::TextTransform => "none uppercase lowercase capitalize",
        Property::VerticalAlign => "baseline top middle bottom sub super text-top text-bottom",
        Property::Visibility => "visible hidden collapse",
        Property::WhiteSpace => "normal nowrap pre pre-wrap pre-line",
        Property::WordBreak => "normal break-word break-all keep-all anywhere auto",
        _ => "",
    }
}
