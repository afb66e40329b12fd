//! Where the links of a message lead: those of its HTML, and addresses in its text that mail programs make links of.

use std::collections::HashSet;

use crate::drafts::{Contents, Link};

/// So many are listed.
const LISTED: usize = 100;

/// The links of what leaves, each once, and how many there are beyond those that are listed.
pub(super) fn of(contents: &Contents) -> (Vec<Link>, usize) {
    let (mut met, mut links) = (HashSet::new(), Vec::new());
    for link in contents.links() {
        if met.insert((&link.target, &link.poses_as)) {
            links.push(link.clone());
        }
    }
    let pressed: HashSet<&str> = met.iter().map(|(target, _)| target.as_str()).collect();
    let mut targets = HashSet::new();
    let written =
        written(&contents.text).filter(|target| !pressed.contains(target) && targets.insert(*target));
    links.extend(written.map(link));
    let more = links.len().saturating_sub(LISTED);
    links.truncate(LISTED);
    (links, more)
}

fn link(written: &str) -> Link {
    let is_bare = written.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("www."));
    let target = if is_bare { format!("https://{written}") } else { written.to_owned() };
    Link::new(written.to_owned(), target)
}

/// Addresses in a text that mail programs make links of.
fn written(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '(' | ')'));
    words.filter_map(|word| {
        let begins =
            |start: &&str| word.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
        let is_link = ["http://", "https://", "www.", "ftp://"].iter().any(begins);
        is_link.then(|| word.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', ']']))
    })
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::drafts::{Contents, Link};

    #[test]
    fn addresses_in_a_text_are_links_as_mail_programs_make_them() {
        let text =
            "See www.x.example/a, or (https://Y.example). Not x.example, nor wwwhat. https://Y.example!";

        let (links, more) = of(&Contents { text: text.to_owned(), ..Contents::default() });

        let told = |link: &Link| (link.target.clone(), link.site.clone());
        let expected = [("https://www.x.example/a", "x.example"), ("https://Y.example", "y.example")];
        let expected: Vec<_> =
            expected.iter().map(|(to, site)| ((*to).to_owned(), (*site).to_owned())).collect();
        assert_eq!((links.iter().map(told).collect::<Vec<_>>(), more), (expected, 0));
    }
}
