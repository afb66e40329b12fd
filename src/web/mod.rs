//! The person's pages: looked at in a browser on this machine, served beside the tools and separate from them. Owns who is
//! let in, what a page looks like, and the forms. Decides nothing by itself: a yes or no given here goes through
//! `outbox::approval`, as one given on a terminal does. Reading changes nothing.

mod answer;
mod assets;
mod door;
mod form;
mod frame;
mod guard;
mod keys;
mod outbox;
mod token;
mod trouble;
mod visit;

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::any;

use crate::account::PageAccess;
use crate::clock::Clock;
use crate::drafts::Drafts;
use crate::outbox::approval::Approvals;
use crate::outbox::overview::Overview;
use crate::outbox::propose::Proposals;
use crate::query::{Archive, QueryError};
use answer::Answer;
use form::Form;
use guard::{Kind, Verdict};
use trouble::Trouble;

pub use guard::PageAddress;

/// Opens the archive for the person.
pub type OpenArchive = Box<dyn Fn() -> Result<Archive, QueryError> + Send + Sync>;

/// What the pages are made of.
pub struct PageParts {
    /// What time it is.
    pub clock: Clock,
    /// Where the pages are.
    pub address: PageAddress,
    /// Who is let in.
    pub access: PageAccess,
    /// Who says yes and no.
    pub approvals: Arc<Approvals>,
    /// What waits, and what became of it.
    pub overview: Overview,
    /// What is known about each item.
    pub proposals: Arc<Proposals>,
    /// Where edits go.
    pub drafts: Drafts,
    /// Opens the archive.
    pub open: OpenArchive,
}

/// The pages.
pub struct Pages {
    parts: PageParts,
    /// One archive for all pages: a person looks at one at a time.
    archive: Mutex<Option<Archive>>,
}

impl Pages {
    /// Pages of these parts.
    #[must_use]
    pub fn new(parts: PageParts) -> Self {
        Self { parts, archive: Mutex::new(None) }
    }

    /// Where each of them is.
    pub fn router(self) -> Router {
        let router = Router::new().route("/", any(answer)).route("/outbox", any(answer));
        let router = router.route("/outbox/{item}", any(answer)).route("/open", any(answer));
        let router = router.route("/open/{link}", any(answer)).route("/sign-in", any(answer));
        let router = router.route("/sign-in/question", any(answer));
        let router = router.route("/assets/{name}", any(answer)).route("/p/{*inside}", any(answer));
        router.with_state(Arc::new(self))
    }

    /// Works with the archive.
    fn with_archive<T>(&self, work: impl FnOnce(&mut Archive) -> Result<T, Trouble>) -> Result<T, Trouble> {
        let mut held = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let archive = match held.take() {
            // An empty one stands in for a home without mail, which may have some by now.
            Some(archive) if !archive.is_stand_in() => archive,
            _ => (self.parts.open)()?,
        };
        work(held.insert(archive))
    }

    /// The answer to a request that was let through.
    fn respond(&self, head: &Parts, form: &Form) -> Result<Answer, Trouble> {
        let path = head.uri.path();
        let segments: Vec<&str> = path.split('/').skip(1).filter(|segment| !segment.is_empty()).collect();
        match segments.as_slice() {
            ["assets", _] => {
                let asset = assets::find(path).ok_or(Trouble::NoPage)?;
                Ok(Answer::asset(asset.content_type, asset.bytes))
            }
            ["p", session, inside @ ..] => visit::respond(self, head, session, inside, form),
            outside => door::respond(self, head, outside, form),
        }
    }
}

async fn answer(State(pages): State<Arc<Pages>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let kind = if head.uri.path().starts_with("/p/") { Kind::Inside } else { Kind::Door };
    match pages.parts.address.judge(&head.method, &head.headers, kind) {
        Verdict::Pass => {}
        Verdict::Refuse(status, why) => return Answer::text(status, why).into(),
        Verdict::Elsewhere => {
            let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
            return Answer::see(&format!("{}{path}", pages.parts.address.origin())).into();
        }
    }
    let form = match Form::read(body).await {
        Ok(form) => form,
        Err((status, why)) => return Answer::text(status, why).into(),
    };
    // The store and the PIN take their time; others are served meanwhile.
    let answered = tokio::task::spawn_blocking(move || {
        pages.respond(&head, &form).unwrap_or_else(|trouble| trouble.answer())
    });
    let failed = |_| Answer::text(StatusCode::INTERNAL_SERVER_ERROR, "this page could not be made");
    answered.await.unwrap_or_else(failed).into()
}
