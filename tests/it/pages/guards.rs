//! Who is let in, and what of the outside gets through.

use std::net::{Ipv6Addr, TcpListener};

use super::{Browser, Site, outbox_token};
use crate::world::skipped;

#[test]
fn a_link_lets_one_browser_in_once_and_looking_at_it_uses_nothing_up() {
    let site = Site::new();
    let link = site.link();

    let looked = site.bare(&format!("GET /open/{link}"), &[("Host", &site.host())], "");
    let first = site.open(&link);
    let second = site.open(&link);

    assert_eq!((looked.status, first.status, second.status), (200, 303, 403));
    let cookie = &first.headers["set-cookie"];
    for part in ["HttpOnly", "SameSite=Strict", "Max-Age=2592000", "Path=/p/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let browser = Browser::of(&first);
    assert_eq!(site.get(&browser, "/outbox").status, 200);
    assert!(!second.headers.contains_key("set-cookie"));
}

#[test]
fn a_cookie_counts_under_its_own_path_only() {
    let site = Site::new();
    let (one, other) = (site.browser(), site.browser());
    let crossed = Browser { base: one.base.clone(), cookie: other.cookie.clone() };
    let bare = Browser { base: one.base.clone(), cookie: String::new() };

    for browser in [crossed, bare] {
        let answer = site.get(&browser, "/outbox");
        assert_eq!((answer.status, answer.headers["location"].as_str()), (303, "/outbox"));
    }
    assert_ne!(one.base, other.base);
    assert_eq!(site.get(&one, "/outbox").status, 200);
}

#[test]
fn a_browser_that_signed_out_is_outside() {
    let site = Site::new();
    let browser = site.browser();
    let token = outbox_token(&site.get(&browser, "/outbox").body);

    let out = site.post(&browser, "/sign-out", &format!("token={token}"));

    assert_eq!(out.status, 303);
    assert_eq!(site.get(&browser, "/outbox").status, 303);
    assert_eq!(site.post(&browser, "/pause", &format!("token={token}")).status, 403);
}

/// 8 hosts, 8 origins, 4 cookies, 6 of Sec-Fetch-Site: 1,536 posts, each with a good token.
#[test]
fn of_fifteen_hundred_posts_only_the_persons_own_pass() {
    let site = Site::new();
    let (browser, other) = (site.browser(), site.browser());
    let token = outbox_token(&site.get(&browser, "/outbox").body);
    let (here, port) = (site.host(), site.served.port);
    let hosts = [
        here.clone(),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        "localhost".to_owned(),
        format!("localhost:{}", port ^ 1),
        format!("localhost.evil.example:{port}"),
        format!("evil.example:{port}"),
        format!("LOCALHOST:{port}"),
    ];
    let origins = [
        format!("http://{here}"),
        String::new(),
        "null".to_owned(),
        "http://localhost".to_owned(),
        format!("http://localhost:{}", port ^ 1),
        format!("http://127.0.0.1:{port}"),
        format!("https://{here}"),
        "http://evil.example".to_owned(),
    ];
    let cookies = [browser.cookie.clone(), String::new(), other.cookie, format!("{}x", browser.cookie)];
    let sites = ["same-origin", "none", "", "same-site", "cross-site", "nonsense"];

    let (mut tried, mut passed) = (0, Vec::new());
    let all = hosts.len() * origins.len() * cookies.len() * sites.len();
    for number in 0..all {
        let (host, rest) = (&hosts[number % hosts.len()], number / hosts.len());
        let (origin, rest) = (&origins[rest % origins.len()], rest / origins.len());
        let (cookie, rest) = (&cookies[rest % cookies.len()], rest / cookies.len());
        let fetch = sites[rest];
        let fields = [
            ("Host", host.as_str()),
            ("Origin", origin),
            ("Cookie", cookie),
            ("Sec-Fetch-Site", fetch),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ];
        let line = format!("POST {}/pause", browser.base);
        let answer = site.bare(&line, &fields, &format!("token={token}"));
        tried += 1;
        assert!([303, 403].contains(&answer.status), "{fields:?} {}", answer.status);
        if answer.status == 303 {
            passed.push((host.clone(), origin.clone(), cookie.clone(), fetch));
        }
    }

    assert_eq!(tried, 1_536);
    let own = |fetch| (hosts[0].clone(), origins[0].clone(), cookies[0].clone(), fetch);
    assert_eq!(passed, [own("same-origin"), own("none"), own("")]);
}

#[test]
fn only_forms_are_taken() {
    let site = Site::new();
    let browser = site.browser();
    let token = outbox_token(&site.get(&browser, "/outbox").body);
    let (host, origin) = (site.host(), format!("http://{}", site.host()));

    for kind in ["text/plain", "application/json", "multipart/form-data; boundary=x", ""] {
        let fields = [
            ("Host", host.as_str()),
            ("Origin", &origin),
            ("Cookie", &browser.cookie),
            ("Content-Type", kind),
        ];
        let answer = site.bare(&format!("POST {}/pause", browser.base), &fields, &format!("token={token}"));
        assert_eq!(answer.status, 415, "{kind}");
    }
    assert!(site.json(&["outbox", "list"])["paused"].is_null());
}

#[test]
fn every_page_keeps_frames_scripts_and_other_servers_out() {
    let site = Site::new();
    let id = site.proposed_as(&serde_json::json!({
        "to": ["bob@stone.example"], "subject": "Lunch", "body": "At noon?", "html": "<p>At <b>noon</b>?</p>",
    }));
    let browser = site.browser();
    let item = format!("/outbox/{id}");
    let edit = format!("{item}/edit?hash={}", site.form(&browser, &id).hash);

    for path in ["/outbox", "/history", "/keys", "/outbox/all", &item, &edit] {
        let answer = site.get(&browser, path);
        let policy = &answer.headers["content-security-policy"];
        for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.headers["cross-origin-opener-policy"], "same-origin", "{path}");
        assert_eq!(answer.headers["cache-control"], "no-store", "{path}");
        for inline in ["<script>", " style=", "<style", " onclick", "javascript:"] {
            assert!(!answer.body.contains(inline), "{path} has {inline}");
        }
    }
    let sent = site.get(&browser, &format!("{item}/as-sent"));
    let policy = &sent.headers["content-security-policy"];
    assert!(policy.starts_with("sandbox ") && !policy.contains("allow-scripts"), "{policy}");
    assert!(!policy.contains("allow-same-origin") && policy.contains("frame-ancestors 'self'"), "{policy}");
}

