//! What a form of ours sends: names and values, read whole or not at all.

use std::collections::HashSet;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::StatusCode;
use tokio::time::timeout;

/// The longest form: a long letter that is edited, with every character escaped.
const LONGEST: usize = 12 << 20;
/// How long a browser may take to send it.
const PATIENCE: Duration = Duration::from_secs(30);

/// The one name that may stand in a form several times: boxes that are ticked.
const REPEATED: &str = "pick";

/// Names and values.
#[derive(Debug, Default)]
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads the body of a request.
    pub(super) async fn read(body: Body) -> Result<Self, (StatusCode, &'static str)> {
        let Ok(read) = timeout(PATIENCE, to_bytes(body, LONGEST)).await else {
            return Err((StatusCode::REQUEST_TIMEOUT, "the form did not come in time"));
        };
        let too_long = (StatusCode::PAYLOAD_TOO_LARGE, "the form is longer than 12 MiB");
        let form = Self::parse(&read.map_err(|_| too_long)?);
        if form.is_ambiguous() {
            return Err((StatusCode::BAD_REQUEST, "a field stands in the form twice; nothing was done"));
        }
        Ok(form)
    }

    /// Whether a name stands there twice that has one value: nobody knows which of them the person saw.
    fn is_ambiguous(&self) -> bool {
        let mut known = HashSet::new();
        self.0.iter().any(|(name, _)| name != REPEATED && !known.insert(name))
    }

    /// Reads what stands behind the question mark of an address, or in a body.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        Self(form_urlencoded::parse(bytes).into_owned().collect())
    }

    /// The value of a name; empty when it is not there. One that is there twice is not believed.
    pub(super) fn get(&self, name: &str) -> &str {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (Some(value), None) => value,
            _ => "",
        }
    }

    /// All values of a name.
    pub(super) fn all<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Lines of a text area, as the rest of the world writes them.
    pub(super) fn text(&self, name: &str) -> String {
        self.get(name).replace("\r\n", "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::Form;

    #[test]
    fn a_name_that_stands_twice_has_no_value_and_boxes_have_several() {
        let form = Form::parse(b"hash=a&hash=b&pick=1&pick=2&note=a+b%0D%0Ac");

        assert!(form.is_ambiguous() && !Form::parse(b"hash=a&pick=1&pick=2").is_ambiguous());

        assert_eq!(form.get("hash"), "");
        assert_eq!(form.all("pick").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(form.text("note"), "a b\nc");
        assert_eq!(form.get("missing"), "");
    }
}
