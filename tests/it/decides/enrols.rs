//! Which keys count: the first takes the PIN or the terminal, each after it a key that is there. Nothing gets weaker
//! without the passkey once it counts.

use std::io::{Read, Write};

use mailkeep::model::Factor;
use mailkeep::outbox::OutboxError;
use mailkeep::outbox::approval::Proof;
use mailkeep::outbox::approval::passkey::{
    Base64Url, NewKeyAnswer, PasskeyFlaw, Purpose, Voucher, reads_attestation,
};
use mailkeep::secret::Secret;
use serde_json::{Value, json};

use super::Desk;
use super::passkeys::{PAGE, assert_flaw};
use crate::world::authenticator::{Authenticator, Kind, Misbehaviour, encoded};
use crate::world::random::Random;
use crate::world::text;

fn pin(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

fn removes(key: &Authenticator) -> Purpose {
    Purpose::Remove { credential: Base64Url(key.credential.clone()) }
}

impl Desk {
    /// What a browser made for a question that was just asked.
    fn made(&self, key: &Authenticator) -> NewKeyAnswer {
        let question = json!(self.approvals().begin_enrolment("a key", PAGE).unwrap());
        serde_json::from_value(key.creates(&question, PAGE)).unwrap()
    }

    fn finishes(&self, answer: &NewKeyAnswer, proof: &Proof) -> Result<(), OutboxError> {
        self.approvals().finish_enrolment("a key", PAGE, answer, proof).map(drop)
    }

    fn keys(&self) -> usize {
        self.approvals().passkeys(&self.reader()).unwrap().keys.len()
    }
}

#[test]
fn the_first_key_takes_the_code_of_the_terminal_or_the_pin() {
    let desk = Desk::new();
    let key = Authenticator::new(Kind::Es256);
    let answer = desk.made(&key);
    assert_eq!(desk.approvals().voucher(&desk.reader()).unwrap(), Voucher::Code);
    let code = desk.approvals().enrolment_code().unwrap();

    assert!(matches!(desk.finishes(&answer, &Proof::click()), Err(OutboxError::Factor(_))));
    for wrong in ["", "AAAA-AAAA", &code[..8], &format!("{code}A")] {
        assert_flaw(desk.approvals().prove_code(wrong), &PasskeyFlaw::WrongCode);
    }
    assert_flaw(desk.approvals_at(1_200, Factor::Passkey).prove_code(&code), &PasskeyFlaw::WrongCode);
    desk.approvals().set_pin(&pin("271828"), &Proof::click()).unwrap();
    let by_code = desk.approvals().prove_code(&code.to_lowercase().replace('-', " ")).unwrap();
    assert!(matches!(desk.finishes(&answer, &by_code), Err(OutboxError::Factor(_))));
    assert_eq!((desk.keys(), desk.audit("refused").len()), (0, 5));

    let by_pin = desk.approvals().prove_pin(&pin("271828")).unwrap();
    desk.finishes(&answer, &by_pin).unwrap();
    assert_eq!(desk.approvals().voucher(&desk.reader()).unwrap(), Voucher::Passkey);
    assert_eq!(desk.audit("passkey")[0]["body"]["factor"], "pin");
    assert_flaw(desk.approvals().prove_code(&code), &PasskeyFlaw::WrongCode);
    assert_eq!(desk.verified()["ok"], json!(true), "{}", desk.verified());
}

#[test]
fn another_key_is_signed_by_one_that_is_there() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let (second, third) = (Authenticator::new(Kind::Ed25519), Authenticator::new(Kind::Rs256));
    let answer = desk.made(&second);

    let code = desk.approvals().prove_code(&desk.approvals().enrolment_code().unwrap()).unwrap();
    for weak in [Proof::click(), code] {
        assert!(matches!(desk.finishes(&answer, &weak), Err(OutboxError::Factor(_))));
    }
    let over_another = desk.approvals().to_enrol(&desk.made(&third)).unwrap();
    let over_another = desk.signed(&mut key, &over_another).unwrap();
    assert_flaw(desk.finishes(&answer, &over_another), &PasskeyFlaw::OtherChallenge);
    assert_eq!(desk.keys(), 1);

    let to_enrol = desk.approvals().to_enrol(&answer).unwrap();
    let proof = desk.signed(&mut key, &to_enrol).unwrap();
    desk.finishes(&answer, &proof).unwrap();
    assert_flaw(desk.finishes(&answer, &proof), &PasskeyFlaw::Known);
    assert_eq!(desk.keys(), 2);
    let listed = desk.json(&["approval", "passkey", "list"]);
    assert_eq!(listed["passkeys"][1]["algorithm"], "Ed25519", "{listed}");
    assert_eq!(desk.verified()["ok"], json!(true), "{}", desk.verified());
}

