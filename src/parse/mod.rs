//! placeholder until merged
pub mod document;
pub mod visible_text;
pub fn part_bytes(_: &[u8], _: &str) -> Option<Vec<u8>> { None }
