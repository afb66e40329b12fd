//! What codes and links are called, and what is said beside them, in the languages that most mail is written in.
//! All in lower case, as texts are compared; separated by bars.

/// What one-time codes are called and nothing else is.
pub(super) const CODES: &str = "\
    verification code|one-time code|one time code|one-time passcode|one time passcode|one-time password|\
    one time password|one-time pin|login code|log-in code|sign-in code|signin code|sign in code|\
    security code|authentication code|single-use code|2fa code|two-factor code|temporary code|\
    verification pin|otp|code to sign in|code to log in|code to verify|code to confirm|\
    confirmation code|bestätigungscode|verifizierungscode|verifikationscode|sicherheitscode|einmalcode|\
    einmal-code|einmalpasswort|einmalkennwort|anmeldecode|login-code|prüfcode|authentifizierungscode|\
    code de vérification|code de sécurité|code à usage unique|mot de passe à usage unique|\
    code de connexion|code d'authentification|code d’authentification|code de confirmation|\
    code temporaire|código de verificación|código de seguridad|código de un solo uso|\
    contraseña de un solo uso|código de inicio de sesión|código de autenticación|código de confirmación|\
    código temporal|codice di verifica|codice di sicurezza|codice monouso|password monouso|\
    codice di accesso|codice di autenticazione|codice di conferma|codice temporaneo|\
    código de verificação|código de segurança|código de uso único|senha de uso único|código de login|\
    código de autenticação|código de confirmação|código de acesso|verificatiecode|beveiligingscode|\
    eenmalige code|eenmalig wachtwoord|inlogcode|bevestigingscode|kod weryfikacyjny|kod bezpieczeństwa|\
    jednorazowy kod|kod jednorazowy|hasło jednorazowe|kod logowania|kod uwierzytelniający|\
    kod potwierdzający|код подтверждения|проверочный код|одноразовый код|одноразовый пароль|\
    код безопасности|код для входа|код верификации|doğrulama kodu|güvenlik kodu|tek kullanımlık|\
    giriş kodu|onay kodu|認証コード|確認コード|ワンタイムパスワード|セキュリティコード|ログインコード|検証コード|验证码|校验码|动态密码|驗證碼|一次性密码|一次性密碼|\
    인증번호|인증 코드|보안 코드|verifieringskod|engångskod|säkerhetskod|bekræftelseskode|engangskode|رمز التحقق|\
    सत्यापन कोड";

/// Said of codes that are no keys to an account.
pub(super) const OTHER_CODES: &str = "\
    booking|flight|reservation|discount|promo|coupon|voucher|gift|tracking|order|buchung|gutschein|\
    rabatt|réservation|réduction|reserva|descuento|desconto|prenotazione|sconto|rezerwac|rabat|\
    бронирован|скидк";

/// What is asked of a person who forgot a password.
pub(super) const RESETS: &str = "\
    reset your password|reset my password|reset password|password reset|choose a new password|\
    set a new password|create a new password|change your password|forgot your password|\
    passwort zurücksetzen|passwort zurückzusetzen|passwort zurückgesetzt|neues passwort|\
    kennwort zurücksetzen|zurücksetzen ihres passworts|zurücksetzung ihres passworts|\
    réinitialiser votre mot de passe|réinitialiser mon mot de passe|\
    réinitialisation de votre mot de passe|réinitialisation du mot de passe|\
    réinitialiser le mot de passe|nouveau mot de passe|restablecer tu contraseña|\
    restablecer su contraseña|restablecer la contraseña|restablecer contraseña|\
    restablecimiento de contraseña|nueva contraseña|reimpostare la password|reimposta la password|\
    reimpostare la tua password|reimposta password|reimpostazione della password|nuova password|\
    redefinir sua senha|redefinir a sua senha|redefinir senha|redefinir a senha|redefinição de senha|\
    nova senha|wachtwoord opnieuw instellen|wachtwoord te herstellen|wachtwoord herstellen|\
    wachtwoord resetten|nieuw wachtwoord|zresetować hasło|zresetuj hasło|resetowanie hasła|\
    resetowania hasła|nowe hasło|сбросить пароль|сброс пароля|сброса пароля|восстановить пароль|\
    новый пароль|şifrenizi sıfırla|şifre sıfırlama|パスワードをリセット|パスワードの再設定|パスワードを再設定|重置密码|重設密碼|重置您的密码|\
    重新设置密码|비밀번호 재설정|återställ ditt lösenord";

