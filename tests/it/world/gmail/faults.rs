//! What can go wrong on Google's side, and when it does.

use super::super::random::Random;

/// One thing that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// All access tokens end.
    TokenExpires,
    /// The user takes the permission back.
    Revoked,
    /// 429, domain `global`.
    RateGlobal,
    /// 403 `rateLimitExceeded`, domain `usageLimits`.
    RateUsage,
    /// 403 `userRateLimitExceeded`.
    RateUser,
    /// 429 in a part of a batch: too many at once.
    Concurrent,
    /// 429 with a time in its text.
    RetryAfterText,
    /// 429 with a `Retry-After` field.
    RetryAfterField,
    /// 500.
    Internal,
    /// 503.
    Unavailable,
    /// Half of the answer comes.
    Truncated,
    /// A page names itself as the next one.
    RepeatedPage,
    /// A message is deleted when it is asked for.
    MessageGone,
    /// A label is deleted while it is read.
    LabelGone,
    /// The history is forgotten.
    HistoryGone,
    /// The history tells things twice, and out of order.
    HistoryTwice,
    /// Parts of a batch fail, each in its own way.
    MixedBatch,
    /// The answer comes in drops.
    SlowDrip,
    /// The answer stops in the middle, and the connection stays.
    Stall,
    /// The connection ends without an answer.
    Cut,
}

impl Fault {
    /// All of them.
    pub(crate) const ALL: [Self; 20] = [
        Self::TokenExpires,
        Self::Revoked,
        Self::RateGlobal,
        Self::RateUsage,
        Self::RateUser,
        Self::Concurrent,
        Self::RetryAfterText,
        Self::RetryAfterField,
        Self::Internal,
        Self::Unavailable,
        Self::Truncated,
        Self::RepeatedPage,
        Self::MessageGone,
        Self::LabelGone,
        Self::HistoryGone,
        Self::HistoryTwice,
        Self::MixedBatch,
        Self::SlowDrip,
        Self::Stall,
        Self::Cut,
    ];

    /// Whether it can strike here.
    fn fits(self, call: &Where<'_>) -> bool {
        match self {
            Self::Concurrent | Self::MixedBatch => call.in_batch,
            Self::RepeatedPage => call.has_pages,
            Self::MessageGone => call.method == "messages.get",
            Self::HistoryGone | Self::HistoryTwice => call.method == "history.list",
            // What happens to the answer as a whole happens to the batch, not to its parts.
            Self::Truncated | Self::SlowDrip | Self::Stall | Self::Cut => !call.in_batch,
            _ => call.method != "token",
        }
    }
}

/// A call that a fault may strike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Where<'a> {
    pub(crate) method: &'a str,
    pub(crate) in_batch: bool,
    pub(crate) has_pages: bool,
}

/// What is going to go wrong.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    planned: Vec<Planned>,
    /// How many have struck.
    pub(crate) struck: u64,
}

#[derive(Debug)]
struct Planned {
    fault: Fault,
    /// Calls that it passes over.
    after: usize,
    /// Calls that it strikes.
    times: usize,
}

impl Faults {
    /// Lets a fault strike so many calls after having passed over some.
    pub(crate) fn plan(&mut self, fault: Fault, after: usize, times: usize) {
        self.planned.push(Planned { fault, after, times });
    }

    /// The same, at a moment that the seed decides.
    pub(crate) fn plan_by(&mut self, fault: Fault, random: &mut Random) {
        let (after, times) = match fault {
            Fault::HistoryGone | Fault::HistoryTwice => (random.below(2), 1),
            Fault::RepeatedPage | Fault::LabelGone | Fault::RetryAfterText | Fault::RetryAfterField => {
                (random.below(4), 1)
            }
            Fault::Stall | Fault::SlowDrip => (random.below(5), 1),
            Fault::Revoked => (1 + random.below(12), 1),
            Fault::MixedBatch => (random.below(4), 1 + random.below(12)),
            _ => (random.below(12), 1 + random.below(3)),
        };
        self.plan(fault, after, times);
    }

    /// The fault that strikes this call, if one does.
    pub(crate) fn strike(&mut self, call: &Where<'_>) -> Option<Fault> {
        let planned =
            self.planned.iter_mut().find(|planned| planned.times > 0 && planned.fault.fits(call))?;
        if planned.after > 0 {
            planned.after -= 1;
            return None;
        }
        planned.times -= 1;
        self.struck += 1;
        Some(planned.fault)
    }

    /// Nothing goes wrong any more.
    pub(crate) fn end(&mut self) {
        self.planned.clear();
    }
}
