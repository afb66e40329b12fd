//! Every tool on the small archive.

use serde_json::{Value, json};

use super::fixture::{ADA, BOB, answer, column, ids, mails, world};

#[test]
fn lists_come_in_the_order_of_their_dates_and_undated_ones_last() {
    let world = world();
    let table: &[(&str, Value, &[u64])] = &[
        ("list_earliest_emails", json!({}), &[8, 6, 7, 4, 1, 11, 2, 3, 9, 10, 5]),
        ("list_earliest_emails", json!({ "limit": 2 }), &[8, 6]),
        ("list_earliest_emails", json!({ "limit": 0 }), &[8, 6, 7, 4, 1, 11, 2, 3, 9, 10, 5]),
        ("filter_emails", json!({}), &[10, 9, 3, 2, 5, 11, 1, 4, 7, 6, 8]),
        ("filter_emails", json!({ "order": "date_asc", "limit": 3 }), &[8, 6, 7]),
        ("filter_emails", json!({ "mailbox": "archive" }), &[11]),
        ("filter_emails", json!({ "mailbox": "nowhere" }), &[]),
        ("filter_emails", json!({ "subject_contains": "100%_" }), &[6]),
        ("filter_emails", json!({ "subject_contains": "GRÜSSE" }), &[]),
        ("filter_emails", json!({ "subject_contains": "grÜße" }), &[4]),
        ("filter_emails", json!({ "subject_contains": "' OR 1=1 --" }), &[]),
        ("filter_emails", json!({ "from_contains": "MÜLLER" }), &[4]),
        ("filter_emails", json!({ "from_contains": "%" }), &[]),
        ("filter_emails", json!({ "from_domain": "@stone.example" }), &[10, 9, 3, 5, 11, 1, 8]),
        (
            "filter_emails",
            json!({ "from_domain": "STONE.example", "mailbox": "INBOX" }),
            &[10, 9, 3, 5, 1, 8],
        ),
        ("filter_emails", json!({ "date_from": "2026-01-01", "date_to": "2026-01-01" }), &[4]),
        ("filter_emails", json!({ "date_to": "2025-12-31" }), &[7, 6, 8]),
        ("filter_emails", json!({ "date_from": "2026-03-02", "date_to": "2026-03-02" }), &[2, 5, 11, 1]),
        ("filter_emails", json!({ "from_contains": "bob", "subject_contains": "budget" }), &[3, 11, 1]),
        ("get_emails_with_attachments", json!({}), &[3]),
        ("get_emails_with_attachments", json!({ "mailbox": "Archive" }), &[]),
        ("get_emails_with_attachments", json!({ "date_from": "2026-03-06" }), &[]),
        ("get_email_thread", json!({ "thread_id": "1" }), &[1, 11, 2, 3]),
        ("get_email_thread", json!({ "thread_id": 1, "order": "date_desc" }), &[3, 2, 11, 1]),
        ("get_email_thread", json!({ "thread_id": "99999" }), &[]),
        ("get_largest_emails", json!({ "limit": 1 }), &[3]),
        ("get_largest_emails", json!({ "limit": 1, "attachments": "without", "mailbox": "Archive" }), &[11]),
        ("get_emails_by_size_range", json!({ "size_category": "medium" }), &[3]),
        ("get_emails_by_size_range", json!({}), &[]),
        ("get_emails_by_size_range", json!({ "size_category": "huge" }), &[]),
        ("search_email_headers", json!({ "header_pattern": "^list-id:" }), &[10]),
    ];

    for (tool, arguments, expected) in table {
        assert_eq!(ids(&world, tool, arguments), *expected, "{tool} {arguments}");
    }
}

