use super::{candidates, explain, secret};
use crate::model::SecretKind;

#[test]
fn mail_that_carries_a_secret_is_known() {
    for (subject, text, expected) in [
        ("Your code", "Your verification code is 482913.", SecretKind::OneTimeCode),
        (
            "482913 is your Example code",
            "Use it to sign in.\n\n482913 is your verification code",
            SecretKind::OneTimeCode,
        ),
        (
            "Sign in",
            "Enter this security code:\n\n# 118 204\n\nIt expires in 10 minutes.",
            SecretKind::OneTimeCode,
        ),
        ("Anmeldung", "Ihr Bestätigungscode lautet: 77120943", SecretKind::OneTimeCode),
        ("登录", "您的验证码是482913,5分钟内有效。", SecretKind::OneTimeCode),
        ("ログイン", "認証コード：482913", SecretKind::OneTimeCode),
        ("Вход", "Код подтверждения: 4829. Никому не сообщайте его.", SecretKind::OneTimeCode),
        (
            "Reset your password",
            "We received a request to reset your password.\n\n[Reset password](https://a.example/…)\n\nThe link will expire.",
            SecretKind::ResetLink,
        ),
        (
            "Your magic link",
            "Click to sign in:\nhttps://a.example/login?token=x\n\nThis link expires in 15 minutes.",
            SecretKind::SignInLink,
        ),
    ] {
        assert_eq!(secret(subject, text), Some(expected), "{subject}: {text}");
    }
}

#[test]
fn passwords_backup_codes_and_authenticator_keys_are_secrets() {
    for (subject, text, expected) in [
        (
            "Your new account",
            "Username: ada.berg\nTemporary password: Tr4vel!92x\n\nPlease change it when you first log in.",
            SecretKind::Password,
        ),
        (
            "Your backup codes",
            "Each of these backup codes signs you in once. Keep them safe.\n\n4821 9930\n1174 2093\n5530 1187\n9021 4456",
            SecretKind::BackupCode,
        ),
        (
            "Set up your authenticator",
            "Can't scan the QR code? Enter this secret key in your authenticator app:\n\nJBSW Y3DP EHPK 3PXP",
            SecretKind::AuthenticatorKey,
        ),
    ] {
        assert_eq!(secret(subject, text), Some(expected), "{subject}: {text}");
    }
}

#[test]
fn what_says_itself_what_it_is_needs_no_words_around_it() {
    let words = "lantern orchard velvet copper tunnel maple drift anchor pepper silent harbor quilt";
    for (subject, text, expected) in [
        ("Setup", "otpauth://totp/Elm:ada?secret=KRSXG5CTMVRXEZLU&issuer=Elm", SecretKind::AuthenticatorKey),
        ("Your recovery phrase", words, SecretKind::BackupCode),
        ("Session", "Go on here: https://opal.example/?magic=9fK2vQx71LmZp0Tt", SecretKind::SignInLink),
        ("Invite", "https://opal.example/set-password?uid=MTI&token=c3-91kd82lmz0", SecretKind::ResetLink),
    ] {
        let explained = explain(subject, text).unwrap();

        assert_eq!(secret(subject, text), Some(expected), "{text}");
        assert_eq!((explained.secret, explained.weights.len()), (Some(expected), 1));
    }
}

#[test]
fn codes_are_known_in_any_digits_and_any_grouping() {
    for code in [
        "482913",
        "482 913",
        "4 8 2 9 1 3",
        "48-29-13",
        "481.920",
        "8841-20",
        "G-482913",
        "K7P2QX",
        "WDJB-MJHT",
        "٤٨٢٩١٣",
        "４８２９１３",
    ] {
        let text =
            format!("Enter this code to sign in:\n\n{code}\n\nIt expires in 10 minutes. Do not share it.");

        assert_eq!(secret("Your sign-in code", &text), Some(SecretKind::OneTimeCode), "{code}");
    }
}

