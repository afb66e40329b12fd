//! Hands something in over HTTP, once. These APIs have no way to ask for something to be done once: before the first byte of
//! a request nothing has left; from then on only a plain answer says what became of it.

use std::time::Duration;

use crate::crash_point::crash_point;
use crate::model::OutboxSettings;
use crate::outbox::approval::ApprovedItem;
use crate::outbox::carriers::{Grace, Means, Outcome, Receipt, Trouble};
use crate::outbox::journal::{Halt, Journal};
use crate::wire::WireError;
use crate::wire::http::{HttpConnection, HttpRequest, HttpResponse};

/// An answer is waited for no longer than this.
const LONGEST_REPLY: Duration = Duration::from_secs(120);

/// Connects, writes down that it may leave from here on, and sends the request. An error is what became of the item.
pub(super) fn submit(
    means: &Means,
    journal: &mut Journal<'_>,
    connect: impl FnOnce(&Grace) -> Result<HttpConnection, Outcome>,
    request: &HttpRequest,
) -> Result<HttpResponse, Outcome> {
    journal.go_on()?;
    let grace = Grace::begin(means, OutboxSettings::seconds(means.settings.reply).min(LONGEST_REPLY));
    let connection = connect(&grace)?;
    journal.data()?;
    journal.dot()?;
    let answer = connection.send(request);
    crash_point("the API has answered");
    answer.map_err(|error| Outcome::Unknown(format!("no answer that tells: {error}")))
}

/// What a connection that was not made comes to: nothing has left.
pub(super) fn not_connected(error: &WireError) -> Outcome {
    match error {
        WireError::Stopped => Outcome::Halted(Halt::Stopped),
        other => Outcome::Later(Trouble::new("NETWORK_ERROR", other.to_string())),
    }
}

/// It has left, and the API calls it so.
pub(super) fn taken(server: &str, id: &str) -> Outcome {
    let aliases = if id.is_empty() { Vec::new() } else { vec![id.to_owned()] };
    let reply = match id {
        "" => format!("{server} has it"),
        id => format!("{server} has it as {id}"),
    };
    Outcome::Sent(Receipt { reply, aliases, ..Receipt::default() })
}

/// An item that is on another carrier's way.
pub(super) fn misplaced(item: &ApprovedItem) -> Outcome {
    let reason = format!("`{}` is not carried here", item.route());
    Outcome::Failed(Trouble::new("INTERNAL_ERROR", reason))
}

/// Credentials that this process does not have.
pub(super) fn no_credentials(names: &str) -> Outcome {
    let reason = format!("this process has no credentials for it: {names} are missing");
    Outcome::Failed(Trouble::new("AUTH_FAILED", reason))
}
