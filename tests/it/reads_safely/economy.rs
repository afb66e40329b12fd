//! A mail full of tables, pictures and tracking costs an assistant little to read.

use mailkeep::model::DateHints;
use mailkeep::parse;

use crate::world::Mail;

/// A mail as shops send it: hidden preview text and its padding, tables in tables, pictures, links that follow people.
fn marketing(shop: &str, products: usize) -> String {
    let link = |n: usize| {
        format!(
            "https://click.{shop}.example/ls/click?upn={}&utm_source=mail&id={n}",
            "u001.AbCdEf-2F".repeat(16)
        )
    };
    let product = |n: usize| {
        format!(
            "<tr><td style='padding:10px'><table role=presentation width=100%><tr><td><a href='{l}'><img src='https://img.{shop}.example/{n}.jpg?w=600&sig={s}' width=300 alt='Photo of product {n}'></a></td>\
             <td><h3><a href='{l}'>Product number {n}</a></h3><p style='font-size:14px;color:#444'>Now only {n}9.90, while stocks last.</p><a href='{l}' style='background:#c00;color:#fff'>Buy now</a></td></tr></table></td></tr>",
            l = link(n),
            s = "9f8e7d".repeat(8),
        )
    };
    let products: String = (1..=products).map(product).collect();
    let padding = "&zwnj;&nbsp;&#847;&shy;".repeat(60);
    format!(
        "<html><head><style>.p{{display:none}} td{{font-family:Arial}}</style></head><body style='background:#eee'>\
         <div class=p>Up to half off everything this weekend{padding}</div><table role=presentation width=600 bgcolor=#ffffff>\
         <tr><td><a href='{l}'><img src='https://img.{shop}.example/logo.png' alt='{shop}'></a></td></tr>{products}\
         <tr><td style='font-size:11px;color:#888'>You get this because you are a customer. <a href='{l}'>Unsubscribe</a> or <a href='{l}'>view in browser</a>.</td></tr></table></body></html>",
        l = link(0),
    )
}

/// What a plain conversion gives: all text, every address of a link and of a picture, alternative texts.
fn converted(html: &str) -> String {
    let mut out = String::new();
    for piece in html.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or((piece, ""));
        let attribute =
            |name: &str| tag.split(&format!("{name}='")).nth(1).and_then(|rest| rest.split('\'').next());
        for name in ["href", "src", "alt"] {
            if let Some(value) = attribute(name) {
                out.push_str(&format!(" ({value}) "));
            }
        }
        if !tag.starts_with("style") {
            out.push_str(text);
        }
    }
    out
}

#[test]
fn marketing_mail_costs_at_most_half_of_a_plain_conversion() {
    let mut shares: Vec<f64> = Vec::new();
    for (shop, products) in [("elm", 3), ("opal", 8), ("kestrel", 12), ("marlow", 1), ("fern", 20)] {
        let html = marketing(shop, products);

        let text = parse::message(&Mail::new("Sale").html(&html).bytes(), &DateHints::default()).text;

        assert!(
            text.contains("Product number 1")
                && text.contains("Now only 19.90")
                && text.contains("[Buy now]"),
            "{text}"
        );
        assert!(!text.contains("half off") && !text.contains(".jpg"), "{text}");
        shares.push(text.len() as f64 / converted(&html).len() as f64);
    }
    shares.sort_by(f64::total_cmp);
    assert!(shares[2] <= 0.5, "{shares:?}");
}
