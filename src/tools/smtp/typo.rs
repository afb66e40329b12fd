//! Slips of the finger in the domains that most people have. Real domains that only look like one are left alone. Pure.

/// Domains that are often mistyped, with a name long enough that one wrong letter says something.
const POPULAR: &[&str] = &[
    "gmail.com",
    "googlemail.com",
    "yahoo.com",
    "hotmail.com",
    "outlook.com",
    "icloud.com",
    "protonmail.com",
    "fastmail.com",
    "rediffmail.com",
    "comcast.net",
    "verizon.net",
    "sbcglobal.net",
    "t-online.de",
    "freenet.de",
    "orange.fr",
    "libero.it",
    "naver.com",
    "yandex.ru",
];

/// Domains that people really have and that are a letter away from one of those.
const REAL: &[&str] = &[
    "mail.com",
    "email.com",
    "ymail.com",
    "fmail.com",
    "hmail.com",
    "jmail.com",
    "qmail.com",
    "zmail.com",
    "vmail.com",
    "gmail.net",
    "gail.com",
    "gmal.com",
    "hotmail.co.uk",
    "outlook.org",
    "cloud.com",
    "proton.me",
    "pm.me",
    "freenet.net",
    "range.fr",
    "never.com",
    "nave.com",
    "waver.com",
    "haver.com",
    "yandex.com",
    "yandex.by",
    "yandex.kz",
    "yandex.ua",
    "kahoo.com",
    "wahoo.com",
    "tahoo.com",
    "protonmail.ch",
    "fastmail.fm",
    "fastmail.org",
    "libero.eu",
];
/// What becomes of `com` under hasty fingers; none of these is a country that these providers have addresses in.
const NOT_COM: &[&str] =
    &["con", "cmo", "ocm", "comm", "vom", "xom", "cim", "coom", "c0m", "cpm", "om", "cm"];

/// The domain that was hardly meant otherwise.
pub(super) fn meant(domain: &str) -> Option<&'static str> {
    let domain = domain.trim_end_matches('.').to_ascii_lowercase();
    if POPULAR.contains(&domain.as_str()) || REAL.contains(&domain.as_str()) {
        return None;
    }
    POPULAR.iter().find(|popular| is_slip(&domain, popular)).copied()
}

fn is_slip(domain: &str, popular: &str) -> bool {
    let (Some((name, ending)), Some((known, known_ending))) =
        (domain.split_once('.'), popular.split_once('.'))
    else {
        return false;
    };
    if name == known {
        return known_ending == "com" && NOT_COM.contains(&ending)
            || popular == "gmail.com" && ending == "co";
    }
    let same_ending = ending == known_ending || known_ending == "com" && NOT_COM.contains(&ending);
    let distance = strsim::damerau_levenshtein(name, known);
    let reach = if known.len() >= 7 { 2 } else { 1 };
    // One letter more at the front makes another word rather than a slip: nobody begins with the wrong one unseen.
    let begins_alike =
        name.chars().next() == known.chars().next() || distance == 1 && name.len() == known.len();
    same_ending && distance > 0 && distance <= reach && begins_alike
}

#[cfg(test)]
mod tests {
    use super::{POPULAR, REAL, meant};

    #[test]
    fn common_slips_lead_to_the_domain_that_was_meant() {
        for (typed, expected) in [
            ("gmial.com", "gmail.com"),
            ("gmai.com", "gmail.com"),
            ("gmaill.com", "gmail.com"),
            ("gnail.com", "gmail.com"),
            ("hmail.con", "gmail.com"),
            ("gmail.con", "gmail.com"),
            ("gmail.co", "gmail.com"),
            ("Gmail.cm", "gmail.com"),
            ("yaho.com", "yahoo.com"),
            ("yahooo.com", "yahoo.com"),
            ("hotmial.com", "hotmail.com"),
            ("hotmal.com", "hotmail.com"),
            ("homtail.com", "hotmail.com"),
            ("outlok.com", "outlook.com"),
            ("outloook.com", "outlook.com"),
            ("iclod.com", "icloud.com"),
            ("protonmial.com", "protonmail.com"),
            ("googlemial.com", "googlemail.com"),
            ("t-onlin.de", "t-online.de"),
        ] {
            assert_eq!(meant(typed), Some(expected), "{typed}");
        }
    }

    #[test]
    fn domains_that_people_have_are_left_alone() {
        let others = [
            "gmx.de",
            "gmx.net",
            "gmx.at",
            "web.de",
            "mail.com",
            "ymail.com",
            "aol.com",
            "aol.de",
            "me.com",
            "mac.com",
            "msn.com",
            "live.com",
            "live.de",
            "yahoo.de",
            "yahoo.co.uk",
            "yahoo.fr",
            "yahoo.ca",
            "hotmail.fr",
            "hotmail.de",
            "hotmail.it",
            "hotmail.es",
            "outlook.de",
            "outlook.fr",
            "example.org",
            "example.com",
            "localhost",
            "proton.me",
            "mail.ru",
            "bk.ru",
            "qq.com",
            "163.com",
            "posteo.de",
            "mailbox.org",
            "zoho.com",
            "gmail.example.org",
            "university.edu",
            "cox.net",
            "att.net",
            "rocketmail.com",
            "hushmail.com",
            "tutanota.com",
            "hey.com",
            "mailfence.com",
            "inbox.com",
            "bluewin.ch",
            "sunrise.ch",
        ];
        for domain in others.iter().chain(POPULAR).chain(REAL) {
            assert_eq!(meant(domain), None, "{domain}");
        }
    }
}
