//! What is on its way out, whatever it leaves by: its state, its channel, the code that people compare, and the hash that a
//! yes is a yes to.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::model::{ContentHash, DraftHash, Route};

/// How far an item is on its way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemState {
    /// Written, and nobody was asked to send it.
    Draft,
    /// Waits for a human's yes.
    PendingApproval,
    /// A human, or a rule of the owner's, said yes to exactly these bytes.
    Approved,
    /// On the wire.
    Sending,
    /// The server took it.
    Sent,
    /// The server refused it, or could not be reached for too long.
    Failed,
    /// It may have left; nobody can say.
    Unknown,
    /// A human said no.
    Rejected,
    /// Taken back by the assistant.
    Withdrawn,
    /// Taken back by the person.
    Cancelled,
    /// Nobody answered in time.
    Expired,
}

impl ItemState {
    const NAMES: [(Self, &'static str); 11] = [
        (Self::Draft, "draft"),
        (Self::PendingApproval, "pending_approval"),
        (Self::Approved, "approved"),
        (Self::Sending, "sending"),
        (Self::Sent, "sent"),
        (Self::Failed, "failed"),
        (Self::Unknown, "unknown"),
        (Self::Rejected, "rejected"),
        (Self::Withdrawn, "withdrawn"),
        (Self::Cancelled, "cancelled"),
        (Self::Expired, "expired"),
    ];

    /// The name kept in the store and shown to people.
    #[must_use]
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(state, _)| *state == self);
        named.map(|(_, name)| *name).expect("every state has a name")
    }

    /// The state with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(state, _)| *state)
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.into_iter().map(|(state, _)| state)
    }

    /// Whether one step leads from here to there. Everything that moves a state asks this.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Draft => matches!(next, Self::PendingApproval),
            Self::PendingApproval => matches!(
                next,
                Self::Approved
                    | Self::Rejected
                    | Self::Withdrawn
                    | Self::Cancelled
                    | Self::Expired
                    | Self::Draft
            ),
            // Back to `PendingApproval` when what was approved is not what would leave any more.
            Self::Approved => matches!(
                next,
                Self::Sending
                    | Self::PendingApproval
                    | Self::Withdrawn
                    | Self::Cancelled
                    | Self::Failed
                    | Self::Draft
            ),
            // Back to `Approved` only while nothing has left.
            Self::Sending => matches!(next, Self::Sent | Self::Failed | Self::Unknown | Self::Approved),
            // A person may send it again; the provider may tell that it has it.
            Self::Unknown => matches!(next, Self::Sent | Self::Failed | Self::Approved),
            // What has not left can be proposed or edited anew.
            Self::Failed | Self::Rejected | Self::Withdrawn | Self::Cancelled | Self::Expired => {
                matches!(next, Self::PendingApproval | Self::Draft)
            }
            Self::Sent => false,
        }
    }

    /// Whether its content may change or go: nothing of it has left, and nothing of it may be leaving.
    #[must_use]
    pub const fn may_be_edited(self) -> bool {
        matches!(self, Self::Draft) || self.may_become(Self::Draft)
    }

    /// Whether something of it has left, or may have, so that a report can be about it.
    #[must_use]
    pub const fn may_have_left(self) -> bool {
        matches!(self, Self::Sending | Self::Sent | Self::Unknown)
    }

    /// Whether nobody is asked about it and nothing of it is on its way: who waits for it waits no more.
    #[must_use]
    pub const fn is_at_rest(self) -> bool {
        !matches!(self, Self::Draft) && (matches!(self, Self::Unknown) || !self.is_under_way())
    }

    /// Whether somebody is still to decide about it, or it is on its way: the same again is the same item. What may have
    /// left is so too, because only a person sends that again.
    #[must_use]
    pub const fn is_under_way(self) -> bool {
        matches!(self, Self::PendingApproval | Self::Approved | Self::Sending | Self::Unknown)
    }
}

impl fmt::Display for ItemState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What kind of message an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// A mail.
    Mail,
    /// A message on WhatsApp.
    WhatsApp,
    /// A post on LinkedIn.
    LinkedIn,
    /// A request to a list to be left off it.
    Unsubscribe,
}

impl Channel {
    const NAMES: [(Self, &'static str); 4] = [
        (Self::Mail, "mail"),
        (Self::WhatsApp, "whatsapp"),
        (Self::LinkedIn, "linkedin"),
        (Self::Unsubscribe, "unsubscribe"),
    ];

    /// The name kept in the store and shown to people.
    #[must_use]
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(channel, _)| *channel == self);
        named.map(|(_, name)| *name).expect("every channel has a name")
    }

    /// The channel with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(channel, _)| *channel)
    }

    /// Who carries it.
    #[must_use]
    pub const fn lane(self) -> Lane {
        match self {
            Self::Mail | Self::Unsubscribe => Lane::Mail,
            Self::WhatsApp => Lane::WhatsApp,
            Self::LinkedIn => Lane::LinkedIn,
        }
    }
}

/// Channels that one process carries, with the credentials of these and of no others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Mail, and requests to be left off a list.
    #[default]
    Mail,
    /// Messages on WhatsApp.
    WhatsApp,
    /// Posts on LinkedIn.
    LinkedIn,
}

