//! Which account a call is about: the one it names, the one of the message it names, or all that count. Asks only
//! where none of that decides, and names the accounts then.

use serde_json::json;

use crate::model::{AccountKey, MessageKey};
use crate::query::{AccountInfo, FullMessage};
use crate::text_safety::one_line;
use crate::tools::{ErrorKind, ToolContext, ToolError};

/// The accounts that a question is about.
pub(super) struct AccountScope {
    /// The one that was named; `None` means all.
    pub(super) named: Option<AccountInfo>,
    /// All of them.
    pub(super) accounts: Vec<AccountInfo>,
}

impl AccountScope {
    /// The row of the one that was named.
    pub(super) fn key(&self) -> Option<AccountKey> {
        self.named.as_ref().map(|account| account.key)
    }

    /// The address of the one that was named.
    pub(super) fn address(&self) -> Option<&str> {
        self.named.as_ref().map(|account| account.address.as_str())
    }

    /// Whether an answer has to say which account something is in.
    pub(super) fn is_several(&self) -> bool {
        self.accounts.len() > 1
    }
}

impl ToolContext<'_> {
    /// The account that is named; where only one counts, it need not be.
    pub(super) fn account(&mut self, named: Option<&str>) -> Result<AccountInfo, ToolError> {
        let scope = self.account_scope(named)?;
        match (scope.named, scope.accounts.as_slice()) {
            (Some(account), _) => Ok(account),
            (None, [only]) => Ok(only.clone()),
            (None, _) => Err(self.with_accounts(ToolError::account_required())),
        }
    }

    /// The accounts that a question is about: the one that is named, or all that count.
    pub(super) fn account_scope(&mut self, named: Option<&str>) -> Result<AccountScope, ToolError> {
        let all = self.archive()?.accounts()?;
        let Some(address) = named else { return self.all_that_count(all) };
        let found = all.iter().find(|account| account.address.eq_ignore_ascii_case(address)).cloned();
        let Some(account) = found else { return Err(unknown_account(address, &all)) };
        if self.lacks_sign_in(&account) {
            return Err(ToolError::authentication_required(&account.address));
        }
        Ok(AccountScope { named: Some(account.clone()), accounts: vec![account] })
    }

    /// Accounts without mail and without a server have nothing to say; where no other is there, they are all there is.
    fn all_that_count(&self, all: Vec<AccountInfo>) -> Result<AccountScope, ToolError> {
        let counting: Vec<_> = all.iter().filter(|account| account.counts()).cloned().collect();
        let accounts = if counting.is_empty() { all } else { counting };
        if let [only] = accounts.as_slice()
            && self.lacks_sign_in(only)
        {
            return Err(ToolError::authentication_required(&only.address));
        }
        Ok(AccountScope { named: None, accounts })
    }

    /// The account that a message is dealt with in: the one that is named, the one that holds it, or of several
    /// holders the one it was written to or by.
    pub(super) fn account_of(
        &mut self,
        message: MessageKey,
        named: Option<&AccountInfo>,
    ) -> Result<AccountInfo, ToolError> {
        if let Some(account) = named {
            return Ok(account.clone());
        }
        let archive = self.archive()?;
        let message = archive.read(message)?;
        let mut holders = archive.accounts()?;
        holders.retain(|account| message.placements.iter().any(|place| place.account == account.address));
        match concerned(&message, &holders).as_slice() {
            [one] => Ok((*one).clone()),
            _ => Err(in_several_accounts(&message, &holders)),
        }
    }

    /// An error about a missing account, with the accounts there are; where there are none, that is the error.
    #[must_use]
    pub fn with_accounts(&mut self, error: ToolError) -> ToolError {
        match self.archive().and_then(|archive| Ok(archive.accounts()?)) {
            Ok(accounts) => naming(error, accounts.into_iter().filter(AccountInfo::counts)),
            Err(more_serious) => more_serious,
        }
    }

    /// Whether nothing of an account's server can be here, because nobody has signed in.
    fn lacks_sign_in(&self, account: &AccountInfo) -> bool {
        account.has_server()
            && account.synced_epoch.is_none()
            && account.messages == 0
            && !self.is_signed_in(&account.address)
    }
}

/// Of several accounts that hold a message those whose address stands in it; the only one where there is one.
fn concerned<'a>(message: &FullMessage, holders: &'a [AccountInfo]) -> Vec<&'a AccountInfo> {
    if holders.len() == 1 {
        return holders.iter().collect();
    }
    let people = [&message.to, &message.cc, &message.bcc, &message.from];
    let stands = |account: &&AccountInfo| {
        let address = account.address.to_lowercase();
        people.iter().any(|list| list.iter().any(|person| mentions(person, &address)))
    };
    holders.iter().filter(stands).collect()
}

/// Whether a person as written has exactly this address.
fn mentions(person: &str, address: &str) -> bool {
    let written = person.rsplit_once('<').map_or(person, |(_, rest)| rest.trim_end_matches('>'));
    written.trim().eq_ignore_ascii_case(address)
}

fn in_several_accounts(message: &FullMessage, holders: &[AccountInfo]) -> ToolError {
    let error = ToolError::new(
        ErrorKind::AccountRequired,
        format!("No account specified, and email {} is in several. Pass `account`.", message.id),
    );
    naming(error, holders.iter().cloned())
}

fn unknown_account(address: &str, known: &[AccountInfo]) -> ToolError {
    let known: Vec<_> = known.iter().map(|account| account.address.as_str()).collect();
    ToolError::not_found(format!("Account not found: {}", one_line(address)))
        .with_hint(format!("the accounts are: {}", known.join(", ")))
}

fn naming(error: ToolError, accounts: impl Iterator<Item = AccountInfo>) -> ToolError {
    let known: Vec<_> = accounts.map(|account| account.address).collect();
    error
        .with_hint(format!("the accounts are: {}", known.join(", ")))
        .with_details(json!({ "field": "account", "allowed": known }))
}