/// What links that sign in are called.
pub(super) const SIGN_INS: &str = "\
    magic link|sign-in link|sign in link|login link|log-in link|log in link|link to sign in|\
    link to log in|sign in to|log in to|sign in securely|click to sign in|click to log in|sign in now|\
    anmeldelink|anmelde-link|login-link|link, um sich anzumelden|link zum anmelden|jetzt anmelden|\
    anmelden bei|lien de connexion|lien magique|lien pour vous connecter|se connecter|connectez-vous|\
    enlace de inicio de sesión|enlace mágico|enlace para iniciar sesión|iniciar sesión|inicia sesión|\
    link di accesso|link magico|link per accedere|accedi a|accedi ora|link de acesso|link mágico|\
    link para entrar|link de login|entrar na sua conta|fazer login|inloglink|magische link|\
    link om in te loggen|inloggen bij|link do logowania|magiczny link|zaloguj się|ссылка для входа|\
    ссылку для входа|войти в|giriş bağlantısı|giriş yap|ログインリンク|ログイン用リンク|登录链接|登入連結";

/// Said beside a secret that was just asked for: that it ends, that it must not be shared, who asked for it.
pub(super) const ASKED_FOR: &str = "\
    expires in|expire in|will expire|expires after|is valid for|valid for|only be used once|\
    can be used once|do not share|don't share|don’t share|never share|didn't request|didn’t request|\
    did not request|received a request|requested a|you requested|recently requested|someone requested|\
    request to reset|didn't make this request|if this wasn't you|if this was not you|läuft in|läuft ab|\
    gültig|nicht weiter|nicht angefordert|anfrage erhalten|angefordert haben|nur einmal|\
    falls sie dies nicht|expire dans|expirera|valable|ne partagez|ne communiquez|pas demandé|\
    pas à l'origine|reçu une demande|vous avez demandé|une seule fois|caduca|vence en|expira|válido|\
    válida|no compart|no solicit|recibido una solicitud|has solicitado|ha solicitado|una sola vez|scade|\
    scadrà|valido per|valida per|non condivid|non hai richiesto|ricevuto una richiesta|hai richiesto|\
    una sola volta|não compart|não solicit|recebemos um pedido|recebemos uma solicitação|você solicitou|\
    uma única vez|verloopt|geldig|deel deze|niet aangevraagd|verzoek ontvangen|hebt aangevraagd|eenmaal|\
    wygaś|wygasa|ważny przez|jest ważny|nie udostępniaj|otrzymaliśmy prośbę|nie prosi|jednokrotnie|\
    действителен|действительна|истекает|истечет|никому не|не запрашивали|получили запрос|вы запросили|\
    один раз|geçerli|süresi|paylaşmayın|talep etmedi|talebi aldık|有効期限|分間有効|有効です|共有しない|心当たりのない|リクエストを受け|\
    有效|请勿|切勿|收到|如非本人|請勿|유효|공유하지";

/// Words before a number that is only an example.
pub(super) const EXAMPLES: &str = "\
    e.g.|for example|for instance|such as|like|example:|z. b.|z.b.|zum beispiel|etwa|wie|par exemple|\
    comme|por ejemplo|como|ad esempio|come|por exemplo|bijvoorbeeld|zoals|np.|например";

/// Words between the name of a code and the code.
pub(super) const COPULAS: &str = "is|lautet|ist|est|es|è|é|jest|to|это|olan|:";