impl Lane {
    /// The name kept in the store; but for mail it is the channel's and the profile's, too.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::WhatsApp => "whatsapp",
            Self::LinkedIn => "linkedin",
        }
    }

    /// The lane whose tools a profile has.
    #[must_use]
    pub fn of_profile(profile: &str) -> Self {
        match profile {
            "whatsapp" => Self::WhatsApp,
            "linkedin" => Self::LinkedIn,
            _ => Self::Mail,
        }
    }

    /// The channels whose items tools of this lane propose.
    #[must_use]
    pub const fn channels(self) -> &'static [Channel] {
        match self {
            Self::Mail => &[Channel::Mail, Channel::Unsubscribe],
            Self::WhatsApp => &[Channel::WhatsApp],
            Self::LinkedIn => &[Channel::LinkedIn],
        }
    }
}

/// Four characters without look-alikes. Chat, terminal, page and notification show them, so that a person sees that
/// they all speak of the same item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ItemCode([u8; 4]);

impl ItemCode {
    /// No 0 and O, 1 and I and L, 2 and Z, 5 and S, 8 and B, U and V.
    const ALPHABET: &[u8] = b"34679ACDEFGHJKMNPQRTVWXY";

    /// The code that a random number stands for.
    #[must_use]
    pub fn from_number(number: u64) -> Self {
        let base = Self::ALPHABET.len() as u64;
        let digit = |place: u32| number / base.pow(place) % base;
        Self(std::array::from_fn(|at| Self::ALPHABET[digit(at as u32) as usize]))
    }

    /// Reads a code as somebody types it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let typed = text.trim().to_ascii_uppercase();
        let code: [u8; 4] = typed.as_bytes().try_into().ok()?;
        code.iter().all(|letter| Self::ALPHABET.contains(letter)).then_some(Self(code))
    }
}

impl fmt::Display for ItemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|letter| write!(f, "{}", char::from(*letter)))
    }
}

/// SHA-256 over everything that leaves and the way it leaves by: what a yes is a yes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemHash(pub ContentHash);

impl ItemHash {
    /// Of this content on this route, to all or also to some of its recipients.
    #[must_use]
    pub fn of(channel: Channel, content: &DraftHash, route: &Route, may_be_partial: bool) -> Self {
        let mut hash = Sha256::new();
        let route = route.to_string();
        let fields: [&[u8]; 5] = [
            b"mailkeep item",
            channel.name().as_bytes(),
            &content.0.0,
            route.as_bytes(),
            &[u8::from(may_be_partial)],
        ];
        for field in fields {
            hash.update((field.len() as u64).to_be_bytes());
            hash.update(field);
        }
        Self(ContentHash(hash.finalize().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Channel, ItemCode, ItemHash, ItemState};
    use crate::model::{ContentHash, DraftHash, Endpoint, Route, Tls};

    fn smtp(host: &str, port: u16, tls: Tls, user: &str) -> Route {
        Route::Smtp { endpoint: Endpoint { host: host.to_owned(), port, tls }, user: user.to_owned() }
    }

    #[test]
    fn every_state_reads_back_from_its_name() {
        for state in ItemState::all() {
            assert_eq!(ItemState::parse(state.name()), Some(state));
        }
    }

    #[test]
    fn nothing_is_sent_that_was_not_approved_and_nothing_that_left_is_sent_again() {
        let before = |next| {
            let names = ItemState::all().filter(move |state| state.may_become(next)).map(ItemState::name);
            names.collect::<Vec<_>>()
        };

        assert_eq!(before(ItemState::Sending), ["approved"]);
        assert_eq!(before(ItemState::Approved), ["pending_approval", "sending", "unknown"]);
        assert!(ItemState::all().all(|next| !ItemState::Sent.may_become(next)));
    }

    #[test]
    fn what_left_or_may_have_left_cannot_be_edited() {
        let fixed = ItemState::all().filter(|state| !state.may_be_edited()).map(ItemState::name);

        assert_eq!(fixed.collect::<Vec<_>>(), ["sending", "sent", "unknown"]);
    }

    #[test]
    fn a_code_reads_back_however_it_is_typed() {
        for number in [0, 1, 24, 331_775, 331_776, u64::MAX] {
            let code = ItemCode::from_number(number);
            assert_eq!(ItemCode::parse(&format!(" {} ", code.to_string().to_lowercase())), Some(code));
        }
        assert_eq!(ItemCode::parse("O0I1"), None);
    }

    #[test]
    fn another_way_out_needs_another_yes() {
        let content = DraftHash(ContentHash::of(b"x"));
        let routes = [
            smtp("mx.example", 465, Tls::Implicit, "ada"),
            smtp("mx.example", 465, Tls::Implicit, "bob"),
            smtp("mx.example", 587, Tls::Implicit, "ada"),
            smtp("mx.example", 465, Tls::StartTls, "ada"),
            smtp("my.example", 465, Tls::Implicit, "ada"),
        ];

        let mut hashes: Vec<_> =
            routes.iter().map(|route| ItemHash::of(Channel::Mail, &content, route, false).0.0).collect();
        hashes.sort_unstable();
        hashes.dedup();

        assert_eq!(hashes.len(), routes.len());
    }
}
