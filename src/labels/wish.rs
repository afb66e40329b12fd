//! What a label's name stands for: a label of the account, a flag, or a mailbox. Pure.
//!
//! `UNREAD` and `STARRED` are flags. `INBOX`, `TRASH` and `SPAM` are mailboxes: adding one moves the message there,
//! removing one moves it to the archive. `SENT`, `DRAFT` and `CHAT` tell where a message comes from and stay.

use crate::labels::LabelError;
use crate::model::{Flags, MailboxRole};
use crate::store::{ChangeAction, PlacedMessage};
use crate::text_safety::{is_invisible, one_line};

/// Gmail's limit for the name of a label.
const LONGEST_LABEL: usize = 225;

/// One label that is to be there, or not to be there.
#[derive(Debug, PartialEq)]
pub(super) struct Wish {
    /// As the account spells it; Gmail's own names in capitals.
    pub(super) name: String,
    /// Whether the account does not know it yet.
    pub(super) is_new: bool,
    /// Whether another wish moves the message.
    pub(super) is_implied: bool,
    effects: Vec<Effect>,
}

#[derive(Debug, PartialEq)]
enum Effect {
    Everywhere(ChangeAction),
    MoveTo(MailboxRole),
    MoveFrom(MailboxRole),
}

impl Wish {
    /// A label that the message should have; `known` are the labels of the account.
    pub(super) fn add(name: &str, known: &[String]) -> Result<Self, LabelError> {
        let label = spelled(name, known).unwrap_or(name).to_owned();
        let mut effects = Vec::new();
        match (flag(name), mailbox(name)) {
            (Some((flag, true)), _) => effects.push(Effect::Everywhere(ChangeAction::SetFlag(flag))),
            (Some((flag, false)), _) => effects.push(Effect::Everywhere(ChangeAction::ClearFlag(flag))),
            (_, Some(role)) => effects.push(Effect::MoveTo(role)),
            _ => {}
        }
        // Gmail's exports keep names like `Inbox` as labels, which then change together with the mailbox.
        if !is_special(name) || spelled(name, known).is_some() {
            effects.push(Effect::Everywhere(ChangeAction::AddLabel(label.clone())));
        }
        let is_new = !is_special(name) && spelled(name, known).is_none();
        Ok(Self { name: shown(name, label), is_new, is_implied: false, effects })
    }

    /// A label that the message should not have. It must be one of the account's, or Gmail's own.
    pub(super) fn remove(name: &str, known: &[String]) -> Result<Self, LabelError> {
        let label = spelled(name, known);
        if label.is_none() && !is_special(name) {
            return Err(LabelError::UnknownLabel { label: name.to_owned(), known: known.to_vec() });
        }
        let mut effects = Vec::new();
        match (flag(name), mailbox(name)) {
            (Some((flag, true)), _) => effects.push(Effect::Everywhere(ChangeAction::ClearFlag(flag))),
            (Some((flag, false)), _) => effects.push(Effect::Everywhere(ChangeAction::SetFlag(flag))),
            (_, Some(role)) => effects.push(Effect::MoveFrom(role)),
            _ => {}
        }
        effects.extend(label.map(|label| Effect::Everywhere(ChangeAction::RemoveLabel(label.to_owned()))));
        Ok(Self {
            name: shown(name, label.unwrap_or(name).to_owned()),
            is_new: false,
            is_implied: false,
            effects,
        })
    }

    /// The mailbox that the message is to be in.
    pub(super) fn target(&self) -> Option<MailboxRole> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::MoveTo(role) => Some(*role),
            _ => None,
        })
    }

    /// The same wish without its move, because another one says where the message goes.
    pub(super) fn staying(mut self) -> Self {
        self.is_implied = true;
        self.effects.retain(|effect| !matches!(effect, Effect::MoveFrom(_)));
        self
    }

    /// What is to be done, and where, for a message in these places.
    pub(super) fn steps<'p>(&self, places: &'p [PlacedMessage]) -> Vec<(&'p PlacedMessage, ChangeAction)> {
        let of_effect = |effect: &Effect| -> Vec<_> {
            let (movers, action) = match effect {
                Effect::Everywhere(action) => (places.iter().collect(), action.clone()),
                Effect::MoveTo(role) => (movers(places, *role), ChangeAction::Move(*role)),
                Effect::MoveFrom(role) => {
                    let there = places.iter().filter(|place| place.role == Some(*role)).collect();
                    (there, ChangeAction::Move(MailboxRole::Archive))
                }
            };
            movers.into_iter().map(|place| (place, action.clone())).collect::<Vec<_>>()
        };
        // Moves come last: a placement may be gone after its move.
        let (moves, others): (Vec<_>, Vec<_>) = self
            .effects
            .iter()
            .flat_map(of_effect)
            .partition(|(_, action)| matches!(action, ChangeAction::Move(_)));
        others.into_iter().chain(moves).collect()
    }
}

