//! The stylesheet and the script. They stand in the program, and their names change with their content, so that a browser
//! keeps them for ever.

use std::sync::LazyLock;

use crate::model::ContentHash;

/// A file that pages name.
pub(super) struct Asset {
    /// Its address.
    pub(super) path: String,
    /// Its media type.
    pub(super) content_type: &'static str,
    /// What is in it.
    pub(super) bytes: &'static [u8],
}

impl Asset {
    fn new(name: &str, ending: &str, content_type: &'static str, bytes: &'static [u8]) -> Self {
        let hash = ContentHash::of(bytes).to_hex();
        Self { path: format!("/assets/{name}-{}.{ending}", &hash[..12]), content_type, bytes }
    }
}

pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("style", "css", "text/css; charset=utf-8", include_bytes!("assets/style.css"))
});
pub(super) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("page", "js", "text/javascript; charset=utf-8", include_bytes!("assets/page.js"))
});

/// The file at an address.
pub(super) fn find(path: &str) -> Option<&'static Asset> {
    [&*STYLE, &*SCRIPT].into_iter().find(|asset| asset.path == path)
}
