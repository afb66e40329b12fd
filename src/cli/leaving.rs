//! What decides about items and lets them leave, built for this home.

use std::sync::Arc;

use crate::cli::account;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::outbox::approval::Approvals;
use crate::outbox::propose::Proposals;
use crate::outbox::{OutboxError, Routes};

/// The ways out that this process knows.
pub(super) fn routes(context: &Context) -> Routes {
    Routes { gmail: context.config.gmail.base_url.clone(), environment: None }
}

/// Who says yes and no. Opens no secrets before a yes is given or checked.
pub(super) fn approvals(context: &Context) -> Arc<Approvals> {
    let secrets = account::secrets(context);
    let policy = context.config.policy.clone();
    Arc::new(Approvals::new(&context.home, context.clock.clone(), secrets, policy))
}

/// The outbox as tools see it.
pub(super) fn proposals(context: &Context) -> Arc<Proposals> {
    let policy = context.config.policy.clone();
    Arc::new(Proposals::new(&context.home, routes(context), policy, approvals(context)))
}

impl From<OutboxError> for Failure {
    fn from(error: OutboxError) -> Self {
        match error {
            OutboxError::Draft(error) => error.into(),
            other => Self::new(other.code(), other.to_string(), other.hint()),
        }
    }
}