#[test]
fn a_new_key_that_was_not_made_as_asked_is_refused_and_written_down() {
    let desk = Desk::new();
    let good = Misbehaviour::default();
    let said = PasskeyFlaw::Malformed("authenticator data");
    let object = PasskeyFlaw::Malformed("the attestation object");
    let cases = [
        (Misbehaviour { flags: Some(0b001), ..good.clone() }, PasskeyFlaw::NotVerified),
        (Misbehaviour { flags: Some(0b100), ..good.clone() }, PasskeyFlaw::NotPresent),
        (Misbehaviour { origin: Some("http://localhost:8026"), ..good.clone() }, PasskeyFlaw::OtherOrigin),
        (Misbehaviour { challenge: Some(vec![7; 32]), ..good.clone() }, PasskeyFlaw::OtherChallenge),
        (Misbehaviour { ceremony: Some("webauthn.get"), ..good.clone() }, PasskeyFlaw::OtherType),
        (Misbehaviour { relying_party: Some("example.org"), ..good.clone() }, PasskeyFlaw::OtherParty),
        (Misbehaviour { cross_origin: true, ..good.clone() }, PasskeyFlaw::Framed),
        (Misbehaviour { algorithm: Some(-47), ..good.clone() }, PasskeyFlaw::UnknownAlgorithm),
        (Misbehaviour { trailing: vec![0], ..good.clone() }, said),
        (Misbehaviour { attestation: Some(Vec::new()), ..good.clone() }, object.clone()),
        (Misbehaviour { attestation: Some(vec![0xa0]), ..good.clone() }, object.clone()),
        (Misbehaviour { attestation: Some(vec![0; 40_000]), ..good.clone() }, object.clone()),
        (Misbehaviour { attestation: Some(b"\xa2\x63fmt\x64none\x63fmt\x64none".to_vec()), ..good }, object),
    ];
    let count = cases.len();
    let code = desk.approvals().prove_code(&desk.approvals().enrolment_code().unwrap()).unwrap();
    for (bad, flaw) in cases {
        let mut key = Authenticator::new(Kind::Es256);
        key.bad = bad;
        assert_flaw(desk.finishes(&desk.made(&key), &code), &flaw);
    }
    let mut other_id = desk.made(&Authenticator::new(Kind::Es256));
    other_id.credential.raw_id = Base64Url(vec![1; 32]);
    assert_flaw(desk.finishes(&other_id, &code), &PasskeyFlaw::Malformed("the key's id"));
    let old = desk.made(&Authenticator::new(Kind::Es256));
    let late = desk.approvals_at(300, Factor::Passkey).finish_enrolment("a key", PAGE, &old, &code);
    assert_flaw(late, &PasskeyFlaw::Expired);

    assert_eq!((desk.keys(), desk.audit("refused").len()), (0, count + 2));
}

