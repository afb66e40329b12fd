//! Style sheets to rules: qualified rules, nested ones, and those under conditions.

use std::rc::Rc;

use super::declaration::{self, Declaration};
use super::matching::Match;
use super::media::{self, Scheme};
use super::rules::{Rule, Rules};
use super::selector;
use super::tokens::{Tok, cleaned_address, solid, trimmed};

/// Conditions around a rule.
#[derive(Clone)]
struct Around {
    holds: Match,
    depth: usize,
    layered: bool,
    scoped: bool,
    /// What makes it doubtful whether it holds; `None` where that may differ from element to element.
    condition: Option<usize>,
    /// What around it not every reader takes in the same way.
    odd: Vec<usize>,
}

/// A sheet that cannot be read to its end: what it would have hidden is not known.
#[derive(Debug)]
pub(crate) struct TooComplex;

const MAX_NESTING: usize = 8;
/// Each `&` writes the outer selector out once more.
const MAX_NESTED_TOKENS: usize = 4096;

/// Reads a sheet into `rules`. `medium` is the attribute of the element it stands in, `holds` whether it counts.
pub(crate) fn read(
    css: &[Tok],
    medium: &[Tok],
    (holds, plain): (Match, bool),
    rules: &mut Rules,
) -> Result<(), TooComplex> {
    let has_containers = rules.has_containers;
    let mut reader = Reader { rules, has_containers, has_namespace: false, has_prefix: false };
    let holds = holds.min(reader.media(medium));
    let odd = reader.odd(plain && media::is_plain(medium), &[]);
    let condition = Some(reader.new_condition());
    reader.block(css, None, &Around { holds, depth: 0, layered: false, scoped: false, condition, odd })
}

struct Reader<'r> {
    rules: &'r mut Rules,
    /// Whether the document may make anything a container.
    has_containers: bool,
    /// Names mean elements of some namespace, which may be another than that of HTML.
    has_namespace: bool,
    /// A namespace has a prefix: without that, a rule that uses one is dropped.
    has_prefix: bool,
}

