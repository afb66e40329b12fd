use super::secret;
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
    ] {
        assert_eq!(secret(subject, text), None, "{subject}: {text}");
    }
}