#[test]
fn nonsense_in_the_place_of_an_attestation_is_refused_without_harm() {
    let mut random = Random::new(25);
    for kind in [Kind::Es256, Kind::Ed25519, Kind::Rs256] {
        let key = Authenticator::new(kind);
        let made = key.creates(&json!({ "publicKey": { "challenge": "AAAA" }, "ticket": null }), PAGE);
        let object = made["credential"]["response"]["attestationObject"].as_str().unwrap();
        let object = Base64Url::parse(object).unwrap().0;
        reads_attestation(&object).unwrap();

        for cut in 0..object.len() {
            assert!(reads_attestation(&object[..cut]).is_err(), "{kind:?} {cut}");
        }
        for _ in 0..20_000 {
            let mut bytes = object.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes[at] ^= 1 << random.below(8),
                    1 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, bytes[random.below(bytes.len())]),
                }
            }
            let _ = reads_attestation(&bytes);
        }
    }
}

#[test]
fn nothing_gets_weaker_without_the_key_once_it_counts() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let lower = desk.approvals_at(0, Factor::Click);
    assert_eq!(desk.json(&["approval", "status"])["factor"], "passkey");

    for weak in
        [Proof::click(), desk.approvals().prove_code(&desk.approvals().enrolment_code().unwrap()).unwrap()]
    {
        assert!(matches!(lower.confirm(&weak), Err(OutboxError::Factor(_))));
        assert!(matches!(lower.resume(&weak), Err(OutboxError::Factor(_))));
        assert!(matches!(lower.set_pin(&pin("271828"), &weak), Err(OutboxError::Factor(_))));
        assert!(matches!(lower.sign_in(&weak), Err(OutboxError::Factor(_))));
    }
    assert!(matches!(lower.remove_passkey(&key.credential, &Proof::click()), Err(OutboxError::LastPasskey)));
    let resume = desk.signed(&mut key, &Purpose::Resume).unwrap();
    assert_flaw(lower.confirm(&resume), &PasskeyFlaw::OtherChallenge);
    let kept = desk.approvals().to_confirm(&desk.reader()).unwrap();
    let kept = desk.signed(&mut key, &kept).unwrap();
    assert_flaw(lower.confirm(&kept), &PasskeyFlaw::OtherChallenge);
    assert_eq!(desk.verified()["ok"], json!(true), "{}", desk.verified());

    let purpose = lower.to_confirm(&desk.reader()).unwrap();
    let proof = desk.signed(&mut key, &purpose).unwrap();
    assert_eq!(lower.confirm(&proof).unwrap().factor, Factor::Click);
    lower.remove_passkey(&key.credential, &Proof::click()).unwrap();
    assert_eq!(desk.verified()["ok"], json!(true), "{}", desk.verified());
}

#[test]
fn the_last_key_stays_while_a_yes_needs_one_and_others_go_by_signature() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let mut second = Authenticator::new(Kind::Ed25519);
    desk.enrols(&second, Some(&mut key)).unwrap();

    assert!(matches!(
        desk.approvals().remove_passkey(&key.credential, &Proof::click()),
        Err(OutboxError::Factor(_))
    ));
    let itself = removes(&second);
    let of_itself = desk.signed(&mut second, &itself).unwrap();
    assert_flaw(desk.approvals().remove_passkey(&key.credential, &of_itself), &PasskeyFlaw::OtherChallenge);
    let proof = desk.signed(&mut second, &removes(&key)).unwrap();
    desk.approvals().remove_passkey(&key.credential, &proof).unwrap();
    let last = desk.signed(&mut second, &itself).unwrap();
    assert!(matches!(
        desk.approvals().remove_passkey(&second.credential, &last),
        Err(OutboxError::LastPasskey)
    ));

    assert_eq!(desk.keys(), 1);
    assert_eq!(desk.verified()["ok"], json!(true), "{}", desk.verified());
}

