//! What a page could not do, told to the person with a way out.

use askama::Template;
use axum::http::StatusCode;

use crate::outbox::OutboxError;
use crate::query::QueryError;
use crate::web::answer::Answer;
use crate::web::frame::Bare;

/// Why there is no page.
#[derive(Debug)]
pub(super) enum Trouble {
    /// There is none at this address.
    NoPage,
    /// The browser is not let in, or not any more.
    SignedOut,
    /// The form is not of a page that this browser was shown.
    Forged,
    /// The outbox says no.
    Outbox(OutboxError),
    /// Something else went wrong; what, and a way out.
    Other(String, String),
}

impl Trouble {
    /// Whatever it is that went wrong here.
    pub(super) fn other(error: &impl std::fmt::Display) -> Self {
        Self::Other(error.to_string(), "`mailkeep doctor` looks for the cause".to_owned())
    }

    /// As a page.
    pub(super) fn answer(&self) -> Answer {
        let (status, title, hint) = self.told();
        Answer::page(status, &Notice { bare: Bare::new(&title), hint })
    }

    /// What a program is told.
    pub(super) fn status(&self) -> StatusCode {
        self.told().0
    }

    /// The status, what happened, and what to do.
    fn told(&self) -> (StatusCode, String, String) {
        let words = |status, title: &str, hint: &str| (status, title.to_owned(), hint.to_owned());
        match self {
            Self::NoPage => {
                words(StatusCode::NOT_FOUND, "There is no such page", "It may have been deleted.")
            }
            Self::SignedOut => words(
                StatusCode::FORBIDDEN,
                "You are signed out",
                "Nothing was decided. Run `mailkeep open` in a terminal to come in again.",
            ),
            Self::Forged => words(
                StatusCode::FORBIDDEN,
                "This form is not from your page",
                "Nothing was decided. Go back, load the page again and decide there.",
            ),
            Self::Outbox(error) => (status_of(error), capital(&error.to_string()), capital(&error.hint())),
            Self::Other(what, hint) => (StatusCode::INTERNAL_SERVER_ERROR, capital(what), capital(hint)),
        }
    }
}

fn status_of(error: &OutboxError) -> StatusCode {
    match error {
        OutboxError::UnknownItem { .. } => StatusCode::NOT_FOUND,
        OutboxError::WrongState { .. } | OutboxError::Changed { .. } => StatusCode::CONFLICT,
        OutboxError::WrongPin { .. } | OutboxError::Factor(_) | OutboxError::Broken => StatusCode::FORBIDDEN,
        OutboxError::PinLocked { .. } => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A sentence begins with a capital letter on a page.
pub(super) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

impl From<OutboxError> for Trouble {
    fn from(error: OutboxError) -> Self {
        Self::Outbox(error)
    }
}

impl From<QueryError> for Trouble {
    fn from(error: QueryError) -> Self {
        Self::other(&error)
    }
}

#[derive(Template)]
#[template(path = "notice.html")]
struct Notice {
    bare: Bare,
    hint: String,
}
