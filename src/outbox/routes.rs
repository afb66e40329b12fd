//! Which way out an account has in this process. A server that the environment names is only for the account it is
//! named for, and only with the password that stands beside it.

use std::path::PathBuf;

use crate::model::{AccountKey, Endpoint, Route, Via};
use crate::secret::Secret;
use crate::store::{Reader, StoreError};

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
}

impl Routes {
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
