//! placeholder until merged
#[derive(Debug, Clone, Default)]
pub struct Extractor;
impl Extractor {
    pub fn can_read(_: &str, _: Option<&str>) -> bool {
        false
    }
    pub fn text(&self, _: &str, _: Option<&str>, _: &[u8]) -> Option<String> {
        None
    }
}
