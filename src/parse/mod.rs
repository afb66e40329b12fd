//! placeholder until merged
pub fn part_bytes(_: &[u8], _: &str) -> Option<Vec<u8>> {
    None
}
