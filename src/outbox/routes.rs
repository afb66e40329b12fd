//! Which way out an account has in this process. A server that the environment names is only for the account it is
//! named for, and only with the password that stands beside it.

use std::path::PathBuf;

use crate::model::{AccountKey, Channel, Endpoint, Route, Via};
use crate::outbox::channels::linkedin::LinkedInAccess;
use crate::outbox::channels::whatsapp::WhatsAppAccess;
use crate::secret::Secret;
use crate::store::{Item, Reader, StoreError};

/// A server that the environment names.
#[derive(Debug, Clone)]
pub struct EnvironmentServer {
    /// Where it is.
    pub endpoint: Endpoint,
    /// Who signs in there; also the account it is for.
    pub user: String,
    /// With what; never one that is kept.
    pub password: Option<Secret<String>>,
}

/// The ways out that this process knows.
#[derive(Debug, Clone, Default)]
pub struct Routes {
    /// Where the Gmail API is.
    pub gmail: String,
    /// What the environment names.
    pub environment: Option<EnvironmentServer>,
    /// What this process may send on WhatsApp with.
    pub whatsapp: Option<WhatsAppAccess>,
    /// What this process may post on LinkedIn with.
    pub linkedin: Option<LinkedInAccess>,
    /// Why it may not, where somebody should be told.
    pub missing: Option<Missing>,
}

/// What a process lacks to send on its channel.
#[derive(Debug, Clone)]
pub struct Missing {
    /// What.
    pub problem: String,
    /// Where to get it.
    pub hint: &'static str,
}

impl Routes {
    /// The way out that this process has now for an item. A place where a list takes requests is named by the item itself.
    pub fn of_item(&self, reader: &Reader, item: &Item) -> Result<Option<Route>, StoreError> {
        let is_its = |account: String| account.eq_ignore_ascii_case(&item.draft.account);
        match item.channel {
            Channel::WhatsApp => {
                let access = self.whatsapp.as_ref().filter(|access| is_its(access.account()));
                Ok(access.map(WhatsAppAccess::route))
            }
            Channel::LinkedIn => {
                let access = self.linkedin.as_ref().filter(|access| is_its(access.account()));
                Ok(access.map(LinkedInAccess::route))
            }
            Channel::Unsubscribe if matches!(item.route, Route::OneClick(_)) => Ok(Some(item.route.clone())),
            Channel::Mail | Channel::Unsubscribe => {
                let account = reader.account(&item.draft.account)?;
                let route = account.map(|key| self.of(reader, key, &item.draft.account)).transpose()?;
                Ok(route.flatten())
            }
        }
    }

    /// The way out of an account, if it has one.
    pub fn of(
        &self,
        reader: &Reader,
        account: AccountKey,
        address: &str,
    ) -> Result<Option<Route>, StoreError> {
        if let Some(server) = self.environment.as_ref().filter(|it| it.user.eq_ignore_ascii_case(address)) {
            return Ok(Some(Route::Smtp { endpoint: server.endpoint.clone(), user: server.user.clone() }));
        }
        if let Some(folder) = reader.send_folder(account)? {
            return Ok(Some(Route::Folder(PathBuf::from(folder))));
        }
        let Some(settings) = reader.account_settings(account)? else { return Ok(None) };
        if settings.via == Via::Gmail {
            return Ok(Some(Route::Gmail { base_url: self.gmail.clone(), user: settings.user }));
        }
        Ok(settings.smtp.map(|endpoint| Route::Smtp { endpoint, user: settings.user }))
    }
}
