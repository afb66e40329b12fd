//! The bytes of messages, many in one request. Each is asked for until it comes, until it is gone, or until it is
//! clear that it will not come; one that does not come is named and holds up nobody.

use std::collections::VecDeque;

use crate::source::SourceError;
use crate::source::gmail::GmailSource;
use crate::source::gmail::labels::LabelIds;
use crate::source::gmail::session::{Ask, unreadable};
use crate::wire::gmail::{
    BatchBody, BatchPart, GmailMessage, GmailMethod, Problem, ProblemKind, parse_id, raw_bytes, read_batch,
    written_id,
};
use crate::wire::http::{HttpRequest, HttpResponse};

/// Messages asked for at once: few enough that Google does not call it too many at the same time.
const MOST_AT_ONCE: usize = 50;
const FIRST_AT_ONCE: usize = 20;
/// The longest answer for many messages; past it they are asked for in smaller numbers.
const LONGEST_BATCH: u64 = 48 << 20;
/// Past this an answer is long enough: no more messages are asked for at once.
const LONG_ENOUGH: usize = 12 << 20;
/// Messages in a row that do not come, after which the connection is at fault and not they.
const SUSPECTS: u32 = 3;

/// A message with its bytes.
#[derive(Debug)]
pub struct Fetched {
    /// Gmail's number of it.
    pub id: u64,
    /// Gmail's number of its thread.
    pub thread: Option<u64>,
    /// The ids of its labels.
    pub labels: LabelIds,
    /// When Gmail received it, in seconds since 1970.
    pub internal_epoch: Option<i64>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What became of a message that was asked for.
#[derive(Debug)]
pub enum Outcome {
    /// It came.
    Came(Box<Fetched>),
    /// Gmail does not have it any more.
    Gone(u64),
    /// It did not come: why, and whether it may another time.
    Unread(u64, String, bool),
}

/// A message that is wanted, and how often it was asked for in vain.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    id: u64,
    failures: u32,
}

/// A run over many messages.
struct Run<'r, 's> {
    source: &'r mut GmailSource<'s>,
    queue: VecDeque<Wanted>,
    at_once: usize,
    /// Requests in a row that came to nothing.
    failures: u32,
    suspects: u32,
    has_new_token: bool,
    /// The most that is asked for at once.
    most: usize,
    /// Bytes of the last answer.
    length: usize,
}

impl GmailSource<'_> {
    /// Fetches messages in this order, as far as Gmail keeps to it.
    pub fn fetch<E: From<SourceError>>(
        &mut self,
        ids: &[u64],
        mut on: impl FnMut(Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let most = MOST_AT_ONCE.min(self.access.quota.fits(GmailMethod::GetMessage.units()));
        let mut run = Run {
            source: self,
            queue: ids.iter().map(|id| Wanted { id: *id, failures: 0 }).collect(),
            at_once: FIRST_AT_ONCE.min(most),
            failures: 0,
            suspects: 0,
            has_new_token: false,
            most,
            length: 0,
        };
        while !run.queue.is_empty() {
            run.step(&mut on)?;
        }
        Ok(())
    }

    /// Asks for some messages at once.
    fn ask(&mut self, wanted: &[Wanted]) -> Result<HttpResponse, SourceError> {
        let target = |id: u64| format!("/gmail/v1/users/me/messages/{}?format=raw", written_id(id));
        let base = self.access.base_url.clone();
        let count = wanted.len() as u64;
        // Base64 takes a third more than the bytes.
        let longest = (self.access.largest / 3 + 1) * 4 + (64 << 10);
        let request: Box<dyn Fn() -> HttpRequest> = match wanted {
            [one] => {
                let url = format!("{base}{}", target(one.id));
                Box::new(move || HttpRequest::get(url.clone()).at_most(longest))
            }
            many => {
                let parts = many.iter().enumerate();
                let parts: Vec<_> =
                    parts.map(|(number, one)| BatchPart { number, target: target(one.id) }).collect();
                let body = BatchBody::of(&parts);
                let url = format!("{base}/batch/gmail/v1");
                Box::new(move || {
                    HttpRequest::post(url.clone(), body.content_type.clone(), body.bytes.clone())
                        .at_most(LONGEST_BATCH)
                })
            }
        };
        self.call_once(&Ask { method: GmailMethod::GetMessage, count, request })
    }

    /// Whether a message is larger than what we take.
    fn is_too_large(&mut self, id: u64) -> Result<bool, SourceError> {
        let path = format!("messages/{}?format=minimal", written_id(id));
        let message: Result<GmailMessage, Problem> = self.get(GmailMethod::GetMessage, &path)?;
        Ok(message.is_ok_and(|message| message.size_estimate.unwrap_or(0) > self.access.largest))
    }

    fn too_large(&self) -> String {
        format!("it is larger than {} MB", self.access.largest >> 20)
    }
}

