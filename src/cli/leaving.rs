//! What decides about items and lets them leave, built for this home.

use std::sync::Arc;

use crate::cli::account;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::outbox::approval::Approvals;
use crate::outbox::policy::Wanted;
use crate::outbox::propose::Proposals;
use crate::outbox::{OutboxError, Routes};

/// The ways out that this process knows.
pub(super) fn routes(context: &Context) -> Routes {
    Routes { gmail: context.config.gmail.base_url.clone(), environment: None }
}

/// Who says yes and no. Opens no secrets before a yes is given or checked.
pub(super) fn approvals(context: &Context) -> Arc<Approvals> {
    let secrets = account::secrets(context);
    let wanted = Wanted { policy: context.config.policy.clone(), factor: context.config.approval.factor };
    Arc::new(Approvals::new(&context.home, context.clock.clone(), secrets, wanted))
}

/// The outbox as tools see it.
pub(super) fn proposals(context: &Context) -> Arc<Proposals> {
    Arc::new(Proposals::new(&context.home, routes(context), approvals(context)))
}

impl From<OutboxError> for Failure {
    fn from(error: OutboxError) -> Self {
        match error {
            OutboxError::Draft(error) => error.into(),
            other => Self::new(other.code(), other.to_string(), other.hint()),
        }
    }
}