#[test]
fn a_pin_is_set_and_a_browser_let_in_by_signature() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let proof = desk.signed(&mut key, &Purpose::SetPin).unwrap();
    desk.approvals().set_pin(&pin("271828"), &proof).unwrap();
    let proof = desk.signed(&mut key, &Purpose::SetPin).unwrap();
    desk.approvals().set_pin(&pin("314159"), &proof).unwrap();

    let by_pin = desk.approvals().prove_pin(&pin("314159")).unwrap();
    assert!(matches!(desk.approvals().sign_in(&by_pin), Err(OutboxError::Factor(_))));
    let proof = desk.signed(&mut key, &Purpose::SignIn).unwrap();
    desk.approvals().sign_in(&proof).unwrap();
    assert_flaw(desk.approvals().sign_in(&proof), &PasskeyFlaw::Replayed);

    let verified = desk.verified();
    assert_eq!((&verified["ok"], &verified["signatures"]), (&json!(true), &json!(3)), "{verified}");
}

#[test]
fn a_broken_seal_is_mended_by_the_key_that_the_chain_knows() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let item = desk.proposed("bob@stone.example", "At noon?");
    let evil = Authenticator::new(Kind::Es256);
    let swap = "UPDATE passkeys SET public_key = ?1";
    desk.world.database().execute(swap, [evil.cose()]).unwrap();
    desk.execute_sql("UPDATE outbox SET factor = 'click', passkeys = NULL");

    assert!(matches!(desk.approvals().renew(&Proof::click()), Err(OutboxError::Factor(_))));
    assert!(matches!(desk.approve(&item, &Proof::click()), Err(OutboxError::Broken)));
    let proof = desk.signed(&mut key, &Purpose::Renew).unwrap();
    desk.approvals().renew(&proof).unwrap();

    assert_eq!(desk.json(&["approval", "status"])["factor"], "passkey");
    let proof = desk.signed(&mut key, &desk.to_approve(&item)).unwrap();
    desk.approve(&item, &proof).unwrap();
    assert_eq!(desk.verified()["ok"], json!(true), "{}", desk.verified());
}

#[test]
fn a_head_names_the_keys_so_that_a_chain_with_others_is_found() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let heads = desk.world.path("heads.jsonl");
    let head = desk.json(&["audit", "export", text(&heads)]);
    assert_eq!(head["passkeys"].as_array().map(Vec::len), Some(1), "{head}");
    desk.enrols(&Authenticator::new(Kind::Ed25519), Some(&mut key)).unwrap();
    assert_eq!(desk.json(&["audit", "verify", "--against", text(&heads)])["ok"], json!(true));

    let mut lines: Value = serde_json::from_str(&std::fs::read_to_string(&heads).unwrap()).unwrap();
    lines["passkeys"] = json!(["0".repeat(64)]);
    std::fs::write(&heads, lines.to_string()).unwrap();
    let verify = desk.command(&["audit", "verify", "--against", text(&heads)]).output().unwrap();
    let told = String::from_utf8(verify.stdout).unwrap();
    assert!(told.contains("the passkeys are others than when the head was exported"), "{told}");
}

#[test]
fn the_terminal_lets_a_first_key_in_and_takes_one_away_and_says_where_a_key_is_used() {
    let desk = Desk::new();
    let Some(mut person) = desk.at_terminal("a passkey", &["approval", "passkey", "add"]) else { return };
    person.sees("type `add` to go on: ").types("add").sees("once)");
    let ended = person.ends();
    assert!(
        ended.code == Some(0) && ended.printed.contains("mailkeep open"),
        "{} {}",
        ended.seen,
        ended.printed
    );
    let code = ended.seen.split("code: ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let (key, answer) = {
        let key = Authenticator::new(Kind::Es256);
        let answer = desk.made(&key);
        (key, answer)
    };
    let lower = desk.approvals_at(0, Factor::Click);
    let proof = lower.prove_code(&code).unwrap();
    lower.finish_enrolment("blue key", PAGE, &answer, &proof).unwrap();

    let listed = desk.json(&["approval", "passkey", "list"]);
    assert_eq!(listed["passkeys"][0]["credential"], encoded(&key.credential), "{listed}");
    let mut person = desk.at_terminal("remove", &["approval", "passkey", "remove", "blue key"]).unwrap();
    person.sees("type `remove` to go on: ").types("remove");
    assert_eq!((person.ends().code, desk.keys()), (Some(0), 0));
}