impl Run<'_, '_> {
    fn step<E: From<SourceError>>(&mut self, on: &mut impl FnMut(Outcome) -> Result<(), E>) -> Result<(), E> {
        let possible = self.source.access.quota.possible(GmailMethod::GetMessage.units());
        let count = self.at_once.min(possible).min(self.queue.len());
        let wanted: Vec<Wanted> = self.queue.drain(..count).collect();
        let response = match self.source.ask(&wanted) {
            Err(error) if error.can_retry() => return self.fail(wanted, error, on),
            other => other?,
        };
        self.length = response.body.len();
        let answers = match wanted.as_slice() {
            [_] => Some(vec![(0, response)]),
            _ if is_no_batch(&response) => {
                self.queue.extend(wanted);
                (self.at_once, self.most) = (1, 1);
                return Ok(());
            }
            _ if !response.is_success() => {
                Some((0..count).map(|number| (number, response.clone())).collect())
            }
            _ => read_batch(&response).map(|answers| {
                let answers = answers.into_iter().map(|mut answer| {
                    self.source.redact(&mut answer.response);
                    (answer.number, answer.response)
                });
                answers.collect()
            }),
        };
        match answers {
            Some(answers) => self.take(wanted, answers, on),
            None => {
                let error = self.source.protocol_error("a batch was not answered as one");
                self.fail(wanted, error, on)
            }
        }
    }

