//! What speaks for a report: who sent it, how, and what it says of itself. A person who writes about a failed delivery
//! sends none of the signs of a machine, and quotes what they like.

use super::super::addresses;
use super::super::automatic;
use super::super::header::{Header, Owner};
use super::super::parameters::Parametered;
use super::super::words;
use super::Kind;
use super::phrases::{self, Wording};
use super::pieces::Pieces;

/// What the header and the text show.
#[derive(Debug)]
pub(super) struct Signs {
    /// From a mail system by its name or address.
    daemon: bool,
    /// From the postmaster: a role that people fill too, and whose mailbox may have a robot.
    postmaster: bool,
    /// No return path: RFC 5321 demands it of every report, and others use it too.
    null_path: bool,
    automatic: bool,
    /// From an address that nobody reads.
    nobody: bool,
    away: bool,
    complaint: bool,
    read_receipt: bool,
    /// RFC 3464 by its type, or a part of it.
    status: bool,
    /// The subject alone says what happened.
    titled: bool,
    /// The subject is that of an answer or of something passed on, as people write.
    passed_on: bool,
    /// What the words mean.
    pub wording: Wording,
    has_code: bool,
    /// X-Failed-Recipients.
    pub failed: Vec<String>,
    /// To whom the report came: as a rule whoever sent the message.
    pub own: Vec<String>,
}

impl Signs {
    pub(super) fn of(header: &Header<'_>, pieces: &Pieces) -> Self {
        let text = |name: &str| header.first(name).map(words::unstructured).unwrap_or_default();
        let lower = |name: &str| text(name).to_lowercase();
        let content_type = header.first("Content-Type").map(Parametered::read).unwrap_or_default();
        let report_type = content_type.decoded("report-type").unwrap_or_default().to_lowercase();
        let subject = text("Subject");
        let submitted = lower("Auto-Submitted");
        let list =
            |name: &str| header.all(name).flat_map(addresses::list).map(|to| to.address).collect::<Vec<_>>();
        Self {
            daemon: is_from(header, &DAEMONS) || header.first("From").is_some_and(is_null),
            postmaster: is_from(header, &POSTMASTERS),
            null_path: header.all("Return-Path").any(is_null),
            automatic: submitted.starts_with("auto-")
                || ["X-Autoreply", "X-Autorespond", "X-Auto-Response-Suppress"]
                    .iter()
                    .any(|name| header.first(name).is_some())
                || lower("Precedence").starts_with("auto"),
            nobody: header
                .all("From")
                .flat_map(addresses::senders)
                .any(|from| automatic::is_nobodys(&from.address)),
            away: phrases::says_away(&subject) || submitted.starts_with("auto-replied"),
            complaint: report_type == "feedback-report"
                || pieces.has_complaint
                || subject.to_lowercase().starts_with("complaint about message from"),
            read_receipt: report_type == "disposition-notification" || pieces.has_read_receipt,
            status: is_status(&report_type)
                || pieces.has_status()
                || header.first("X-MS-Exchange-Message-Is-Ndr").is_some(),
            passed_on: subject.split_once(':').is_some_and(|(prefix, _)| prefix.trim().chars().count() <= 3),
            titled: Wording::of(&subject, "") != Wording::Silent,
            wording: Wording::of(&subject, &pieces.notice),
            has_code: phrases::has_code(&pieces.notice),
            failed: header
                .all("X-Failed-Recipients")
                .flat_map(addresses::list)
                .map(|to| to.address)
                .collect(),
            own: ["To", "Delivered-To", "X-Original-To", "Envelope-To"].into_iter().flat_map(list).collect(),
        }
    }

    /// What it is if it is no report on delivery but of another known kind.
    pub(super) fn other_kind(&self) -> Option<Kind> {
        match (self.complaint, self.read_receipt) {
            (true, _) => Some(Kind::Complaint),
            // Some systems refuse mail with the words of a receipt: it was deleted, nobody saw it.
            (_, true) if self.status || self.daemon && self.wording == Wording::Failed => None,
            (_, true) => Some(Kind::ReadReceipt),
            _ => None,
        }
    }