#[test]
fn counts_are_those_of_the_same_filters() {
    let world = world();
    let table: &[(Value, u64)] = &[
        (json!({}), 11),
        (json!({ "mailbox": "INBOX" }), 10),
        (json!({ "from_domain": "stone.example" }), 7),
        (json!({ "from_contains": "bob", "date_from": "2026-03-05" }), 3),
        (json!({ "subject_contains": "re: budget" }), 2),
        (json!({ "subject_contains": "budget", "mailbox": "Archive" }), 1),
        (json!({ "date_from": "2026-03-02T10:00:01Z", "date_to": "2026-03-02T23:00:00Z" }), 1),
        (json!({ "date_from": "2030-01-01" }), 0),
        (json!({ "date_from": "2026-05-01", "date_to": "2026-01-01" }), 0),
    ];

    for (arguments, expected) in table {
        assert_eq!(answer(&world, "count_emails", arguments), json!({ "count": expected }), "{arguments}");
    }
}

#[test]
fn a_row_has_the_fields_of_the_document_and_no_others() {
    let world = world();
    let size = mails()[3].len();

    let rows = answer(&world, "filter_emails", &json!({ "from_domain": "koeln.example" }));

    assert_eq!(
        rows,
        json!([{
            "id": 4, "address": "ada@example.org", "mailbox": "INBOX", "uid": 4, "uidvalidity": 1,
            "message_id": "..UTF.8.Q.Gr.C3.BC.C3.9Fe..@test.example", "x_gm_msgid": null,
            "date": "2026-01-01T04:30:00Z", "internaldate": "2026-01-01T04:30:00Z", "internaldate_epoch": 1_767_241_800,
            "from": "Jürgen Müller <jm@koeln.example>", "subject": "Grüße", "rfc822_size": size,
        }])
    );
}

#[test]
fn what_has_no_date_has_a_null_one_and_the_date_it_came_in() {
    let row = &answer(&world(), "filter_emails", &json!({ "subject_contains": "undated" }))[0];

    assert_eq!(row["date"], Value::Null);
    assert_eq!(row["internaldate"], "2026-03-02T10:00:00Z");
}

#[test]
fn size_lists_name_the_size_as_their_document_does() {
    let world = world();
    let has = |tool: &str, arguments: &Value| {
        let row = answer(&world, tool, arguments)[0].clone();
        (row.get("rfc822_size").is_some(), row.get("size_bytes").is_some())
    };

    assert_eq!(has("get_largest_emails", &json!({})), (true, true));
    assert_eq!(has("get_emails_by_size_range", &json!({ "size_category": "small" })), (false, true));
    assert_eq!(has("list_earliest_emails", &json!({})), (true, false));
    assert_eq!(has("search_email_headers", &json!({ "header_pattern": "from" })), (false, false));
}

#[test]
fn one_message_can_be_named_in_every_way() {
    let world = world();
    let subject = |arguments: Value| answer(&world, "get_email_full", &arguments)["id"].as_u64().unwrap();
    let short = answer(
        &world,
        "execute_sql_query",
        &json!({ "sql_query": "SELECT message FROM emails WHERE id = 6" }),
    );

    assert_eq!(subject(json!({ "id": 3 })), 3);
    assert_eq!(subject(json!({ "id": "11" })), 11);
    assert_eq!(subject(json!({ "id": short["rows"][0]["message"] })), 6);
    assert_eq!(subject(json!({ "mailbox": "inbox", "uid": 2, "uidvalidity": 1 })), 2);
    assert_eq!(subject(json!({ "message_id": "<three@x>" })), 3);
    assert_eq!(subject(json!({ "id": 1, "message_id": "three@x" })), 1);
    assert_eq!(subject(json!({ "from_contains": "carl", "order": "date_asc" })), 6);
    assert_eq!(subject(json!({ "subject_contains": "budget", "date": "2026-03-05" })), 3);
    assert_eq!(subject(json!({ "date": "2023" })), 8);
}

