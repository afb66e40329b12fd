//! Who a draft is from: the account's own address or an alias, each with the name that the owner chose. Nobody else.

use crate::drafts::{DraftError, recipient};
use crate::model::{AccountKey, Address, NotFound};
use crate::store::Reader;

/// An account to write from.
pub(super) struct Sender {
    /// Its row.
    pub(super) key: AccountKey,
    /// Its address as it is known.
    pub(super) account: String,
    allowed: Vec<Address>,
}

impl Sender {
    /// The account with this address.
    pub(super) fn find(reader: &Reader, address: &str) -> Result<Self, DraftError> {
        let accounts = reader.accounts()?;
        let wanted = address.trim();
        let Some(account) = accounts.iter().find(|account| account.address.eq_ignore_ascii_case(wanted))
        else {
            let known = accounts.into_iter().map(|account| account.address).collect();
            return Err(NotFound::Account { address: wanted.to_owned(), known }.into());
        };
        recipient::check_address(&account.address).map_err(|problem| DraftError::BadAddress {
            field: "account",
            value: account.address.clone(),
            problem,
        })?;
        let allowed = reader.sending_addresses(account.key)?;
        Ok(Self { key: account.key, account: account.address.clone(), allowed })
    }

    /// Who a message is from that asks for this sender. The name is the owner's to choose: another one is refused.
    pub(super) fn asked_for(&self, wanted: &str) -> Result<Address, DraftError> {
        let wanted = recipient::read_address("from", wanted)?;
        let same = |known: &&Address| {
            known.address.eq_ignore_ascii_case(&wanted.address)
                && (wanted.name.is_empty() || wanted.name == known.name)
        };
        self.allowed.iter().find(same).cloned().ok_or_else(|| self.refusal(&wanted))
    }

    /// Who an answer is from: the alias that the message was sent to, unless it was sent to the account's address too.
    pub(super) fn answering(&self, addressed: &[Address]) -> Address {
        let is_addressed = |known: &&Address| {
            addressed.iter().any(|address| address.address.eq_ignore_ascii_case(&known.address))
        };
        self.allowed.iter().find(is_addressed).unwrap_or(&self.allowed[0]).clone()
    }

    /// Refuses a sender that the owner has taken off the list since the draft was written.
    pub(super) fn still_allows(&self, from: &Address) -> Result<Address, DraftError> {
        let is_known = self.allowed.iter().any(|known| known.address.eq_ignore_ascii_case(&from.address));
        if is_known { Ok(from.clone()) } else { Err(self.refusal(from)) }
    }

    fn refusal(&self, wanted: &Address) -> DraftError {
        DraftError::SenderNotAllowed {
            from: wanted.to_string(),
            account: self.account.clone(),
            allowed: self.allowed.iter().map(Address::to_string).collect(),
        }
    }
}