    /// Whether it reports on a delivery. Who is no mail system by name must show more: that it returns a message, and why.
    pub(super) fn is_report(&self, returns: bool) -> bool {
        let speaks = self.wording != Wording::Silent;
        let machine = self.null_path || self.automatic;
        self.status && (self.daemon || self.postmaster || machine || speaks)
            || !self.failed.is_empty()
            || self.daemon && (speaks || self.has_code || returns)
            || self.titled && self.has_code && returns && !self.passed_on
            || self.postmaster && speaks && (self.has_code || self.titled)
            || self.nobody && !self.postmaster && speaks && returns
            || machine
                && speaks
                && (self.has_code || (returns || self.titled) && !self.postmaster)
                && !self.is_away()
    }

    pub(super) fn is_auto_reply(&self) -> bool {
        self.automatic || self.away
    }

    fn is_away(&self) -> bool {
        self.away && !self.has_code
    }
}

fn is_null(path: &[u8]) -> bool {
    let path = words::unstructured(path).to_lowercase();
    matches!(path.as_str(), "<>" | "<null>" | "null") || path.contains("mailer-daemon")
}

/// How mail systems call themselves, without dots and dashes, in an address or beside it.
const DAEMONS: [&str; 13] = [
    "mailerdaemon",
    "mailerdeamon",
    "maildaemon",
    "mdaemon",
    "mailsystem",
    "maildelivery",
    "deliverysubsystem",
    "deliverysystem",
    "systemadministrator",
    "mailadministrator",
    "mailrouter",
    "mailgateway",
    "messagedelivery",
];
const POSTMASTERS: [&str; 3] = ["postmaster", "poostmaster", "mailadmin"];

fn is_from(header: &Header<'_>, names: &[&str]) -> bool {
    let from = header.all("From").chain(header.all("Sender")).flat_map(addresses::senders);
    let bare = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let mut called = from.flat_map(|from| {
        let local = from.address.split('@').next().unwrap_or_default().to_owned();
        [bare(&local), bare(&from.name)]
    });
    called.any(|name| names.iter().any(|known| name.contains(known)))
}

/// Whether a header is that of a report by RFC 3464 from a mail system.
pub(super) fn is_titled_report(block: &[u8]) -> bool {
    let header = Header::read(block, Owner::Message, |_| false);
    let content_type = header.first("Content-Type").map(Parametered::read).unwrap_or_default();
    let report_type = content_type.decoded("report-type").unwrap_or_default();
    is_status(&report_type.to_lowercase()) && (is_from(&header, &DAEMONS) || is_from(&header, &POSTMASTERS))
}

fn is_status(report_type: &str) -> bool {
    matches!(report_type, "delivery-status" | "global-delivery-status")
}

/// Whether an address belongs to a mail system or its keepers, whom a report tells to ask.
pub(super) fn is_keeper(address: &str) -> bool {
    let local = address.split('@').next().unwrap_or_default().to_lowercase();
    let bare: String = local.chars().filter(|c| c.is_alphanumeric()).collect();
    DAEMONS.iter().chain(&POSTMASTERS).any(|name| bare.contains(name))
        || matches!(
            bare.as_str(),
            "abuse" | "hostmaster" | "support" | "helpdesk" | "noc" | "noreply" | "admin"
        )
}

/// Whether a message may be a report, by what can be told of it without reading it. Says yes too often, and hardly ever
/// no to a report: a mailbox of a million letters holds a few that have to be read.
#[must_use]
pub fn may_be(name: &str, address: &str, subject: &str) -> bool {
    let bare = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let local = bare(address.split('@').next().unwrap_or_default());
    let is_daemon = |called: &str| DAEMONS.iter().chain(&POSTMASTERS).any(|known| called.contains(known));
    local.is_empty()
        || is_daemon(&local)
        || !name.is_empty() && is_daemon(&bare(name))
        || phrases::is_titled(subject)
}