    /// Nothing came: ask for fewer, and give up on one that cannot be had alone.
    fn fail<E: From<SourceError>>(
        &mut self,
        wanted: Vec<Wanted>,
        error: SourceError,
        on: &mut impl FnMut(Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        self.failures += 1;
        let tries = self.source.access.tries;
        if let [one] = wanted.as_slice()
            && one.failures == 0
            && matches!(&error, SourceError::Wire(wire) if wire.is_bad_answer())
            && self.source.is_too_large(one.id)?
        {
            return on(Outcome::Unread(one.id, self.source.too_large(), false));
        }
        if let [one] = wanted.as_slice()
            && one.failures >= tries
        {
            self.suspects += 1;
            on(Outcome::Unread(one.id, error.to_string(), true))?;
            return if self.suspects >= SUSPECTS { Err(error.into()) } else { Ok(()) };
        }
        let is_single = wanted.len() == 1;
        for mut one in wanted.into_iter().rev() {
            one.failures += u32::from(is_single);
            self.queue.push_front(one);
        }
        self.at_once = (self.at_once / 2).max(1);
        Ok(self.source.pause(self.source.backoff(self.failures.min(tries + 1)))?)
    }

    /// Takes what came; what did not is asked for again.
    fn take<E: From<SourceError>>(
        &mut self,
        wanted: Vec<Wanted>,
        answers: Vec<(usize, HttpResponse)>,
        on: &mut impl FnMut(Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut open: Vec<Option<Wanted>> = wanted.into_iter().map(Some).collect();
        let mut again = Vec::new();
        let mut worst: Option<Problem> = None;
        let mut came = 0;
        for (number, response) in answers {
            let Some(one) = open.get_mut(number).and_then(Option::take) else { continue };
            match self.source.outcome(one.id, &response) {
                Ok(Outcome::Came(message)) if message.bytes.len() as u64 > self.source.access.largest => {
                    on(Outcome::Unread(one.id, self.source.too_large(), false))?;
                }
                Ok(outcome) => {
                    came += 1;
                    on(outcome)?;
                }
                Err(problem) if problem.kind == ProblemKind::Refused => self.refuse(one, &problem, on)?,
                Err(problem) => {
                    again.push(one);
                    worst = Some(worse(worst, problem));
                }
            }
        }
        // A part without an answer is asked for again like one that was refused for now.
        again.extend(open.into_iter().flatten());
        if came > 0 {
            (self.failures, self.suspects, self.has_new_token) = (0, 0, false);
            let may_grow = again.is_empty() && self.length < LONG_ENOUGH;
            self.at_once = if may_grow { (self.at_once + 5).min(self.most) } else { self.at_once };
        }
        if again.is_empty() {
            return Ok(());
        }
        self.again(again, worst, on)
    }

    /// A message that is not for us; when none of several is, neither are the others.
    fn refuse<E: From<SourceError>>(
        &mut self,
        one: Wanted,
        problem: &Problem,
        on: &mut impl FnMut(Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        self.suspects += 1;
        if self.suspects > SUSPECTS {
            return Err(self.source.refused(GmailMethod::GetMessage, problem).into());
        }
        on(Outcome::Unread(one.id, problem.message.clone(), true))
    }

    fn again<E: From<SourceError>>(
        &mut self,
        again: Vec<Wanted>,
        worst: Option<Problem>,
        on: &mut impl FnMut(Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let unclear = || Problem {
            kind: ProblemKind::Temporary,
            status: 0,
            message: "it was not answered".to_owned(),
            wait: None,
        };
        let problem = worst.unwrap_or_else(unclear);
        let is_theirs = problem.kind == ProblemKind::Temporary;
        for mut one in again.into_iter().rev() {
            one.failures += u32::from(is_theirs);
            match one.failures > self.source.access.tries + 1 {
                true => on(Outcome::Unread(one.id, problem.message.clone(), true))?,
                false => self.queue.push_front(one),
            }
        }
        if problem.kind == ProblemKind::Token {
            if self.has_new_token {
                return Err(self.source.not_let_in(&problem).into());
            }
            self.has_new_token = true;
            return Ok(self.source.take_another_token()?);
        }
        self.failures += 1;
        self.at_once = (self.at_once / 2).max(1);
        let failures = if is_theirs { self.failures.min(self.source.access.tries) } else { self.failures };
        Ok(self.source.wait_after(&problem, GmailMethod::GetMessage, failures)?)
    }
}

/// Whether many at once are not to be had here. That says nothing about the messages.
fn is_no_batch(response: &HttpResponse) -> bool {
    !response.is_success()
        && matches!(Problem::of(response).kind, ProblemKind::NotFound | ProblemKind::Refused)
}

/// Of two problems the one to act upon: a token first, then the longer wait.
fn worse(one: Option<Problem>, other: Problem) -> Problem {
    let rank = |problem: &Problem| match problem.kind {
        ProblemKind::Token => 2,
        ProblemKind::Rate => 1,
        _ => 0,
    };
    match one {
        Some(one) if (rank(&one), one.wait) >= (rank(&other), other.wait) => one,
        _ => other,
    }
}

impl GmailSource<'_> {
    /// What an answer says about a message.
    fn outcome(&self, id: u64, response: &HttpResponse) -> Result<Outcome, Problem> {
        if !response.is_success() {
            let problem = self.problem(response);
            return match problem.kind {
                ProblemKind::NotFound => Ok(Outcome::Gone(id)),
                _ => Err(problem),
            };
        }
        let broken = |detail: &str| Problem {
            kind: ProblemKind::Temporary,
            status: 0,
            message: format!("an answer that makes no sense: {detail}"),
            wait: None,
        };
        let message: GmailMessage =
            serde_json::from_slice(&response.body).map_err(|error| broken(&unreadable(&error)))?;
        if parse_id(&message.id) != Some(id) {
            return Err(broken("it is another message"));
        }
        let bytes = message.raw.as_deref().and_then(raw_bytes).ok_or_else(|| broken("it has no bytes"))?;
        // An empty message is believed only when it is also said to be empty.
        if bytes.is_empty() && message.size_estimate != Some(0) {
            return Err(broken("it has no bytes"));
        }
        Ok(Outcome::Came(Box::new(Fetched {
            id,
            thread: parse_id(&message.thread_id),
            labels: message.label_ids.into_iter().collect(),
            internal_epoch: message.internal_date.map(|milliseconds| milliseconds.div_euclid(1000)),
            bytes,
        })))
    }
}