impl Reader<'_> {
    fn new_condition(&mut self) -> usize {
        self.rules.conditions += 1;
        self.rules.conditions
    }

    /// Whether a list of media queries holds, and whether that depends on the colours that the person likes.
    fn media(&mut self, queries: &[Tok]) -> Match {
        let [light, dark] = [Scheme::Light, Scheme::Dark].map(|scheme| media::media(queries, scheme));
        self.rules.asks_scheme |= light != dark;
        if self.rules.scheme == Scheme::Dark { dark } else { light }
    }

    /// Gives what is odd a number of its own, beside those of what is around it: a reader may take that and drop this.
    fn odd(&mut self, is_plain: bool, around: &[usize]) -> Vec<usize> {
        let mut odd = around.to_vec();
        if !is_plain {
            self.rules.odd += 1;
            odd.push(self.rules.odd);
        }
        odd
    }

    /// Reads rules one after the other; `above` is the selector of the rule they are nested in.
    fn block(&mut self, mut css: &[Tok], above: Option<&[Tok]>, around: &Around) -> Result<(), TooComplex> {
        if around.depth > MAX_NESTING {
            return Err(TooComplex);
        }
        loop {
            css = skip_blanks(css, above, around.depth == 0);
            let Some(first) = css.first() else { return Ok(()) };
            if let (Some(selector), false) = (above, matches!(first, Tok::AtWord(_)))
                && let Some(length) = declaration_length(css)
            {
                self.own(selector, &css[..length], around)?;
                css = &css[length..];
                continue;
            }
            let end =
                css.iter().position(|token| matches!(token, Tok::Curly(_)) || ends_statement(first, token));
            let Some(end) = end else {
                let imports = matches!(first, Tok::AtWord(name) if imports_embedded(name, css));
                return if imports { Err(TooComplex) } else { Ok(()) };
            };
            let prelude = trimmed(&css[..end]);
            match (&css[end], first) {
                (Tok::Curly(body), Tok::AtWord(name)) => {
                    self.at_rule(name, &prelude[1..], body, (above, around))?
                }
                (Tok::Curly(body), _) => self.rule(&nested(above, prelude)?, body, around)?,
                (_, Tok::AtWord(name)) if imports_embedded(name, prelude) => return Err(TooComplex),
                (_, Tok::AtWord(name)) if name.eq_ignore_ascii_case("namespace") => {
                    let has_prefix = matches!(solid(&prelude[1..]).next(), Some(Tok::Ident(_)));
                    self.has_prefix |= has_prefix;
                    self.has_namespace |= !has_prefix;
                }
                _ => {}
            }
            css = &css[end + 1..];
        }
    }

    fn rule(&mut self, prelude: &[Tok], body: &[Tok], around: &Around) -> Result<(), TooComplex> {
        let nests = body.iter().any(|token| matches!(token, Tok::Curly(_)));
        if nests {
            if has_braces_in_value(body) {
                return Err(TooComplex);
            }
            let odd = self.odd(false, &around.odd);
            return self.block(
                body,
                Some(prelude),
                &Around { depth: around.depth + 1, odd, ..around.clone() },
            );
        }
        self.own(prelude, body, around)
    }

    fn own(&mut self, prelude: &[Tok], body: &[Tok], around: &Around) -> Result<(), TooComplex> {
        let block: Rc<Vec<Declaration>> = Rc::new(declaration::list(body));
        if around.holds == Match::No || block.is_empty() {
            return Ok(());
        }
        let holds = if self.has_namespace { around.holds.min(Match::Maybe) } else { around.holds };
        let selectors = selector::list(prelude).unwrap_or_default();
        if !self.has_prefix && selectors.iter().any(|selector| selector.prefixed) {
            return Ok(());
        }
        let odd = self.odd(selectors.iter().all(|selector| selector.plain), &around.odd);
        for selector in selectors {
            let Around { layered, scoped, condition, .. } = *around;
            let odd = odd.clone();
            let condition = condition.filter(|_| !self.has_namespace);
            let rule = Rule { selector, block: Rc::clone(&block), holds, condition, layered, scoped, odd };
            if !self.rules.add(rule) {
                return Err(TooComplex);
            }
        }
        Ok(())
    }

    fn at_rule(
        &mut self,
        name: &str,
        prelude: &[Tok],
        body: &[Tok],
        (above, around): (Option<&[Tok]>, &Around),
    ) -> Result<(), TooComplex> {
        let condition = around.condition.map(|_| self.new_condition());
        let inner = Around { depth: around.depth + 1, condition, ..around.clone() };
        let inner = match name.to_ascii_lowercase().as_str() {
            "media" => Around {
                holds: around.holds.min(self.media(prelude)),
                odd: self.odd(media::is_plain(prelude), &around.odd),
                ..inner
            },
            "supports" => {
                let odd = self.odd(false, &around.odd);
                Around { holds: around.holds.min(supports(prelude)), odd, ..inner }
            }
            // What they come to depends on more than is known here.
            // Nothing is asked about a container where there is none.
            "container" if !self.has_containers && !has_function(prelude) => {
                Around { holds: Match::No, ..inner }
            }
            // What nothing changes from is seen by nobody, but for what is not displayed at first.
            "starting-style" if !self.rules.has_transitions && !may_not_display(body) => {
                Around { holds: Match::No, ..inner }
            }
            "scope" if has_bare_declarations(body) || has_parent(prelude) => return Err(TooComplex),
            name @ ("container" | "scope" | "starting-style" | "layer") => {
                if name == "layer" {
                    // One without a name, or in another, is no other's.
                    let is_own = trimmed(prelude).is_empty() || around.layered;
                    let number = if is_own { self.rules.layers.len() } else { 0 };
                    self.rules.layers.insert(format!("{number} {prelude:?}"));
                }
                self.rules.scopes += usize::from(name == "scope");
                Around {
                    holds: around.holds.min(Match::Maybe),
                    layered: around.layered || name == "layer",
                    scoped: around.scoped || name == "scope",
                    // Some elements are in it and others are not.
                    condition: condition.filter(|_| !matches!(name, "container" | "scope")),
                    ..inner
                }
            }
            "keyframes" | "-webkit-keyframes" => {
                self.keyframes(prelude, body);
                return Ok(());
            }
            "font-face" => {
                self.font_face(body);
                return Ok(());
            }
            "property" => {
                self.rules.registered = true;
                return Ok(());
            }
            // Marks of lists that are counted in another way may reach over what stands beside them.
            "counter-style" => return Err(TooComplex),
            _ => return Ok(()),
        };
        self.block(body, above, &inner)
    }

    /// Keeps the names of animations that change anything that can hide.
    fn keyframes(&mut self, prelude: &[Tok], body: &[Tok]) {
        let name = prelude.iter().find_map(|token| match token {
            Tok::Ident(name) | Tok::Text(name) => Some(name.clone()),
            _ => None,
        });
        let can_hide = |token: &Tok| matches!(token, Tok::Curly(frame) if has_blocks(frame) || !declaration::list(frame).is_empty());
        if let Some(name) = name.filter(|_| body.iter().any(can_hide)) {
            self.rules.animations.insert(name);
        }
    }

    /// Letters that come with the message, and letters of the system at another size.
    fn font_face(&mut self, body: &[Tok]) {
        let is_own = |token: &Tok| match token {
            Tok::Url(url) => !is_fetched(url),
            token => ["size-adjust", "ascent-override", "descent-override", "line-gap-override"]
                .iter()
                .any(|name| token.is_ident(name)),
        };
        if !body.iter().any(is_own) {
            return;
        }
        let families: Vec<String> = body
            .split(|token| *token == Tok::Semicolon)
            .map(trimmed)
            .filter(|part| part.first().is_some_and(|token| token.is_ident("font-family")))
            .map(|family| family_name(&family[1..]))
            .collect();
        // Readers compare names of other scripts in their own ways, and end what is no declaration elsewhere.
        self.rules.replaces_fonts |= has_blocks(body) || families.iter().any(|family| !family.is_ascii());
        self.rules.own_fonts.extend(families);
    }
}

