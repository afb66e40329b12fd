//! `from:me`: the addresses of the owner's accounts, or of those that the query looks in.

use crate::query::language::{Leaf, Query};

/// Puts the owner's addresses where a query says `me`. Beside `account:`, that account's address is meant.
pub(super) fn resolved(query: Query, own: &[String]) -> Query {
    match query {
        Query::Leaf(Leaf::Me(scope)) => {
            let address =
                |address: &String| Query::Leaf(Leaf::Text { scope, text: address.clone(), exact: true });
            Query::or(own.iter().map(address).collect())
        }
        Query::And(parts) => {
            let own = within(&parts, own);
            Query::and(parts.into_iter().map(|part| resolved(part, &own)).collect())
        }
        Query::Or(parts) => Query::or(parts.into_iter().map(|part| resolved(part, own)).collect()),
        Query::Not(inner) => resolved(*inner, own).negated(),
        other => other,
    }
}

/// The addresses of the accounts that are asked for side by side with other terms; all where none is.
fn within(parts: &[Query], own: &[String]) -> Vec<String> {
    let asked: Vec<&String> = parts
        .iter()
        .filter_map(|part| match part {
            Query::Leaf(Leaf::Account(address)) => Some(address),
            _ => None,
        })
        .collect();
    let is_asked = |address: &&String| asked.iter().any(|asked| asked.eq_ignore_ascii_case(address));
    match asked.is_empty() {
        true => own.to_vec(),
        false => own.iter().filter(is_asked).cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::resolved;
    use crate::clock::Clock;
    use crate::query::language::parse;

    fn meaning(search: &str, own: &[&str]) -> String {
        let clock = Clock::frozen("2024-07-10T12:00:00Z".parse().unwrap());
        let own: Vec<String> = own.iter().map(|&address| address.to_owned()).collect();
        resolved(parse(search, &clock).unwrap(), &own).to_string()
    }

    #[test]
    fn me_is_whoever_has_the_accounts_that_are_searched() {
        let own = ["ada@a.example", "ada@b.example"];

        assert_eq!(meaning("from:me", &own), r#"from:"ada@a.example" OR from:"ada@b.example""#);
        assert_eq!(meaning("-to:ME x", &own), r#"-(to:"ada@a.example" OR to:"ada@b.example") x"#);
        assert_eq!(
            meaning("account:ada@b.example (cc:me OR y)", &own),
            r#"account:ada@b.example (cc:"ada@b.example" OR y)"#
        );
        assert_eq!(meaning("from:\"me\"", &own), r#"from:"me""#);
        assert_eq!(meaning("from:me x", &[]), "-in:anywhere x");
    }
}
