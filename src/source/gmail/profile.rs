//! Whose mail the API shows.

use crate::account::AccountError;
use crate::source::SourceError;
use crate::source::gmail::GmailSource;
use crate::text_safety::one_line;
use crate::wire::gmail::{GmailMethod, Problem, Profile};

impl GmailSource<'_> {
    /// What Gmail says of the mail of this very user: on Google's page one can agree for somebody else, whose mail must
    /// not be taken for this account's.
    pub fn own_profile(&mut self) -> Result<Profile, SourceError> {
        let profile = self.profile()?;
        if !profile.email_address.is_empty() && !is_same_mailbox(&profile.email_address, &self.user) {
            let (address, other) = (self.user.clone(), one_line(&profile.email_address));
            return Err(AccountError::OtherMailbox { address, other }.into());
        }
        Ok(profile)
    }

    fn profile(&mut self) -> Result<Profile, SourceError> {
        let profile: Result<Profile, Problem> = self.get(GmailMethod::Profile, "profile")?;
        profile.map_err(|problem| self.refused(GmailMethod::Profile, &problem))
    }
}

/// Whether Google delivers both addresses to the same person: dots and what follows a `+` do not matter there.
fn is_same_mailbox(one: &str, other: &str) -> bool {
    let bare = |address: &str| {
        let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
        let local = local.split('+').next().unwrap_or_default();
        match domain.to_lowercase().as_str() {
            "gmail.com" | "googlemail.com" => format!("{}@gmail.com", local.replace('.', "").to_lowercase()),
            domain => format!("{}@{domain}", local.to_lowercase()),
        }
    };
    bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use super::is_same_mailbox;

    #[test]
    fn a_mailbox_is_known_by_every_spelling_of_its_address() {
        assert!(is_same_mailbox("AdaBerg@gmail.com", "ada.berg+list@googlemail.com"));
        assert!(is_same_mailbox("Ada@company.example", "ada@company.example"));
        assert!(!is_same_mailbox("ada@gmail.com", "bob@gmail.com"));
        assert!(!is_same_mailbox("a.b@company.example", "ab@company.example"));
    }
}