/// Whether rules stand where declarations should.
fn has_blocks(body: &[Tok]) -> bool {
    body.iter().any(|token| matches!(token, Tok::Curly(_) | Tok::AtWord(_)))
}

/// Whether a text of a style sheet is more than a mark of a few letters.
pub(crate) fn is_long_text(token: &Tok) -> bool {
    matches!(token, Tok::Text(text) if text.chars().count() > 2 || text.chars().any(may_be_solid))
}

/// Whether a sign may be solid: blocks, shapes and pictures.
pub(crate) fn may_be_solid(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{e000}'..='\u{f8ff}' | '\u{1f000}'..)
}

/// Whether a text of a style sheet may be as solid as a box.
pub(crate) fn is_solid_text(token: &Tok) -> bool {
    matches!(token, Tok::Text(text) if text.chars().any(may_be_solid))
}

fn is_fetched(url: &str) -> bool {
    let url = cleaned_address(url).to_ascii_lowercase();
    !["data:", "cid:", "blob:"].iter().any(|own| url.starts_with(own))
}

/// A family as it is compared: words and strings alike.
pub(crate) fn family_name(tokens: &[Tok]) -> String {
    let words: Vec<&str> = tokens
        .iter()
        .filter_map(|token| match token {
            Tok::Ident(word) | Tok::Text(word) => Some(word.as_str()),
            _ => None,
        })
        .collect();
    words.join(" ").to_lowercase()
}

/// Whether a function stands anywhere in a condition.
fn has_function(tokens: &[Tok]) -> bool {
    tokens.iter().any(|token| match token {
        Tok::Function(..) => true,
        Tok::Parens(inner) => has_function(inner),
        _ => false,
    })
}

/// Whether a block may say that something is not displayed.
fn may_not_display(body: &[Tok]) -> bool {
    body.iter().any(|token| match token {
        Tok::Ident(name) => {
            ["all", "content-visibility", "display"].iter().any(|one| name.eq_ignore_ascii_case(one))
        }
        Tok::Curly(inner) => may_not_display(inner),
        _ => false,
    })
}

/// Whether `&` stands in a list inside a selector.
fn has_parent(tokens: &[Tok]) -> bool {
    tokens.iter().any(|token| match token {
        Tok::Delim('&') => true,
        Tok::Function(_, inner) | Tok::Parens(inner) => has_parent(inner),
        _ => false,
    })
}

/// Whether declarations stand between the rules of a block, which then mean what the block is about.
fn has_bare_declarations(body: &[Tok]) -> bool {
    let end = body.iter().rposition(|token| matches!(token, Tok::Curly(_))).map_or(0, |last| last + 1);
    body.contains(&Tok::Semicolon) || solid(&body[end..]).next().is_some()
}

/// Whether a variable holds a block, which looks like a rule.
fn has_braces_in_value(body: &[Tok]) -> bool {
    let ends = |token: &Tok| matches!(token, Tok::Semicolon | Tok::Curly(_));
    let is_variable = |part: &[Tok]| matches!(part, [Tok::Ident(name), ..] if name.starts_with("--"));
    let mut rest = body.split_inclusive(ends).map(trimmed);
    rest.any(|part| is_variable(part) && matches!(part.last(), Some(Tok::Curly(_))))
}