/// The places that a message leaves for another: all of them for trash and spam. It comes to the inbox from where it
/// was put away, and keeps its place in folders of the owner's, unless there is no other.
fn movers(places: &[PlacedMessage], role: MailboxRole) -> Vec<&PlacedMessage> {
    let is_in = |role| move |place: &&PlacedMessage| place.role == Some(role);
    if role != MailboxRole::Inbox {
        return places.iter().filter(|place| place.role != Some(role)).collect();
    }
    if places.iter().any(|place| is_in(role)(&place)) {
        return Vec::new();
    }
    let away = [MailboxRole::Archive, MailboxRole::Trash, MailboxRole::Spam];
    let put_away: Vec<_> =
        places.iter().filter(|place| place.role.is_some_and(|role| away.contains(&role))).collect();
    if put_away.is_empty() { places.iter().take(1).collect() } else { put_away }
}

/// The names without blanks around them, each once; refuses what cannot be the name of a label.
pub(super) fn clean_names(names: &[String]) -> Result<Vec<String>, LabelError> {
    let mut clean: Vec<String> = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        if let Some(problem) = problem(name) {
            let label = one_line(name).chars().take(LONGEST_LABEL).collect();
            return Err(LabelError::BadLabel { label, problem });
        }
        if !clean.iter().any(|known| same(known, name)) {
            clean.push(name.to_owned());
        }
    }
    Ok(clean)
}

fn problem(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("it is empty"),
        name if name.chars().count() > LONGEST_LABEL => Some("it is longer than 225 characters"),
        name if name.chars().any(is_invisible) => Some("it holds a character that cannot be seen"),
        name if is_fixed(name) => Some("the mail system sets it, and nobody else"),
        _ => None,
    }
}

/// Whether two names stand for the same label.
pub(super) fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn spelled<'a>(name: &str, known: &'a [String]) -> Option<&'a str> {
    known.iter().find(|label| same(label, name)).map(String::as_str)
}

fn shown(name: &str, label: String) -> String {
    if is_special(name) { name.to_uppercase() } else { label }
}

fn is_special(name: &str) -> bool {
    flag(name).is_some() || mailbox(name).is_some()
}

/// The flag behind a name, and whether the name means that it is set.
fn flag(name: &str) -> Option<(Flags, bool)> {
    match name.to_uppercase().as_str() {
        "UNREAD" => Some((Flags::SEEN, false)),
        "STARRED" => Some((Flags::FLAGGED, true)),
        _ => None,
    }
}

fn mailbox(name: &str) -> Option<MailboxRole> {
    match name.to_uppercase().as_str() {
        "INBOX" => Some(MailboxRole::Inbox),
        "TRASH" => Some(MailboxRole::Trash),
        "SPAM" => Some(MailboxRole::Spam),
        _ => None,
    }
}