#[test]
fn mail_that_talks_about_secrets_passes() {
    for (subject, text) in [
        ("Two-factor", "From Monday on you need a verification code from your phone to sign in."),
        (
            "Docs",
            "The OTP library makes six digits, e.g. 123456, and follows RFC6238. See https://docs.example/otp.",
        ),
        ("Flight", "Your booking confirmation code is K7P2QX. See you on board."),
        ("Help", "How do I reset my password? The page https://help.example/reset says nothing about it."),
        ("Re: code", "It works now, thanks.\n\n> Your verification code is 482913."),
        ("Policy", "Passwords: choose a new password every year. https://intranet.example/policy"),
        (
            "Newsletter",
            "Sign in to read on: https://news.example\nFive tips for a security code review in 2026",
        ),
        ("Patch", "This adds OTP support to hotplug, see commit 4a5b6c7d and bug 123456"),
        ("Lunch?", "Shall we meet at 12:30 in Bridge Street 4821? Call me on 0800 555 0142."),
        ("Ready for pickup", "Your parcel is in the locker. Open it with the PIN 482913 until Friday."),
        ("Raffle", "Enter the code 7QK2ZD on our page to win. One-time use."),
        ("Bank", "Card ending 4471 was used for EUR 48.19. Authorization code 604118."),
        ("Guest wifi", "The network is called Harbour, the password is Tr4vel!92x."),
        ("20 % off", "Use code SUN4YOU at the checkout until Sunday: https://shop.example/sale"),
        (
            "Weekly meeting",
            "Join: https://meet.example/j/8124471\nMeeting ID: 812 4471 9920\nPasscode: 482913",
        ),
    ] {
        assert_eq!(secret(subject, text), None, "{subject}: {text}");
    }
}

#[test]
fn a_lone_token_of_which_nothing_is_said_passes() {
    for (subject, text) in [("31mred", ""), ("31mred", "see you"), ("482913", "Best, Ada"), ("", "K7P2QX")] {
        assert_eq!(secret(subject, text), None, "{subject}: {text}");
    }
    assert_eq!(secret("482913", "is your code to sign in"), Some(SecretKind::OneTimeCode));
}

#[test]
fn a_sign_in_code_is_one_whatever_it_gives_access_to() {
    for (subject, text) in [
        ("Your parcel account", "Your sign-in code for the parcel account is 482913."),
        ("Sign in to your calendar", "Sign-in code for your calendar: 482913. It expires in 10 minutes."),
        ("Codice OTP", "Il codice OTP per il bonifico è 482913."),
    ] {
        assert_eq!(secret(subject, text), Some(SecretKind::OneTimeCode), "{subject}: {text}");
    }
}

#[test]
fn an_explanation_adds_up_to_the_verdict() {
    for (subject, text) in [
        ("Your code", "Your verification code is 482913."),
        ("Flight", "Your booking confirmation code is K7P2QX. See https://air.example/bookings"),
    ] {
        let explained = explain(subject, text).unwrap();
        let sum: f32 = explained.weights.iter().map(|(_, weight)| weight).sum();

        assert_eq!(explained.secret, secret(subject, text));
        assert!((sum - explained.score).abs() < 0.5, "{sum} and {}", explained.score);
        assert!(explained.weights.iter().all(|(fact, _)| !fact.is_empty()));
    }
    assert_eq!(explain("Lunch", "At noon?"), None);
}

#[test]
fn what_is_trained_on_is_what_is_judged() {
    let (subject, text) = ("Your code", "Your verification code is 482913. https://a.example/help");

    let found = candidates(subject, text);
    let heaviest = explain(subject, text).unwrap();

    assert_eq!(
        found.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>(),
        ["482913", "https://a.example/help"]
    );
    assert!(heaviest.weights.iter().all(|(fact, _)| found[0].1.contains(fact)), "{heaviest:?}");
}

#[test]
fn long_and_odd_texts_cost_no_more_than_their_beginning() {
    let digits = "482913 ".repeat(100_000);
    let brackets = "[".repeat(50_000) + "](://" + &"🦀://".repeat(20_000);

    for text in [&digits, &brackets] {
        let _ = explain(text, text);
        assert_eq!(secret("x", text), secret("x", &text[..text.floor_char_boundary(8 << 10)]));
    }
}