#[test]
fn a_full_message_has_its_source_and_recipients() {
    let full = answer(&world(), "get_email_full", &json!({ "id": 2 }));

    assert_eq!(full["encoded"].as_str().unwrap().as_bytes(), mails()[1]);
    assert_eq!(full["envelope_to"], json!([BOB]));
    assert_eq!(full["envelope_cc"], json!([]));
    assert_eq!(full["envelope_in_reply_to"], "Budget@test.example");
    assert_eq!(full["envelope_references"], json!([]));
    assert_eq!(full["x_gm_thrid"], Value::Null);
}

#[test]
fn senders_domains_and_mailboxes_are_counted_and_ties_go_by_name() {
    let world = world();
    let carl = "Carl <carl@x.example>";
    let ranks = json!([
        { "from": BOB, "count": 6 }, { "from": carl, "count": 2 }, { "from": ADA, "count": 1 },
        { "from": "Jürgen Müller <jm@koeln.example>", "count": 1 }, { "from": "dora@STONE.example", "count": 1 },
    ]);
    let domains = json!([
        { "domain": "stone.example", "count": 7 }, { "domain": "x.example", "count": 2 },
        { "domain": "example.org", "count": 1 }, { "domain": "koeln.example", "count": 1 },
    ]);
    let mailboxes = json!([{ "mailbox": "INBOX", "count": 10 }, { "mailbox": "Archive", "count": 1 }]);

    assert_eq!(answer(&world, "get_top_senders", &json!({})), ranks);
    assert_eq!(
        answer(&world, "get_top_senders", &json!({ "mailbox": "Archive" })),
        json!([{ "from": BOB, "count": 1 }])
    );
    assert_eq!(answer(&world, "get_top_domains", &json!({})), domains);
    assert_eq!(answer(&world, "get_mailbox_stats", &json!({})), mailboxes);
    assert_eq!(
        answer(&world, "get_email_stats", &json!({ "top_limit": 1 })),
        json!({
            "total_emails": 11,
            "date_range": { "earliest": "2023-02-28T23:59:59Z", "latest": "2026-05-01T00:00:00Z" },
            "top_senders": [{ "from": BOB, "count": 6 }],
            "top_domains": [{ "domain": "stone.example", "count": 7 }],
            "mailbox_distribution": mailboxes,
        })
    );
}

#[test]
fn time_is_cut_in_utc() {
    let world = world();
    let periods = |arguments: Value| {
        let rows = answer(&world, "get_emails_by_date_range", &arguments);
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| format!("{} {}", row["period"].as_str().unwrap(), row["count"]))
            .collect::<Vec<_>>()
    };

    assert_eq!(periods(json!({})), ["2023-02 1", "2025-07 2", "2026-01 1", "2026-03 5", "2026-05 2"]);
    assert_eq!(periods(json!({ "period": "yearly" })), ["2023 1", "2025 2", "2026 8"]);
    assert_eq!(
        periods(json!({ "period": "daily", "date_from": "2026-03-01", "date_to": "2026-03-04" })),
        ["2026-03-02 4"]
    );
    assert_eq!(periods(json!({ "limit": 2 })), ["2026-03 5", "2026-05 2"]);
    assert_eq!(
        answer(
            &world,
            "get_email_activity_heatmap",
            &json!({ "date_from": "2026-01-01", "date_to": "2026-03-04" })
        ),
        json!([
            { "hour": 10, "day_of_week": "Mon", "day_number": 1, "count": 3 },
            { "hour": 12, "day_of_week": "Mon", "day_number": 1, "count": 1 },
            { "hour": 4, "day_of_week": "Thu", "day_number": 4, "count": 1 },
        ])
    );
    assert_eq!(
        answer(&world, "get_seasonal_trends", &json!({ "years_back": 1 })),
        json!([
            { "year": 2025, "month": 7, "month_name": "July", "season": "Summer", "count": 2 },
            { "year": 2026, "month": 1, "month_name": "January", "season": "Winter", "count": 1 },
            { "year": 2026, "month": 3, "month_name": "March", "season": "Spring", "count": 5 },
            { "year": 2026, "month": 5, "month_name": "May", "season": "Spring", "count": 2 },
        ])
    );
    assert_eq!(
        answer(&world, "get_email_frequency_by_sender", &json!({ "sender": "STONE", "period": "yearly" })),
        json!([
            { "sender": BOB, "period": "2026", "count": 6 },
            { "sender": "dora@STONE.example", "period": "2023", "count": 1 },
        ])
    );
}