fn is_fixed(name: &str) -> bool {
    ["SENT", "DRAFT", "CHAT"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{Wish, clean_names};
    use crate::model::{AccountKey, Flags, MailboxKey, MailboxRole, MessageKey, PlacementKey};
    use crate::store::{ChangeAction, PlacedMessage};

    fn place(number: i64, role: Option<MailboxRole>) -> PlacedMessage {
        PlacedMessage {
            account: AccountKey(1),
            on_server: false,
            message: MessageKey(1),
            placement: PlacementKey(number),
            mailbox: MailboxKey(number),
            role,
            uidvalidity: 1,
            uid: 1,
        }
    }

    fn steps(wish: &Wish, places: &[PlacedMessage]) -> Vec<(i64, ChangeAction)> {
        wish.steps(places).into_iter().map(|(place, action)| (place.placement.0, action)).collect()
    }

    fn known() -> Vec<String> {
        ["Inbox", "Travel", "Größe"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_label_keeps_the_spelling_the_account_knows() {
        let wish = Wish::add("tRAVEL", &known()).unwrap();

        assert_eq!(wish.name, "Travel");
        assert!(!wish.is_new);
        assert_eq!(steps(&wish, &[place(1, None)]), [(1, ChangeAction::AddLabel("Travel".to_owned()))]);
        assert_eq!(Wish::remove("GRÖßE", &known()).unwrap().name, "Größe");
    }

    #[test]
    fn unread_and_starred_are_flags() {
        let places = [place(1, None)];

        let unread = (Wish::add("unread", &[]).unwrap(), Wish::remove("UNREAD", &[]).unwrap());
        let starred = (Wish::add("Starred", &[]).unwrap(), Wish::remove("STARRED", &[]).unwrap());

        assert_eq!(steps(&unread.0, &places), [(1, ChangeAction::ClearFlag(Flags::SEEN))]);
        assert_eq!(steps(&unread.1, &places), [(1, ChangeAction::SetFlag(Flags::SEEN))]);
        assert_eq!(steps(&starred.0, &places), [(1, ChangeAction::SetFlag(Flags::FLAGGED))]);
        assert_eq!(steps(&starred.1, &places), [(1, ChangeAction::ClearFlag(Flags::FLAGGED))]);
        assert_eq!(unread.0.name, "UNREAD");
    }

    #[test]
    fn trash_takes_a_message_from_everywhere_and_archiving_only_from_the_inbox() {
        let places = [place(1, Some(MailboxRole::Inbox)), place(2, None)];
        let to = |role| ChangeAction::Move(role);

        let trash = Wish::add("TRASH", &[]).unwrap();
        let archive = Wish::remove("INBOX", &[]).unwrap();

        assert_eq!(steps(&trash, &places), [(1, to(MailboxRole::Trash)), (2, to(MailboxRole::Trash))]);
        assert_eq!(steps(&archive, &places), [(1, to(MailboxRole::Archive))]);
    }

    #[test]
    fn a_message_comes_to_the_inbox_from_where_it_was_put_away() {
        let inbox = Wish::add("INBOX", &[]).unwrap();
        let to_inbox = ChangeAction::Move(MailboxRole::Inbox);

        let archived = [place(1, None), place(2, Some(MailboxRole::Archive))];
        let in_folder = [place(1, None), place(2, None)];
        let there = [place(1, None), place(2, Some(MailboxRole::Inbox))];

        assert_eq!(steps(&inbox, &archived), [(2, to_inbox.clone())]);
        assert_eq!(steps(&inbox, &in_folder), [(1, to_inbox)]);
        assert_eq!(steps(&inbox, &there), []);
    }

    #[test]
    fn a_label_that_an_export_kept_changes_with_its_mailbox() {
        let archive = Wish::remove("INBOX", &known()).unwrap();

        let all = steps(&archive, &[place(1, Some(MailboxRole::Inbox))]);

        assert_eq!(
            all,
            [
                (1, ChangeAction::RemoveLabel("Inbox".to_owned())),
                (1, ChangeAction::Move(MailboxRole::Archive))
            ]
        );
    }

    #[test]
    fn names_that_no_label_can_have_are_refused() {
        for name in ["", "  ", "a\nb", "a\u{202e}b", "SENT", "DRAFT", &"x".repeat(226)] {
            assert!(clean_names(&[name.to_owned()]).is_err(), "{name:?}");
        }
        let twice = ["Work".to_owned(), " work ".to_owned(), "sent".to_owned()];
        assert_eq!(clean_names(&twice).unwrap(), ["Work", "sent"]);
    }

    #[test]
    fn an_unknown_label_cannot_be_removed() {
        let error = Wish::remove("Travle", &known()).unwrap_err();

        assert_eq!(error.to_string(), "there is no label `Travle`");
        assert!(error.hint().starts_with("did you mean `Travel`?"), "{}", error.hint());
        assert!(error.hint().contains("Größe"), "{}", error.hint());
    }
}
