//! What decides about items and lets them leave, built for this home.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::cli::account;
use crate::cli::channel_settings;
use crate::cli::context::Context;
use crate::cli::environment::Variables;
use crate::cli::failure::Failure;
use crate::cli::smtp_settings::SmtpSettings;
use crate::model::{OutboxSettings, PolicySettings};
use crate::outbox::approval::Approvals;
use crate::outbox::policy::Wanted;
use crate::outbox::propose::Proposals;
use crate::outbox::worker::{GRACE, Worker, WorkerParts};
use crate::outbox::{OutboxError, Routes};

/// The ways out that this process knows.
pub(super) fn routes(context: &Context) -> Routes {
    let environment = smtp(context).map(|settings| settings.server);
    let gmail = context.config.gmail.base_url.clone();
    let mut routes = Routes { gmail, environment, ..Routes::default() };
    channel_settings::add_to(&mut routes, context);
    routes
}

/// What the environment says about sending. One that makes no sense counts as none; `serve` refuses to start with it.
fn smtp(context: &Context) -> Option<SmtpSettings> {
    SmtpSettings::read(&context.variables).ok().flatten()
}

/// The owner's rules, with limits that the environment may have made smaller.
pub(super) fn policy(context: &Context) -> PolicySettings {
    let mut policy = context.config.policy.clone();
    if let Some(settings) = smtp(context) {
        settings.strengthen(&mut policy);
    }
    policy
}

/// Who says yes and no. Opens no secrets before a yes is given or checked.
pub(super) fn approvals(context: &Context) -> Arc<Approvals> {
    approvals_under(context, context.config.policy.clone())
}

/// The same under rules that the environment made stricter for this process alone.
fn approvals_under(context: &Context, policy: PolicySettings) -> Arc<Approvals> {
    let secrets = account::secrets(context);
    let wanted = Wanted { policy, factor: context.config.approval.factor };
    Arc::new(Approvals::new(&context.home, context.clock.clone(), secrets, wanted))
}

/// What sends, once it is told to run; ends when `stop` is set.
pub(super) fn worker(context: &Context, stop: &Arc<AtomicBool>) -> Worker {
    let settings = with_environment(context.config.outbox, &context.variables);
    let silence = OutboxSettings::seconds(settings.connect);
    Worker::new(WorkerParts {
        home: context.home.clone(),
        lane: context.lane,
        clock: context.clock.clone(),
        approvals: approvals(context),
        routes: routes(context),
        policy: context.config.policy.clone(),
        settings,
        tokens: Arc::new(account::tokens(context, silence, stop)),
        stop: Arc::clone(stop),
        grace: GRACE,
    })
}

/// How often and after how long it is tried again may stand in the environment.
fn with_environment(mut settings: OutboxSettings, variables: &Variables) -> OutboxSettings {
    let number = |name| variables.get(name).and_then(|text| text.trim().parse::<u32>().ok());
    if let Some(tries) = number("MAX_RETRIES").and_then(NonZeroU32::new) {
        settings.tries = tries;
    }
    if let Some(delay) = number("RETRY_DELAY_MS") {
        settings.retry_delay_ms = delay;
    }
    if let Some(factor) = number("RETRY_BACKOFF_MULTIPLIER").and_then(NonZeroU32::new) {
        settings.retry_multiplier = factor;
    }
    settings
}

/// The outbox as tools see it.
pub(super) fn proposals(context: &Context) -> Arc<Proposals> {
    Arc::new(Proposals::new(&context.home, routes(context), approvals_under(context, policy(context))))
}

impl From<OutboxError> for Failure {
    fn from(error: OutboxError) -> Self {
        match error {
            OutboxError::Draft(error) => error.into(),
            other => Self::new(other.code(), other.to_string(), other.hint()),
        }
    }
}
