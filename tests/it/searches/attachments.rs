//! Attachments: what counts as one, and where their names and texts are found.

use crate::world::documents::of_every_kind;
use crate::world::mail::mboxrd;
use crate::world::{Mail, World};

fn one_of_every_kind() -> World {
    let mails: Vec<_> = of_every_kind()
        .iter()
        .map(|(name, content_type, bytes)| Mail::new(name).attach(name, content_type, bytes).bytes())
        .collect();
    World::holding(&mboxrd(&mails))
}

#[test]
fn the_text_of_every_kind_of_document_is_found_by_attachment_only() {
    let world = one_of_every_kind();

    for (name, _, _) in of_every_kind() {
        let word = format!("kindword{}", name.trim_start_matches("a."));

        assert_eq!(world.found(&format!("attachment:{word}")), [name]);
        assert_eq!(world.count(&word), 0, "{word}");
        assert_eq!(world.count(&format!("body:{word}")), 0, "{word}");
    }
}

#[test]
fn documents_are_read_the_same_when_the_index_is_built_again() {
    let world = one_of_every_kind();

    world.json(&["reindex"]);

    for (name, _, _) in of_every_kind() {
        let word = format!("kindword{}", name.trim_start_matches("a."));
        assert_eq!(world.found(&format!("attachment:{word}")), [name]);
    }
}

#[test]
fn a_document_that_nobody_can_read_costs_the_others_nothing() {
    let documents: Vec<_> = of_every_kind().into_iter().filter(|(name, ..)| !name.contains("html")).collect();
    let mut mails = Vec::new();
    for round in 0..12 {
        for (name, content_type, bytes) in &documents {
            let subject = format!("{name} {round}");
            mails.push(Mail::new(&subject).attach(name, content_type, bytes).bytes());
            let broken = [&bytes[..bytes.len() / 2], b"\x00broken"].concat();
            mails.push(Mail::new("Broken").attach(name, content_type, &broken).bytes());
        }
    }
    let world = World::holding(&mboxrd(&mails));

    for (name, ..) in &documents {
        let word = format!("kindword{}", name.trim_start_matches("a."));
        assert_eq!(world.count(&format!("attachment:{word} -subject:broken")), 12, "{name}");
    }
    world.assert_sound();
}

#[test]
fn attachments_are_found_by_name_and_type() {
    let mail = Mail::new("Papers").attach("Travel plan 2026.pdf", "application/pdf", b"no real pdf");
    let picture = Mail::new("Picture").attach("sea.jpeg", "image/jpeg", b"no real jpeg");
    let world = World::holding(&mboxrd([&mail.bytes(), &picture.bytes()]));

    for (query, expected) in [
        ("filename:travel", "Papers"),
        ("filename:\"plan 2026\"", "Papers"),
        ("filename:sea.jpeg", "Picture"),
        ("travel", "Papers"),
        ("type:pdf", "Papers"),
        ("type:application/pdf", "Papers"),
        ("type:image", "Picture"),
        ("type:jpeg", "Picture"),
    ] {
        assert_eq!(world.found(query), [expected], "{query}");
    }
    assert_eq!(world.count("type:zip OR filename:mountain"), 0);
}

/// A logo that the HTML shows, or does not.
fn logo(subject: &str, html: &str) -> Mail {
    let header =
        "Content-Type: image/png; name=\"logo.png\"\nContent-ID: <logo@x>\nContent-Disposition: inline\n";
    Mail::new(subject).html(html).part(header, b"png")
}

#[test]
fn has_attachment_means_what_a_person_would_call_one() {
    let unnamed = "Content-Type: image/png\n";
    let named = "Content-Type: application/zip; name=\"things.zip\"\n";
    let named_text = "Content-Type: text/x-log; name=\"run.log\"\nContent-Disposition: inline\n";
    let mails = [
        Mail::new("Plain"),
        Mail::new("Attached text").attach("a.txt", "text/plain", b"words"),
        Mail::new("Named without disposition").part(named, b"zip"),
        Mail::new("Unnamed picture").part(unnamed, b"png"),
        Mail::new("Inline text").part(named_text, b"log"),
        logo("Logo in the letter", "<p>Hi</p><img src='cid:logo@x'>"),
        logo("Logo beside the letter", "<p>Hi</p>"),
    ];
    let world = World::holding(&mboxrd(&mails.map(|mail| mail.bytes())));

    let mut found = world.found("has:attachment");

    found.sort();
    assert_eq!(found, ["Attached text", "Logo beside the letter", "Named without disposition"]);
    assert_eq!(world.count("-has:attachment"), 4);
    assert_eq!(world.json(&["stats"])["with_attachments"], 3);
}

#[test]
fn a_document_that_cannot_be_read_is_kept_and_found_by_its_name() {
    let broken = Mail::new("Broken").attach("broken.docx", "application/octet-stream", &[7; 500]);
    let world = World::holding(&mboxrd([&broken.bytes()]));

    assert_eq!(world.found("filename:broken.docx"), ["Broken"]);
    assert_eq!(world.raw("Broken@test.example"), broken.bytes());
    world.assert_sound();
}
