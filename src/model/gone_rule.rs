//! What becomes of mail that a server no longer shows.

use serde::{Deserialize, Serialize};

/// How long mail stays here after its server has stopped showing it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum GoneRule {
    /// For ever; what was in trash, spam or drafts for 30 days.
    #[default]
    Keep,
    /// So many days.
    Days(u32),
    /// Not at all.
    Mirror,
}

impl From<GoneRule> for String {
    fn from(rule: GoneRule) -> Self {
        match rule {
            GoneRule::Keep => "keep".to_owned(),
            GoneRule::Days(days) => format!("{days}d"),
            GoneRule::Mirror => "mirror".to_owned(),
        }
    }
}

impl TryFrom<String> for GoneRule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let days = text.strip_suffix('d').and_then(|number| number.parse().ok());
        match (text.as_str(), days) {
            ("keep", _) => Ok(Self::Keep),
            ("mirror", _) => Ok(Self::Mirror),
            (_, Some(days)) => Ok(Self::Days(days)),
            _ => {
                Err(format!("`gone` takes \"keep\", \"mirror\" or days such as \"30d\", and not \"{text}\""))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GoneRule;

    #[test]
    fn a_rule_is_a_word_or_a_number_of_days() {
        let rule = |text: &str| GoneRule::try_from(text.to_owned());

        assert_eq!(rule("keep"), Ok(GoneRule::Keep));
        assert_eq!(rule("mirror"), Ok(GoneRule::Mirror));
        assert_eq!(rule("7d"), Ok(GoneRule::Days(7)));
        for wrong in ["", "d", "-1d", "7", "7h", "forever"] {
            assert!(rule(wrong).is_err(), "{wrong}");
        }
    }
}
