//! "I attach the report", and nothing is attached: words of many languages that promise a file, in what the person says
//! and not in what they quote.

use crate::drafts::Contents;

/// So much of a text is looked at.
const LOOKED_AT: usize = 256 << 10;
/// So many characters of the line are told.
const TOLD: usize = 120;

/// Beginnings of words that promise a file. What needs a second word stands with it.
const PROMISES: [&str; 40] = [
    // English
    "attached",
    "attaching",
    "attachment",
    "i attach",
    "we attach",
    "enclosed",
    "find enclosed",
    // German
    "im anhang",
    "anbei",
    "angehängt",
    "angehängte",
    "beigefügt",
    "hänge ich",
    "ich hänge",
    "in der anlage",
    "als anlage",
    "füge ich bei",
    "beiliegend",
    // French
    "ci-joint",
    "ci joint",
    "en pièce jointe",
    "pièces jointes",
    "pièce jointe",
    "je joins",
    // Spanish
    "adjunto",
    "adjunta",
    "adjuntos",
    "adjuntamos",
    "archivo adjunto",
    // Italian
    "in allegato",
    "allego",
    "alleghiamo",
    "allegato",
    "allegati",
    "allegata",
    // Portuguese
    "em anexo",
    "anexo",
    // Dutch
    "bijgevoegd",
    "in de bijlage",
    "als bijlage",
];

/// What turns a promise into its opposite, where it stands before it in the same line.
const DENIALS: [&str; 8] = ["nothing is ", "no ", "without ", "kein ", "keinen ", "ohne ", "sans ", "not "];

/// The line that promises an attachment, where there is none.
pub(super) fn promised(contents: &Contents) -> Option<String> {
    if !contents.files.is_empty() {
        return None;
    }
    let end = contents.text.floor_char_boundary(LOOKED_AT);
    let line = own_lines(&contents.text[..end]).find(|line| promises(line))?;
    Some(line.trim().chars().take(TOLD).collect())
}

/// Lines that are not quoted: nothing behind `>`, nothing of a message that is passed on below.
fn own_lines(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |line: &str| {
        let line = line.trim();
        line == "--"
            || (line.starts_with("-----") && line.ends_with("-----") && line.len() > 12)
            || line.starts_with("---------- Forwarded")
    };
    text.lines().take_while(move |line| !is_end(line)).filter(|line| !line.trim_start().starts_with('>'))
}

fn promises(line: &str) -> bool {
    let line = line.to_lowercase().replace(['\u{2010}', '\u{2011}'], "-");
    PROMISES.iter().any(|promise| {
        line.match_indices(promise).any(|(at, _)| {
            let before = &line[..at];
            let behind = line[at + promise.len()..].chars().next();
            let begins = !before.ends_with(char::is_alphanumeric);
            let ends = !behind.is_some_and(char::is_alphanumeric) || behind.is_some_and(|c| "se".contains(c));
            begins && ends && !DENIALS.iter().any(|denial| before.ends_with(denial))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{own_lines, promises};

    #[test]
    fn a_promise_is_heard_in_many_languages() {
        for line in [
            "Please find the report attached.",
            "See attachment",
            "The invoice is enclosed.",
            "Im Anhang die Rechnung.",
            "Anbei der Bericht",
            "Die beigefügte Datei",
            "Vous trouverez ci-joint le devis.",
            "Le devis est en pièce jointe.",
            "Je joins le contrat.",
            "Adjunto el informe.",
            "Le envío el archivo adjunto",
            "In allegato trova la fattura.",
            "Allego il documento",
            "Segue em anexo o contrato",
            "Bijgevoegd de factuur",
        ] {
            assert!(promises(line), "{line}");
        }
    }

    #[test]
    fn what_promises_nothing_is_left_alone() {
        for line in [
            "I am quite unattached.",
            "There is no attachment.",
            "Sent without attachment",
            "Der Mitarbeiter kommt",
            "Es gibt keinen Anhang",
            "",
        ] {
            assert!(!promises(line), "{line}");
        }
    }

    #[test]
    fn what_is_quoted_or_passed_on_promises_nothing() {
        let text = "Thanks!\n> the report is attached\n  > attached\n-----Original Message-----\nattached";

        assert!(!own_lines(text).any(promises));
    }
}