/// Whether a browser supports what is asked for: certain only for what all of them do.
fn supports(prelude: &[Tok]) -> Match {
    let words: Vec<&Tok> = solid(prelude).collect();
    match words.as_slice() {
        // Which selectors a browser does not know is not known.
        [not, Tok::Function(..)] if not.is_ident("not") => Match::Maybe,
        [not, rest] if not.is_ident("not") => match supports(std::slice::from_ref(*rest)) {
            Match::Yes => Match::No,
            Match::No => Match::Yes,
            Match::Maybe => Match::Maybe,
        },
        [Tok::Function(name, inner)] if name == "selector" && selector::is_understood(inner) => Match::Yes,
        [Tok::Parens(inner)] => match solid(inner).collect::<Vec<_>>().as_slice() {
            [name, Tok::Colon, Tok::Ident(value)]
                if name.is_ident("display")
                    && ["grid", "flex", "block", "none", "inline-block", "contents"]
                        .contains(&value.as_str()) =>
            {
                Match::Yes
            }
            _ => Match::Maybe,
        },
        _ => Match::Maybe,
    }
}

/// Sheets that would be fetched are not there; one that is written into its own address would be.
fn imports_embedded(name: &str, prelude: &[Tok]) -> bool {
    let address = prelude.iter().find_map(|token| match token {
        Tok::Url(address) | Tok::Text(address) => Some(address),
        _ => None,
    });
    name.eq_ignore_ascii_case("import")
        && address.is_some_and(|address| cleaned_address(address).to_ascii_lowercase().starts_with("data:"))
}

/// Skips what stands for nothing: between the rules of a sheet the marks of a comment in HTML, inside of them semicolons.
fn skip_blanks<'t>(mut css: &'t [Tok], above: Option<&[Tok]>, is_top: bool) -> &'t [Tok] {
    while let [token, rest @ ..] = css {
        let skipped = match token {
            Tok::Space => true,
            Tok::Markup => is_top,
            Tok::Semicolon => above.is_some(),
            _ => false,
        };
        if !skipped {
            break;
        }
        css = rest;
    }
    css
}

/// At-rules without a block end at a semicolon; in a selector it stands for nothing.
fn ends_statement(first: &Tok, token: &Tok) -> bool {
    matches!(first, Tok::AtWord(_)) && *token == Tok::Semicolon
}

/// The length of the declaration here, its semicolon included, if it is one and not a nested rule.
fn declaration_length(css: &[Tok]) -> Option<usize> {
    let end = css.iter().position(|token| matches!(token, Tok::Semicolon | Tok::Curly(_)));
    match end {
        Some(end) if css[end] == Tok::Semicolon => Some(end + 1),
        Some(_) => None,
        None => Some(css.len()),
    }
}

/// The selector of a rule inside a rule: `&` stands for the outer one, which is else an ancestor.
fn nested(above: Option<&[Tok]>, prelude: &[Tok]) -> Result<Vec<Tok>, TooComplex> {
    let Some(above) = above else { return Ok(prelude.to_vec()) };
    if prelude.iter().any(|token| matches!(token, Tok::Function(_, inner) if has_parent(inner))) {
        return Err(TooComplex);
    }
    let places = prelude.iter().filter(|token| matches!(token, Tok::Delim('&') | Tok::Comma)).count() + 1;
    if places * weight(above) > MAX_NESTED_TOKENS {
        return Err(TooComplex);
    }
    let outer = || [Tok::Colon, Tok::Function("is".to_owned(), above.to_vec())];
    let mut out = Vec::new();
    for (place, part) in super::tokens::between_commas(prelude).enumerate() {
        if place > 0 {
            out.push(Tok::Comma);
        }
        if !part.contains(&Tok::Delim('&')) {
            out.extend(outer());
            out.push(Tok::Space);
        }
        for token in part {
            match token {
                Tok::Delim('&') => out.extend(outer()),
                other => out.push(other.clone()),
            }
        }
    }
    Ok(out)
}

/// Tokens, those in brackets included.
fn weight(tokens: &[Tok]) -> usize {
    let inner = |token: &Tok| match token {
        Tok::Function(_, inner) | Tok::Parens(inner) | Tok::Square(inner) | Tok::Curly(inner) => {
            1 + weight(inner)
        }
        _ => 1,
    };
    tokens.iter().map(inner).sum()
}
