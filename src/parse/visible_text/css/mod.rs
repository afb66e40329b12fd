//! As much of CSS as it takes to know whether a person can read a text: tokens, style sheets, selectors, the
//! cascade, and the values of the properties that show, hide, colour, size, place and clip.
//! Refuses everything that is only beauty. What cannot be understood leaves doubt, and never shows.

mod by_name;
pub(crate) mod color;
pub(crate) mod declaration;
pub(crate) mod length;
pub(crate) mod matching;
pub(crate) mod media;
pub(crate) mod plain;
mod property_names;
mod pseudo;
pub(crate) mod rules;
pub(crate) mod selector;
pub(crate) mod sheet;
pub(crate) mod tokens;
mod usual_words;