#[test]
fn what_another_page_leads_to_shows_nothing() {
    let site = Site::new();
    let id = site.proposed("a secret plan");
    let browser = site.browser();
    let fields = |fetch: &'static str| {
        [("Host", site.host()), ("Cookie", browser.cookie.clone()), ("Sec-Fetch-Site", fetch.to_owned())]
    };
    let get = |path: &str, fetch| {
        let fields = fields(fetch);
        let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
        site.bare(&format!("GET {path}"), &fields, "")
    };

    let inside = get(&format!("{}/outbox/{id}", browser.base), "same-site");
    let door = get(&format!("/outbox/{id}"), "cross-site");

    assert_eq!((inside.status, door.status), (403, 200));
    assert!(!inside.body.contains("secret plan") && !door.body.contains("secret plan"));
    assert!(!door.body.contains("bob@stone.example") && !door.body.contains("Lunch"));
}

#[test]
fn names_of_this_machine_lead_to_localhost() {
    let site = Site::new();
    let host = format!("127.0.0.1:{}", site.served.port);

    let answer = site.bare("GET /outbox/d0123456789ab", &[("Host", &host)], "");

    assert_eq!(answer.status, 303);
    assert_eq!(answer.headers["location"], format!("http://{}/outbox/d0123456789ab", site.host()));
}

#[test]
fn assets_carry_their_hash_and_are_kept_for_ever() {
    let site = Site::new();
    let page = site.bare("GET /outbox", &[("Host", &site.host())], "").body;
    let style = page.split("href=\"").nth(1).unwrap().split('"').next().unwrap();

    let asset = site.bare(&format!("GET {style}"), &[("Host", &site.host())], "");
    let other = site.bare("GET /assets/style-000000000000.css", &[("Host", &site.host())], "");

    assert_eq!((asset.status, other.status), (200, 404));
    assert!(asset.headers["cache-control"].contains("immutable"));
    assert_eq!(other.headers["cache-control"], "no-store");
}

#[test]
fn serve_does_not_start_where_another_program_could_get_the_click() {
    let Ok(other) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) else {
        return skipped("pages::guards", "no [::1] here");
    };
    let port = other.local_addr().unwrap().port();
    let world = crate::world::World::new();

    let failure = world.failure(&["serve", "--no-sync", "--listen", &format!("127.0.0.1:{port}")]);

    assert_eq!(failure["code"], "cannot_listen", "{failure}");
}
