//! The words that a wallet is recovered with: a run of exactly as many short words as such phrases have, beside words that call
//! it one. Prose is told from it by its small words, its marks and its capitals.

/// How many words a phrase may have (BIP 39).
const LENGTHS: [usize; 5] = [12, 15, 18, 21, 24];
/// How many letters a word may have.
const LETTERS: std::ops::RangeInclusive<usize> = 3..=9;
/// How many different words must be among twelve: a list of one word is none.
const DIFFERENT: usize = 10;

/// What such words are called, in lower case.
const CALLED: &str = "recovery phrase|recovery words|seed phrase|seed words|secret phrase|mnemonic|backup phrase|passphrase|wallet|\
    wiederherstellungsphrase|wiederherstellungswörter|wiederherstellungssatz|seed-phrase|geldbörse|brieftasche|\
    phrase de récupération|phrase secrète|phrase de recuperation|portefeuille|mots de récupération|\
    frase de recuperación|frase semilla|palabras de recuperación|monedero|billetera|cartera|frase secreta|\
    frase di recupero|parole di recupero|portafoglio|frase segreta|frase de recuperação|palavras de recuperação|carteira|frase-semente|\
    herstelzin|herstelwoorden|herstelfrase|portemonnee|fraza odzyskiwania|słowa odzyskiwania|portfel|fraza seed|\
    återställningsfras|återställningsord|plånbok|gendannelsessætning|gjenopprettingsfrase|lommebok|palautuslause|lompakko|\
    obnovovací fráze|peněženk|seed fráze|helyreállító|pénztárca|kurtarma ifadesi|kurtarma kelime|cüzdan|tohum ifade|\
    фраза восстановления|фразу восстановления|секретная фраза|секретную фразу|сид-фраз|сид фраз|кошел|слова восстановления|мнемоническ|\
    фраза відновлення|гаманец|гаманц|φράση ανάκτησης|πορτοφόλι|frază de recuperare|portofel|cụm từ khôi phục|ví điện tử|frasa pemulihan|dompet|\
    リカバリーフレーズ|シードフレーズ|復元フレーズ|ウォレット|助记词|助記詞|恢复短语|钱包|錢包|복구 문구|시드 문구|니모닉|지갑|\
    عبارة الاسترداد|عبارة الاستعادة|محفظة|المحفظة|ביטוי שחזור|ארנק|रिकवरी वाक्यांश|वॉलेट";
/// Words that sentences are made of and phrases are not.
const SMALL_WORDS: &str = "the|and|your|with|for|are|not|from|have|has|was|our|its|but|who|der|die|das|und|mit|ein|eine|ist|nicht|den|dem|\
    auf|für|les|des|une|dans|pour|avec|que|est|los|las|con|por|para|una|del|che|non|per|della|sono|het|een|van|niet|voor|nie|jest|dla|som|\
    och|att|för|det|med|inte|bir|ile|için|что|для|это|как|или|при";

/// The line where a phrase begins, counted as in an explanation; `None` where there is none or nothing calls it one.
pub(super) fn line(subject: &str, text: &str) -> Option<usize> {
    let begins = begin_of_phrase(text)?;
    let whole = format!("{subject}\n{text}").to_lowercase();
    CALLED.split('|').any(|name| whole.contains(name)).then_some(begins)
}

fn begin_of_phrase(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut number = 0;
    let mut run: Vec<&str> = Vec::new();
    let mut begins = 0;
    for line in lines {
        if line.trim().is_empty() {
            if is_phrase(&run) {
                return Some(begins);
            }
            run.clear();
            continue;
        }
        number += 1;
        let Words { last, is_whole, is_phrase: has_phrase } = Words::of(line);
        if has_phrase {
            return Some(number);
        }
        if !is_whole {
            if is_phrase(&run) {
                return Some(begins);
            }
            run.clear();
        }
        if run.is_empty() {
            begins = number;
        }
        run.extend(last);
    }
    is_phrase(&run).then_some(begins)
}

/// The words of a line that may be of a phrase.
struct Words<'t> {
    /// Those that go on in the next line.
    last: Vec<&'t str>,
    /// Whether they are all there is in the line.
    is_whole: bool,
    /// Whether some of them are a phrase.
    is_phrase: bool,
}

impl<'t> Words<'t> {
    fn of(line: &'t str) -> Self {
        let mut words = Self { last: Vec::new(), is_whole: true, is_phrase: false };
        for piece in line.split_whitespace() {
            let bare =
                piece.trim_matches(|c: char| matches!(c, '*' | '`' | '"' | '“' | '”' | '|' | '-' | ','));
            if bare.trim_matches(['.', ')', '#', '(']).chars().all(|c| c.is_ascii_digit()) {
                continue;
            }
            let (word, ends) = match bare.strip_suffix(['.', ';', '!']) {
                Some(word) => (word, true),
                None => (bare, false),
            };
            let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')'));
            if may_be_of_a_phrase(word) {
                words.last.push(word);
            }
            if ends || !may_be_of_a_phrase(word) {
                words.end();
            }
        }
        words.is_phrase |= !words.is_whole && is_phrase(&words.last);
        words
    }

    fn end(&mut self) {
        self.is_phrase |= is_phrase(&self.last);
        self.last.clear();
        self.is_whole = false;
    }
}

fn may_be_of_a_phrase(word: &str) -> bool {
    LETTERS.contains(&word.chars().count()) && word.chars().all(char::is_lowercase)
}

fn is_phrase(words: &[&str]) -> bool {
    let is_small = |word: &&&str| SMALL_WORDS.split('|').any(|small| small == **word);
    LENGTHS.contains(&words.len()) && !words.iter().any(|word| is_small(&word)) && {
        let mut different = words.to_vec();
        different.sort_unstable();
        different.dedup();
        different.len() >= DIFFERENT
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    const TWELVE: &str = "basil copper dune ember falcon glacier hollow iris jungle kettle ladder meadow";

    #[test]
    fn a_run_of_as_many_words_as_phrases_have_is_one_beside_what_calls_it_so() {
        let listed = TWELVE.replace(' ', "\n");
        let numbered: Vec<String> =
            TWELVE.split(' ').enumerate().map(|(at, word)| format!("{}. {word}", at + 1)).collect();
        let rows = format!("{}\n{}", numbered[..6].join(" "), numbered[6..].join(" "));
        for text in [
            TWELVE.to_owned(),
            format!("Write these words down in order:\n{TWELVE}"),
            format!("Keep it: {TWELVE}. Show it to nobody."),
            format!("In order:\n\n{listed}\n\nbe careful"),
            numbered.join(" "),
            format!("Here:\n{rows}"),
            format!("Here:\n\n{TWELVE} nectar orchid pebble\n\nBye"),
        ] {
            assert!(line("Your recovery phrase", &text).is_some(), "{text}");
            assert_eq!(line("Words of the week", &text), None, "{text}");
        }
        assert!(
            line(
                "Ihre Wiederherstellungsphrase",
                "apfel bogen kissen laterne moos nebel orgel pinsel quelle rinde salbei tanne"
            )
            .is_some()
        );
    }

    #[test]
    fn prose_about_wallets_is_no_phrase() {
        for text in [
            "never share your seed phrase with anyone who asks you for it ever",
            "Our wallet app shows balances, fees, limits, cards, points, rewards, offers, coupons and more.",
            "basil copper dune ember falcon glacier hollow iris jungle kettle ladder",
            "word word word word word word word word word word word word",
            "Twelve Words Like These Are Called A Seed Phrase By Those Who Know",
        ] {
            assert_eq!(line("Your wallet", text), None, "{text}");
        }
    }
}