#[test]
fn answers_are_timed_between_different_people_and_own_ones_told_apart() {
    let world = world();
    let own = json!({
        "thread_id": 1, "subject": "Re: Budget", "from": BOB, "to": ADA, "sent_at": "2026-03-02T10:00:00Z",
        "replied_at": "2026-03-02T12:30:00Z", "response_seconds": 9_000,
    });
    let other = json!({
        "thread_id": 1, "subject": "Re: Budget", "from": ADA, "to": BOB, "sent_at": "2026-03-02T12:30:00Z",
        "replied_at": "2026-03-05T12:30:00Z", "response_seconds": 259_200,
    });

    assert_eq!(answer(&world, "get_response_time_stats", &json!({})), json!([other, own]));
    assert_eq!(answer(&world, "get_response_time_stats", &json!({ "answered_by": "me" })), json!([own]));
    assert_eq!(answer(&world, "get_response_time_stats", &json!({ "limit": 1 })), json!([other]));
}

#[test]
fn duplicates_share_a_subject_or_an_id() {
    let world = world();

    assert_eq!(
        answer(&world, "get_duplicate_emails", &json!({})),
        json!([
            { "similarity_field": "Budget", "duplicate_count": 2, "email_ids": [1, 11] },
            { "similarity_field": "Copy", "duplicate_count": 2, "email_ids": [9, 10] },
            { "similarity_field": "Re: Budget", "duplicate_count": 2, "email_ids": [2, 3] },
        ])
    );
    assert_eq!(
        answer(&world, "get_duplicate_emails", &json!({ "similarity_field": "message_id" })),
        json!([
            { "similarity_field": "Budget@test.example", "duplicate_count": 2, "email_ids": [1, 11] },
            { "similarity_field": "Copy@test.example", "duplicate_count": 2, "email_ids": [9, 10] },
        ])
    );
}

#[test]
fn searches_rank_and_keywords_count() {
    let world = world();
    let found = answer(&world, "search_emails", &json!({ "query": "budget" }));
    let scores: Vec<f64> = column(&found, "score").iter().map(|score| score.as_f64().unwrap()).collect();
    let keywords = answer(
        &world,
        "get_emails_by_keywords",
        &json!({ "keywords": ["budget", "nothing"], "match_mode": "any", "limit": 2 }),
    );

    assert_eq!(column(&found, "id").len(), 3);
    assert!(scores.is_sorted() && scores.iter().all(|score| *score > 0.0 && *score < 1.0), "{scores:?}");
    assert_eq!(ids(&world, "search_emails", &json!({ "query": "budget", "item_types": ["body"] })), [1]);
    assert_eq!(
        ids(&world, "search_emails", &json!({ "query": "müller", "item_types": ["subject"] })),
        [0; 0]
    );
    assert_eq!(column(&keywords, "id"), [1, 3]);
    assert_eq!(column(&keywords, "keyword_match_score"), [3, 2]);
    assert_eq!(column(&keywords, "keyword_match_count"), [1, 2]);
    assert_eq!(
        ids(
            &world,
            "get_emails_by_keywords",
            &json!({ "keywords": ["budget", "nothing"], "match_mode": "all" })
        ),
        [3, 2]
    );
}

#[test]
fn sql_gives_the_query_the_number_and_the_rows() {
    let sql = "SELECT subject, is_read FROM emails WHERE id = 1";

    let answer = answer(&world(), "execute_sql_query", &json!({ "sql_query": sql }));

    assert_eq!(
        answer,
        json!({ "query": sql, "row_count": 1, "rows": [{ "subject": "Budget", "is_read": 0 }] })
    );
}
