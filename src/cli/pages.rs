//! The person's pages, built for this home, and where they are while a server of it runs.

use std::sync::Arc;

use crate::account::PageAccess;
use crate::cli::context::Context;
use crate::cli::leaving;
use crate::drafts::Drafts;
use crate::home::Home;
use crate::model::Audience;
use crate::outbox::overview::Overview;
use crate::query::Archive;
use crate::server::pages_address;
use crate::web::{PageAddress, PageParts, Pages};

/// The pages of this home on this port.
pub(super) fn pages(context: &Context, port: u16) -> Pages {
    let (home, clock) = (context.home.clone(), context.clock.clone());
    let models = Arc::clone(&context.models);
    let approvals = leaving::approvals(context);
    Pages::new(PageParts {
        clock: clock.clone(),
        address: PageAddress::at(port),
        access: access(context),
        overview: Overview::new(&home, approvals.clone()),
        approvals,
        proposals: leaving::proposals(context),
        drafts: Drafts::new(&home, clock.clone()).for_person(),
        open: Box::new(move || {
            let archive = Archive::open(&home, Audience::Person, clock.clone(), Context::extractor())?;
            Ok(archive.with_models(&models))
        }),
    })
}

/// Who is let in to them.
pub(super) fn access(context: &Context) -> PageAccess {
    PageAccess::new(&context.home, context.clock.clone())
}

/// Where the pages of a home are, as long as a server of it runs on this machine: `http://localhost:8025`.
pub(super) fn origin(home: &Home) -> Option<String> {
    pages_address(&home.clients())?.strip_suffix("/outbox").map(str::to_owned)
}
