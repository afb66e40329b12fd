//! Posts on LinkedIn: one text, for everybody or for the owner's connections.

mod carrier;

use crate::model::{Address, Channel, Recipients, Route};
use crate::outbox::OutboxError;
use crate::outbox::channels::{Composed, Reading, checked, titled};
use crate::secret::Secret;
use crate::wire::linkedin::Post;

pub(in crate::outbox) use carrier::LinkedInCarrier;

/// Characters that the API takes.
const LONGEST: usize = 3_000;
const TITLE: &str = "LinkedIn post";

/// Who may see a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Everybody, also without an account.
    Public,
    /// Those whom the owner is connected with.
    Connections,
}

impl Visibility {
    /// The word of the API.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Public => "PUBLIC",
            Self::Connections => "CONNECTIONS",
        }
    }

    /// Reads that word, in any case.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Public, Self::Connections].into_iter().find(|it| it.name().eq_ignore_ascii_case(word.trim()))
    }

    /// As a recipient is named.
    fn address(self) -> Address {
        Address::new("", format!("{}@linkedin", self.name().to_lowercase()))
    }
}

/// What a process needs to post as somebody.
#[derive(Debug, Clone)]
pub struct LinkedInAccess {
    /// Where the API is.
    pub base_url: String,
    /// The month whose form it has.
    pub version: String,
    /// Who posts.
    pub author: String,
    /// What it signs in with.
    pub token: Secret<String>,
}

impl LinkedInAccess {
    /// Who posts, as accounts are named.
    #[must_use]
    pub fn account(&self) -> String {
        format!("{}@linkedin", self.author)
    }

    /// By which way it leaves.
    #[must_use]
    pub fn route(&self) -> Route {
        let (base_url, version) = (self.base_url.clone(), self.version.clone());
        Route::LinkedIn { base_url, version, author: self.author.clone() }
    }
}

/// A post, checked.
pub(in crate::outbox) fn compose(
    access: &LinkedInAccess,
    text: &str,
    visibility: Visibility,
) -> Result<Composed, OutboxError> {
    let text = checked("text", text, LONGEST)?;
    Ok(Composed {
        channel: Channel::LinkedIn,
        account: access.account(),
        recipients: Recipients { to: vec![visibility.address()], ..Recipients::default() },
        title: titled(TITLE, &text),
        text: text.clone(),
        payload: Post::new(&access.author, &text, visibility.name()).to_bytes(),
        route: access.route(),
        about: None,
    })
}

/// Who sees it, in words.
pub(super) fn audience(recipients: &Recipients) -> &'static str {
    let is_for = |visibility: Visibility| recipients.all().any(|to| *to == visibility.address());
    if is_for(Visibility::Connections) && !is_for(Visibility::Public) {
        "your connections"
    } else {
        "everybody"
    }
}

/// What leaves, as a person reads it.
pub(super) fn read(bytes: &[u8]) -> Reading {
    match Post::read(bytes) {
        Some(post) => {
            let text = post.text();
            Reading::of_text(&format!("{}@linkedin", post.author), &titled(TITLE, &text), text)
        }
        None => Reading::of_text("linkedin", TITLE, String::from_utf8_lossy(bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{LinkedInAccess, Visibility, compose, read};
    use crate::secret::Secret;

    #[test]
    fn a_post_of_3000_characters_is_taken_and_reads_as_it_was_written() {
        let access = LinkedInAccess {
            base_url: "https://x.example".to_owned(),
            version: "202511".to_owned(),
            author: "urn:li:person:a".to_owned(),
            token: Secret::new("t".to_owned()),
        };
        let fits = "(ä) #b ".repeat(500).chars().take(3_000).collect::<String>().replace(' ', "_");

        let composed = compose(&access, &fits, Visibility::Connections).unwrap();

        assert_eq!(read(&composed.payload).contents.text, fits);
        assert_eq!(composed.recipients.to[0].address, "connections@linkedin");
        assert!(compose(&access, &format!("{fits}x"), Visibility::Public).is_err());
        assert!(compose(&access, "", Visibility::Public).is_err());
        assert_eq!(Visibility::parse("public"), Some(Visibility::Public));
        assert_eq!(Visibility::parse("everyone"), None);
    }
}