/// A request to a page of a command, as a browser would make it; the answer.
fn requested(url: &str, request: &str) -> String {
    let rest = url.strip_prefix("http://localhost:").unwrap();
    let port: u16 = rest.split('/').next().unwrap().parse().unwrap();
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_command_at_the_terminal_has_the_passkey_asked_on_a_page_of_its_own() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    desk.configure("[policy]\nundo = 0\n");
    let Some(mut person) = desk.at_terminal("confirm", &["approval", "confirm"]) else { return };
    person
        .sees("`factor` from `passkey` to `click`")
        .sees("to go on: ")
        .types("confirm")
        .sees("use your passkey there:");
    let address = person.line_behind("http://localhost:");
    let (origin, path) = address.split_at(address.rfind('/').unwrap());
    let host = &origin["http://".len()..];
    let get =
        |host: &str, path: &str| requested(&address, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));

    assert!(
        get(host, "/").starts_with("HTTP/1.1 404") && get("evil.example", path).starts_with("HTTP/1.1 404")
    );
    let page = get(host, path);
    assert!(page.contains("frame-ancestors 'none'") && page.contains("default-src 'none'"), "{page}");
    assert!(page.contains("<h1>Let these weaker rules for sending count</h1>"), "{page}");
    assert!(page.contains("<li>`factor` from `passkey` to `click`</li>"), "{page}");
    assert!(page.contains("id=\"ask\">Let these weaker rules for sending count</button>"), "{page}");
    let question = page.split("id=\"question\">").nth(1).unwrap().split("</script>").next().unwrap();
    let answer = key.signs(&serde_json::from_str(question).unwrap(), origin).to_string();
    let post = |from: &str| {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: {from}\r\nContent-Type: application/json"
        );
        requested(&address, &format!("{head}\r\nContent-Length: {}\r\n\r\n{answer}", answer.len()))
    };
    assert!(post("http://localhost:1").starts_with("HTTP/1.1 404"));
    assert!(post(origin).starts_with("HTTP/1.1 200"));

    assert_eq!(person.ends().code, Some(0));
    assert_eq!(desk.json(&["approval", "status"])["factor"], "click");
    assert_eq!(desk.verified()["ok"], json!(true), "{}", desk.verified());
}

#[test]
fn the_page_of_a_command_says_which_key_goes_and_takes_its_name_for_words() {
    let (desk, mut key) = Desk::with_passkey(Kind::Es256);
    let (name, other) = ("<b>{deed}</b>{details}", Authenticator::new(Kind::Ed25519));
    let (made, approvals) = (desk.made(&other), desk.approvals());
    let purpose = approvals.to_enrol(&made).unwrap();
    let proof = desk.signed(&mut key, &purpose).unwrap();
    let enrolled = approvals.finish_enrolment(name, PAGE, &made, &proof).unwrap();
    let fingerprint = &enrolled.fingerprint[..16];

    let Some(mut person) = desk.at_terminal("remove", &["approval", "passkey", "remove", name]) else {
        return;
    };
    person.sees("type `remove` to go on: ").types("remove").sees("use your passkey there:");
    let address = person.line_behind("http://localhost:");
    let (origin, path) = address.split_at(address.rfind('/').unwrap());
    let get = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", &origin["http://".len()..]);
    let page = requested(&address, &get);
    person.presses(b"\x03");

    let words = format!("Take away the passkey `&lt;b&gt;{{deed}}&lt;/b&gt;{{details}}` ({fingerprint})");
    assert!(page.contains(&format!("<h1>{words}</h1>")), "{page}");
    assert!(page.contains(&format!("id=\"ask\">{words}</button>")), "{page}");
}
